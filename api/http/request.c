/*
 * One request; see request.h.
 */
#include "api/http/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/connection/connections.h"
#include "api/http/internal.h"
#include "daemon/base/clock.h"

/* A request and the server's side of it, which are allocated together. */
struct both {
	struct apsp_request req;
	struct apsp_exchange exchange;
};

struct apsp_request *apsp_request_new(
	struct apsp_server *server, const char *target)
{
	struct both *both = calloc(1, sizeof(*both));
	struct apsp_request *req;

	if (!both)
		return NULL;
	req = &both->req;
	req->exchange = &both->exchange;
	req->exchange->target = strdup(target ? target : "");
	if (!req->exchange->target) {
		free(both);
		return NULL;
	}
	req->server = server;
	req->config = &server->config;
	req->started_ns = apsp_clock_ns();
	apsp_request_id_next(&server->ids, req->id);
	return req;
}

void apsp_request_free(struct apsp_request *req)
{
	struct apsp_exchange *x;

	if (!req)
		return;
	x = req->exchange;
	if (req->state && req->state_free)
		req->state_free(req->state);
	if (req->awaited)
		req->awaited_free(req->awaited);
	for (size_t i = 0; i < req->n_params; i++)
		free(req->params[i]);
	free(req->body);
	for (size_t i = 0; i < x->n_headers; i++) {
		free(x->headers[i].name);
		free(x->headers[i].value);
	}
	if (x->stream)
		x->stream_free(x->stream);
	if (x->held)
		MHD_destroy_response(x->held);
	json_decref(x->extra);
	apsp_text_done(&x->answer);
	free(x->query_text);
	free(x->target);
	free(req->change.rules);
	free(req); /* free the whole `struct both`, whose first member is
		    *req */
}

void apsp_request_places(
	const struct apsp_request *req, uint32_t *out_all, uint32_t *out_peer)
{
	const struct apsp_connections_counts counts =
		apsp_connections_count(req->server->connections);

	*out_all = counts.max_open;
	*out_peer = counts.max_peer_open;
}

struct apsp_holder *apsp_request_holder(struct apsp_request *req)
{
	return &req->exchange->conn->holder;
}

int apsp_request_share(
	struct apsp_request *req, struct apsp_share *out, struct apsp_err *err)
{
	return apsp_share_open(
		req->config->answers, apsp_request_holder(req), 0, out, err);
}

void *apsp_request_state(struct apsp_request *req, size_t size,
	void (*state_free)(void *state), struct apsp_err *err)
{
	req->state = calloc(1, size);
	req->state_free = state_free;
	if (!req->state)
		apsp_fail(err, APSP_ENOMEM, "out of memory");
	return req->state;
}

/* The search for an occurrence of a header among libmicrohttpd's headers. */
struct occurrence {
	const char *name;
	size_t n_before; /* number of earlier occurrences still to be skipped */
	const char *value;
};

static enum MHD_Result on_header(
	void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct occurrence *sought = cls;

	(void)kind;
	if (strcasecmp(name, sought->name) != 0 || sought->n_before-- > 0)
		return MHD_YES;
	sought->value = value ? value : "";
	return MHD_NO;
}

const char *apsp_request_header_next(
	const struct apsp_request *req, const char *name, size_t *at)
{
	const struct apsp_express_head *head = req->exchange->express;
	struct occurrence sought = {name, *at, NULL};
	size_t size = strlen(name);

	if (!head) {
		MHD_get_connection_values(
			req->connection, MHD_HEADER_KIND, on_header, &sought);
		++*at;
		return sought.value;
	}
	while (*at < head->n_fields) {
		const struct apsp_head_part *found = &head->parts->names[*at];
		const struct apsp_head_part *value =
			&head->parts->values[(*at)++];

		if (found->size == size &&
			strncasecmp(head->text + found->at, name, size) == 0)
			return head->text + value->at;
	}
	return NULL;
}

const char *apsp_request_header(
	const struct apsp_request *req, const char *name)
{
	size_t at = 0;

	if (!req->exchange->express)
		return MHD_lookup_connection_value(
			req->connection, MHD_HEADER_KIND, name);
	return apsp_request_header_next(req, name, &at);
}

void apsp_request_extra(struct apsp_request *req, json_t *extra)
{
	json_decref(req->exchange->extra);
	req->exchange->extra = extra;
}

/* Suspend the request's connection. While it is suspended, the client has no
   deadline, because the client waits for us. */
static int suspend(struct apsp_request *req, const struct apsp_wait *wait,
	bool past_limit, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	int r;

	x->conn->deadline_ns = APSP_NO_DEADLINE;
	r = apsp_suspended_add(req->server->suspended, req->connection, x->conn,
		wait, past_limit, &x->suspension, err);
	x->suspended = r == 0;
	return r;
}

int apsp_request_suspend(
	struct apsp_request *req, bool past_limit, struct apsp_err *err)
{
	return suspend(req, &(struct apsp_wait){0}, past_limit, err);
}

void apsp_request_finish(
	struct apsp_request *req, int result, const struct apsp_err *err)
{
	req->exchange->result = result;
	req->change.made = result >= 0;
	if (result < 0 && err)
		req->exchange->result_err = *err;
	apsp_suspended_resume(
		req->server->suspended, &req->exchange->suspension);
}

/* Resume the connection, because the work has ended. After this call, the
   request may end and be freed at any moment. */
static void resume(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	if (x->body_work) {
		/* from now on we wait for the client again */
		x->waiting_since_ns = apsp_clock_ns();
		apsp_pace_wait(&x->conn->pace, x->waiting_since_ns);
		x->conn->deadline_ns = x->waiting_since_ns + x->allowance_ns;
	}
	MHD_resume_connection(req->connection);
}

static int work_step(void *ctx, struct apsp_err *err)
{
	struct apsp_request *req = ctx;

	return req->exchange->work_step(req, err);
}

static void work_done(void *ctx, int result, const struct apsp_err *err)
{
	struct apsp_request *req = ctx;
	struct apsp_exchange *x = req->exchange;

	x->result = result;
	if (result < 0)
		x->result_err = *err;
	/* do not use the request after this exchange unless the connection is
	   suspended: otherwise its thread may free the request as soon as
	   work_state has changed */
	if (atomic_exchange(&x->work_state, APSP_WORK_ENDED) ==
		APSP_WORK_AWAITED)
		resume(req);
}

static void work_add(struct apsp_request *req, enum apsp_work_state state,
	int (*step)(struct apsp_request *req, struct apsp_err *err))
{
	struct apsp_exchange *x = req->exchange;

	x->work_step = step;
	x->work = (struct apsp_work){
		.step = work_step,
		.done = work_done,
		.ctx = req,
		.fd = x->conn->fd,
	};
	atomic_store(&x->work_state, state);
	apsp_work_pool_add(req->server->pool, &x->work);
}

/* Suspend the connection while the pool works. During this time, the client has
   no deadline. */
static void wait_for_pool(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	x->suspended = true;
	x->conn->deadline_ns = APSP_NO_DEADLINE;
	apsp_pace_moved(&x->conn->pace, 0, apsp_clock_ns());
	MHD_suspend_connection(req->connection);
}

void apsp_request_work(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err))
{
	wait_for_pool(req);
	work_add(req, APSP_WORK_AWAITED, step);
}

void apsp_request_work_beside(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err))
{
	work_add(req, APSP_WORK_BESIDE, step);
}

bool apsp_request_works_beside(const struct apsp_request *req)
{
	return atomic_load(&req->exchange->work_state) == APSP_WORK_BESIDE;
}

void apsp_request_await_work(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;
	int beside = APSP_WORK_BESIDE;

	wait_for_pool(req);
	if (!atomic_compare_exchange_strong(
		    &x->work_state, &beside, APSP_WORK_AWAITED))
		resume(req); /* the work ended before this call could change
				work_state, so nobody else resumes the
				connection */
}

int apsp_request_move(struct apsp_request *req, struct apsp_err *err)
{
	if (req->in_pool)
		return 0;
	req->exchange->moving = true;
	return apsp_fail(err, APSP_EBUSY, "the request moves to the pool");
}

bool apsp_request_again(struct apsp_request *req)
{
	req->exchange->again = req->in_pool;
	return req->in_pool;
}

int apsp_request_parts(struct apsp_request *req, unsigned int n,
	int (*part)(void *ctx, unsigned int i, struct apsp_err *err), void *ctx,
	struct apsp_err *err)
{
	return apsp_work_pool_parts(req->server->pool, n, part, ctx, err);
}

int apsp_request_wait_memory(struct apsp_request *req, int r)
{
	if (req->in_pool && r == APSP_EBUSY)
		req->exchange->waits = APSP_WORK_WAITS;
	return r;
}

int apsp_request_wait_rows(struct apsp_request *req, struct apsp_err *err)
{
	int r = apsp_request_move(req, err);

	if (r < 0)
		return r;
	req->exchange->work.row_wait_s = req->config->limits.row_wait_s;
	req->exchange->waits = APSP_WORK_WAITS_ROWS;
	return apsp_fail(err, APSP_EBUSY,
		"the graph has no tables, and the rows of this question are "
		"still being computed; ask again later");
}

int apsp_request_result(const struct apsp_request *req, struct apsp_err *err)
{
	int result = req->exchange->result;

	if (result < 0 && err)
		*err = req->exchange->result_err;
	return result;
}

bool apsp_request_may_last(const struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	x->is_long = x->is_long || apsp_connections_may_last(
					   req->server->connections, x->conn);
	return x->is_long;
}

int apsp_request_wait_job(struct apsp_request *req, uint64_t id,
	double progress, int64_t deadline_ns, struct apsp_err *err)
{
	const struct apsp_wait wait = {
		id, req->exchange->moment, deadline_ns, progress};

	if (!apsp_request_may_last(req))
		return apsp_fail(err, APSP_EBUSY,
			"too many requests are under way; ask without wait, or "
			"again later");
	return suspend(req, &wait, false, err);
}

int apsp_request_wait_graphs(
	struct apsp_request *req, int64_t deadline_ns, struct apsp_err *err)
{
	return apsp_request_wait_job(
		req, APSP_WAIT_GRAPHS, (double)NAN, deadline_ns, err);
}
