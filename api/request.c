/*
 * One request: what a handler may ask of it.
 */
#include "api/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/algorithm.h"
#include "api/exchange.h"
#include "api/job_json.h"
#include "api/reaper.h"
#include "api/suggestions.h"
#include "api/waiters.h"
#include "daemon/base/auto.h"

int64_t apsp_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* 64 bits to 64 bits, one to one (Steele, Lea & Flood 2014, SplitMix). */
static uint64_t scramble(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static void set_id(struct apsp_request *req)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t id = scramble(atomic_fetch_add(&req->server->next_id, 1));

	for (size_t i = 0; i < APSP_REQUEST_ID_SIZE - 1; i++, id >>= 4)
		req->id[i] = digits[id & 15];
}

struct apsp_request *apsp_request_new(struct apsp_server *server,
	struct MHD_Connection *connection, const char *target)
{
	struct apsp_request *req;

	req = calloc(1, sizeof(*req));
	if (!req)
		return NULL;
	req->internal = calloc(1, sizeof(*req->internal));
	if (req->internal)
		req->internal->target = strdup(target ? target : "");
	if (!req->internal || !req->internal->target) {
		apsp_request_free(req);
		return NULL;
	}
	req->server = server;
	req->connection = connection;
	req->started_ns = apsp_now_ns();
	set_id(req);
	return req;
}

void apsp_request_free(struct apsp_request *req)
{
	struct apsp_request_server *x;

	if (!req)
		return;
	if (req->state && req->state_free)
		req->state_free(req->state);
	for (size_t i = 0; i < req->n_params; i++)
		free(req->params[i]);
	free(req->body);
	x = req->internal;
	if (x) {
		for (size_t i = 0; i < x->n_headers; i++) {
			free(x->headers[i].name);
			free(x->headers[i].value);
		}
		json_decref(x->extra);
		free(x->tag);
		free(x->query_text);
		free(x->target);
		free(x);
	}
	free(req);
}

const struct apsp_server_config *apsp_request_config(
	const struct apsp_request *req)
{
	return &req->server->config;
}

struct apsp_store *apsp_request_store(const struct apsp_request *req)
{
	return req->server->config.store;
}

struct apsp_worker *apsp_request_worker(const struct apsp_request *req)
{
	return req->server->config.worker;
}

const char *apsp_request_header(
	const struct apsp_request *req, const char *name)
{
	return MHD_lookup_connection_value(
		req->connection, MHD_HEADER_KIND, name);
}

void apsp_request_extra(struct apsp_request *req, json_t *extra)
{
	json_decref(req->internal->extra);
	req->internal->extra = extra;
}

int apsp_request_view(struct apsp_request *req,
	const struct apsp_graph_view **out, struct apsp_err *err)
{
	return apsp_graphs_view(
		apsp_request_store(req), req->params[0], out, err);
}

int apsp_request_reading(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err)
{
	const char *profile = apsp_request_query(req, "profile");
	struct apsp_reading reading = {0};
	uint64_t job = 0;
	int r;

	r = apsp_request_view(req, &reading.view, err);
	if (r < 0)
		return r;
	r = apsp_graph_view_tables(reading.view, profile ? profile : "default",
		&reading.generation, &reading.profile, &job, err);
	if (r < 0) {
		if (job)
			apsp_request_extra(
				req, json_pack("{s:o, s:o}", "job",
					     apsp_job_id_json(job), "job_url",
					     json_sprintf("/v1/jobs/%" PRIu64,
						     job)));
		apsp_reading_done(&reading);
		return r;
	}
	reading.tables = reading.profile->tables;
	*out = reading;
	return 0;
}

void apsp_reading_done(struct apsp_reading *reading)
{
	if (reading->view)
		apsp_graph_view_unref(reading->view);
	memset(reading, 0, sizeof(*reading));
}

int apsp_reading_vertex(struct apsp_request *req,
	const struct apsp_reading *reading, const char *label, uint32_t *out,
	struct apsp_err *err)
{
	const struct apsp_labels *labels = reading->generation->labels;
	int64_t v = apsp_labels_find(labels, label, strlen(label));

	if (v < 0) {
		apsp_request_extra(
			req, json_pack("{s:o*}", "suggestions",
				     apsp_suggestions_json(labels, label)));
		return apsp_fail(err, APSP_ENOVERTEX,
			"'%s' is not in graph '%s'", label,
			reading->view->name);
	}
	*out = (uint32_t)v;
	return 0;
}

/* The client is not to blame while we wait: no deadline until then. */
static int suspend(struct apsp_request *req, uint64_t job, int64_t deadline_ns,
	struct apsp_err *err)
{
	struct apsp_request_server *x = req->internal;
	int r;

	apsp_conn_set_deadline(x->conn, APSP_NO_DEADLINE);
	r = apsp_waiters_suspend(
		req->server->waiters, req, job, x->moment, deadline_ns, err);
	x->suspended = r == 0;
	return r;
}

int apsp_request_suspend(struct apsp_request *req, struct apsp_err *err)
{
	return suspend(req, 0, INT64_MAX, err);
}

void apsp_request_resume(struct apsp_request *req)
{
	apsp_waiters_resume(req->server->waiters, req);
}

static void command_done(void *ctx, int result, const struct apsp_err *err)
{
	struct apsp_request *req = ctx;

	req->internal->result = result;
	if (result < 0 && err)
		req->internal->result_err = *err;
	apsp_request_resume(req);
}

struct apsp_done apsp_request_done(struct apsp_request *req)
{
	req->internal->result = 0;
	return (struct apsp_done){.fn = command_done, .ctx = req};
}

int apsp_request_result(struct apsp_request *req, struct apsp_err *err)
{
	int result = req->internal->result;

	if (result < 0 && err)
		*err = req->internal->result_err;
	return result;
}

int apsp_request_wait_job(struct apsp_request *req, uint64_t id,
	int64_t deadline_ns, struct apsp_err *err)
{
	return suspend(req, id, deadline_ns, err);
}

/* Keep the text of a strong entity tag: "…" without its quotes. */
static int keep_tag(
	struct apsp_request *req, const char *value, struct apsp_err *err)
{
	size_t size = strlen(value);

	if (size < 2 || value[0] != '"' || value[size - 1] != '"' ||
		memchr(value + 1, '"', size - 2))
		return apsp_fail(err, APSP_EMALFORMED,
			"If-Match: found '%s', expected * or one \"revision\"",
			value);
	free(req->internal->tag);
	req->internal->tag = strndup(value + 1, size - 2);
	if (!req->internal->tag)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	return 0;
}

int apsp_request_precondition(struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err)
{
	const char *if_match = apsp_request_header(req, "If-Match");
	const char *if_none = apsp_request_header(req, "If-None-Match");
	struct apsp_precondition wanted = {0};

	if (if_none && strcmp(if_none, "*") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"If-None-Match: found '%s', expected *", if_none);
	wanted.must_not_exist = if_none != NULL;
	if (if_match && strcmp(if_match, "*") == 0) {
		wanted.must_exist = true;
	} else if (if_match) {
		int r = keep_tag(req, if_match, err);

		if (r < 0)
			return r;
		wanted.if_match = req->internal->tag;
	}
	*out = wanted;
	return 0;
}

int apsp_request_profile(struct apsp_request *req, struct apsp_profile *out,
	struct apsp_err *err)
{
	const struct apsp_profile_texts texts = {
		.transform = apsp_request_query(req, "transform"),
		.duplicates = apsp_request_query(req, "duplicates"),
		.invalid = apsp_request_query(req, "invalid"),
		.precision = apsp_request_query(req, "precision"),
		.min_weight = apsp_request_query(req, "min_weight"),
		.algorithm = apsp_request_query(req, "algorithm"),
	};
	int r;

	r = apsp_profile_parse(&texts, out, err);
	if (r < 0)
		return r;
	return apsp_algorithm_check(req, out, err);
}
