/*
 * A store in temporary directories and a server on a free loopback port, for
 * the tests of endpoints. Tables are made by `reference`, on the host. The
 * worker is the real one with fake_solver.sh as its solver; it takes jobs only
 * where a test lets it.
 */
#ifndef APSP_TESTS_ENDPOINT_FIXTURE_H
#define APSP_TESTS_ENDPOINT_FIXTURE_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/connection/listen.h"
#include "api/endpoints/endpoints.h"
#include "api/http/server.h"
#include "compute/worker/worker.h"
#include "storage/graph_put.h"
#include "storage/graphs.h"
#include "storage/jobs/job_graph.h"
#include "storage/jobs/job_publish.h"
#include "storage/jobs/job_claim.h"
#include "storage/jobs/job_tries.h"
#include "storage/jobs/jobs.h"
#include "storage/store.h"
#include "tests/fixture_check.h"
#include "tests/host_tables.h"
#include "tests/http_client.h"
#include "tests/remove_tree.h"
#include "tests/settings_fixture.h"
#include "tests/upload_limits.h"

#define CSV "Content-Type: text/csv\r\n"

enum {
	FIXTURE_QUEUE = 4, /* jobs that may wait */
	FIXTURE_PAIRS = 100,
	FIXTURE_UPLOAD = 300000,
	FIXTURE_UPLOADS = 3, /* at once */
};

struct fixture {
	char dir[256];
	char state_dir[280];
	char cache_dir[280];
	struct apsp_settings settings;
	struct apsp_store *store;
	struct apsp_worker *worker;
	_Atomic(struct apsp_server *) server;
	struct apsp_listener listener;
	unsigned int port;
	atomic_bool worker_takes; /* the worker may take the next job */
	const char *behaviour;	  /* of its solver; NULL: "polite" */
	struct apsp_budget_limits answers; /* of the store; {0}: its own */
	/* limits of the server; 0: its own */
	uint32_t yield_rate, memory_wait_s;
};

static inline void fixture_changed(void *ctx, uint64_t id)
{
	struct fixture *f = ctx;
	struct apsp_server *server = atomic_load(&f->server);

	if (server)
		apsp_server_job_changed(server, id);
}

static inline void fixture_graphs_changed(void *ctx)
{
	struct fixture *f = ctx;
	struct apsp_server *server = atomic_load(&f->server);

	if (server)
		apsp_server_graphs_changed(server);
}

static inline int fixture_claim(struct apsp_store *store,
	struct apsp_job_spec *out, struct apsp_err *err)
{
	struct fixture *f = (struct fixture *)store;

	if (!atomic_exchange(&f->worker_takes, false))
		return 0;
	return apsp_job_claim(f->store, out, err);
}

/* Have fake_solver.sh tell a phase and then wait for its end, say. */
static inline int fixture_load(struct apsp_store *store,
	const struct apsp_job_spec *job, const char *path,
	const struct apsp_stop *stop, struct apsp_err *err)
{
	const struct fixture *f = (const struct fixture *)store;
	FILE *file = fopen(path, "we");

	(void)job;
	(void)stop;
	(void)err;
	CHECK(file);
	fputs(f->behaviour ? f->behaviour : "polite", file);
	fclose(file);
	return 0;
}

static inline int fixture_publish(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const char *path, struct apsp_err *err)
{
	struct fixture *f = (struct fixture *)store;

	return apsp_job_publish(f->store, job, last, path, err);
}

static inline void fixture_fail(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry)
{
	struct fixture *f = (struct fixture *)store;

	apsp_job_tries_fail(f->store, job, last, failure, retry);
}

static inline void fixture_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job)
{
	struct fixture *f = (struct fixture *)store;

	apsp_job_tries_put_back(f->store, job);
}

static inline void fixture_worker_start(struct fixture *f)
{
	struct apsp_worker_config config = {
		.settings = &f->settings,
		.ops = {.store = (struct apsp_store *)f,
			.claim = fixture_claim,
			.load = fixture_load,
			.publish = fixture_publish,
			.fail = fixture_fail,
			.put_back = fixture_put_back},
	};
	const char *root = getenv("APSP_SOURCE_ROOT");
	char solver[512];

	snprintf(solver, sizeof(solver), "%s/tests/fake_solver.sh",
		root ? root : ".");
	config.solver = solver;
	CHECK(apsp_worker_start(&config, &f->worker, NULL) == 0);
}

static inline void fixture_server_start(struct fixture *f)
{
	static const char *const algorithms[] = {
		"fw", "reference", "bfs", "closure-squaring", NULL};
	static const char *const hops_only[] = {"bfs", NULL};
	struct apsp_server_config config = {
		.routes = apsp_endpoints,
		.store = f->store,
		.worker = f->worker,
		.graphs = apsp_store_parts(f->store)->graphs,
		.answers = apsp_store_parts(f->store)->answers,
		.listeners = &f->listener.fd,
		.n_listeners = 1,
		.settings = &f->settings,
		.version = "test",
		.algorithms = algorithms,
		.hops_only = hops_only,
		.limits = apsp_default_limits,
	};
	struct apsp_server *server = NULL;
	struct apsp_err err = {0};

	config.limits.max_pairs = FIXTURE_PAIRS;
	config.limits.max_upload_bytes = FIXTURE_UPLOAD;
	if (f->yield_rate)
		config.limits.yield_rate = f->yield_rate;
	if (f->memory_wait_s)
		config.limits.memory_wait_s = f->memory_wait_s;
	if (apsp_listener_open("127.0.0.1:0", &(struct apsp_listen_rules){0},
		    &f->listener, &err) < 0 ||
		apsp_server_start(&config, &server, &err) < 0) {
		fprintf(stderr, "server: %s\n", err.message);
		abort();
	}
	f->port = (unsigned int)strtoul(
		strrchr(f->listener.address, ':') + 1, NULL, 10);
	atomic_store(&f->server, server);
}

/* Open the store in the fixture's directories and serve it. */
static inline void fixture_open(struct fixture *f)
{
	struct apsp_budget_limits uploads = upload_limits();
	struct apsp_store_config config = {
		.settings = &f->settings,
		.max_queued_jobs = FIXTURE_QUEUE,
		.upload_limits = &uploads,
		.answer_limits = f->answers.who ? &f->answers : NULL,
		.hooks = {.graphs_changed = fixture_graphs_changed,
			.job_changed = fixture_changed,
			.ctx = f},
	};
	struct apsp_err err = {0};

	uploads.max_shares = FIXTURE_UPLOADS;
	uploads.spare_disk_bytes = 0; /* tests have small disks, too */
	if (apsp_store_open(&config, &f->store, &err) < 0) {
		fprintf(stderr, "store: %s\n", err.message);
		abort();
	}
	fixture_worker_start(f);
	fixture_server_start(f);
}

static inline void fixture_close(struct fixture *f)
{
	struct apsp_server *server = atomic_exchange(&f->server, NULL);

	apsp_server_stop(server, 10000);
	apsp_worker_stop(f->worker);
	apsp_store_close(f->store);
	apsp_listener_close(&f->listener);
}

/* End the daemon, as it were, and start it again. */
static inline void fixture_restart(struct fixture *f)
{
	fixture_close(f);
	fixture_open(f);
}

static inline struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	CHECK(f);
	snprintf(f->dir, sizeof(f->dir), "%s/apsp-api-XXXXXX",
		tmp ? tmp : "/tmp");
	CHECK(mkdtemp(f->dir));
	snprintf(f->state_dir, sizeof(f->state_dir), "%s/state", f->dir);
	snprintf(f->cache_dir, sizeof(f->cache_dir), "%s/cache", f->dir);
	settings_fixture_init(&f->settings, f->state_dir, f->cache_dir);
	fixture_open(f);
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	fixture_close(f);
	remove_tree(f->dir);
	apsp_settings_done(&f->settings);
	free(f);
}

/* cmocka's set-up and tear-down. */
static inline int fixture_setup(void **state)
{
	*state = fixture_new();
	return 0;
}

static inline int fixture_teardown(void **state)
{
	fixture_free(*state);
	return 0;
}

/* Do one claimed job from graph file to published tables. */
static inline void fixture_work(
	struct fixture *f, const struct apsp_job_spec *job)
{
	struct apsp_job_progress last = {.phase = "predecessor",
		.progress = 0.9,
		.algorithm = "reference",
		.device = "host",
		.plan = "reference, as asked for"};
	struct apsp_job_failure failure = {0};
	char graph_path[320], path[320];

	snprintf(graph_path, sizeof(graph_path), "%s/graph", f->cache_dir);
	snprintf(path, sizeof(path), "%s/result", f->cache_dir);
	CHECK(apsp_job_graph_write(f->store, job, graph_path, NULL, NULL) == 0);
	if (host_tables_write(graph_path, path, &failure) < 0)
		apsp_job_tries_fail(f->store, job, &last, &failure, false);
	else
		CHECK(apsp_job_publish(f->store, job, &last, path, NULL) == 0);
	unlink(graph_path);
	unlink(path);
	apsp_job_failure_done(&failure);
}

/* Do every queued job; returns how many there were. */
static inline int fixture_work_all(struct fixture *f)
{
	struct apsp_job_spec job;
	int n = 0, r;

	while ((r = apsp_job_claim(f->store, &job, NULL)) > 0) {
		fixture_work(f, &job);
		n++;
	}
	CHECK(r == 0);
	return n;
}

/* Requests without a body, and those with a text as body. */
static inline struct http_answer fixture_get(
	struct fixture *f, const char *target)
{
	return http_ask(f->port, "GET", target, NULL, NULL, 0);
}

static inline struct http_answer fixture_send(struct fixture *f,
	const char *method, const char *target, const char *headers,
	const char *body)
{
	return http_ask(f->port, method, target, headers, body,
		body ? strlen(body) : 0);
}

/*
 * Upload an edge list and make its tables. Its weights are lengths unless the
 * target says a transform. A graph that is there gets that rule.
 */
static inline void fixture_graph(
	struct fixture *f, const char *target, const char *csv)
{
	const char *said = strstr(target, "transform=")
				   ? "default_rule=replace"
				   : "default_rule=replace&transform=none";
	struct http_answer answer;
	char full[512];

	snprintf(full, sizeof(full), "%s%s%s", target,
		strchr(target, '?') ? "&" : "?", said);
	answer = fixture_send(f, "PUT", full, CSV, csv);

	if (answer.status != 202 && answer.status != 200) {
		fprintf(stderr, "upload: %s\n", answer.text);
		abort();
	}
	http_answer_done(&answer);
	fixture_work_all(f);
}

/*
 * Whether found is as wanted, a JSON value in which the string "*" stands for
 * any value and the member "..." for any other members of an object.
 */
static inline bool fixture_matches(const json_t *wanted, const json_t *found)
{
	const char *text = json_string_value(wanted);
	json_t *member, *object = (json_t *)(uintptr_t)wanted;
	const char *name;
	size_t i;

	if (text && strcmp(text, "*") == 0)
		return found != NULL;
	if (!found || json_typeof(wanted) != json_typeof(found))
		return false;
	if (json_is_object(wanted)) {
		bool more = json_object_get(wanted, "...") != NULL;

		json_object_foreach(object, name, member)
		{
			if (strcmp(name, "...") != 0 &&
				!fixture_matches(
					member, json_object_get(found, name)))
				return false;
		}
		return more ||
		       json_object_size(wanted) == json_object_size(found);
	}
	if (json_is_array(wanted)) {
		json_array_foreach(wanted, i, member)
		{
			if (!fixture_matches(member, json_array_get(found, i)))
				return false;
		}
		return json_array_size(wanted) == json_array_size(found);
	}
	return json_equal(object, (json_t *)(uintptr_t)found) == 1;
}

/* Compare an answer with a status and a JSON text; says what differs. */
static inline void fixture_expect(struct http_answer answer, int status,
	const char *wanted_text, int line)
{
	json_error_t error;
	json_t *wanted = json_loads(wanted_text, JSON_DECODE_ANY, &error);
	bool right =
		answer.status == status && fixture_matches(wanted, answer.json);

	if (!wanted)
		fprintf(stderr, "line %d: %s\n", line, error.text);
	if (!right)
		fprintf(stderr, "line %d: wanted %d %s\nfound %s\n", line,
			status, wanted_text, answer.text);
	json_decref(wanted);
	http_answer_done(&answer);
	if (!right)
		abort();
}

#define EXPECT(answer, status, json)                                           \
	fixture_expect((answer), (status), (json), __LINE__)

/* Compare a refusal with a status, a problem type and a part of its detail. */
static inline void fixture_refused(struct http_answer answer, int status,
	const char *type, const char *part, int line)
{
	const char *found_type =
		json_string_value(json_object_get(answer.json, "type"));
	const char *detail =
		json_string_value(json_object_get(answer.json, "detail"));
	bool right = answer.status == status && found_type && detail &&
		     strcmp(found_type + strlen("/problems/"), type) == 0 &&
		     strstr(detail, part);

	if (!right) {
		fprintf(stderr, "line %d: wanted %d %s '%s'\nfound %s\n", line,
			status, type, part, answer.text);
		abort();
	}
	http_answer_done(&answer);
}

#define REFUSED(answer, status, type, part)                                    \
	fixture_refused((answer), (status), (type), (part), __LINE__)

/* A refused upload has stored no graph. */
static inline void fixture_nothing_stored(struct fixture *f)
{
	EXPECT(fixture_get(f, "/v1/graphs"), 200,
		"{\"graphs\": [], \"next\": null, \"complete\": true}");
	EXPECT(fixture_get(f, "/v1/jobs"), 200,
		"{\"jobs\": [], \"next\": null}");
}

#endif
