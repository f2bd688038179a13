/*
 * One request, from the first header to the completed reply.
 *
 * A handler parses, asks, answers, and does nothing else. It returns 0 after an
 * apsp_reply_…() call, or a negative code with err set, which server.c turns
 * into the error reply.
 *
 * Waiting: a handler that must wait for the writer or for a job calls
 * apsp_request_suspend() BEFORE it hands the request to whoever will resume it,
 * and returns 0 without a reply; after apsp_request_resume() (any thread) the
 * handler is called once more, with its state in req->state.
 */
#ifndef APSP_API_REQUEST_H
#define APSP_API_REQUEST_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/server.h"
#include "daemon/base/err.h"
#include "daemon/base/profile.h"
#include "storage/graphs.h"
#include "storage/store.h"

enum {
	APSP_REQUEST_PARAMS_MAX = 2,
	APSP_REQUEST_ID_SIZE = 17,
};

enum apsp_method {
	APSP_METHOD_GET, /* and HEAD */
	APSP_METHOD_PUT,
	APSP_METHOD_POST,
	APSP_METHOD_DELETE,
};

struct apsp_request {
	struct apsp_server *server;
	struct MHD_Connection *connection;
	const struct apsp_route *route;
	enum apsp_method method;
	bool is_head;
	char id[APSP_REQUEST_ID_SIZE]; /* X-Request-Id of the response */

	/* The route's {…} segments in order, percent-decoded, owned. */
	char *params[APSP_REQUEST_PARAMS_MAX];
	size_t n_params;

	/* The whole body of a route that buffers it; NUL-terminated, owned. */
	char *body;
	size_t body_size;

	/* The handler's own, across the body's pieces and a suspension. */
	void *state;
	void (*state_free)(void *state);

	/* server.c's own below. */
	struct apsp_err err; /* of a failed body piece, answered at the end */
	bool replied;
	unsigned int status;
	int64_t started_ns;
	struct apsp_request_server *internal;
};

/* What the server was started with, borrowed. */
const struct apsp_server_config *apsp_request_config(
	const struct apsp_request *req);
struct apsp_store *apsp_request_store(const struct apsp_request *req);
struct apsp_worker *apsp_request_worker(const struct apsp_request *req);

/* A query argument, decoded; NULL if it is missing. Borrowed. */
const char *apsp_request_query(
	const struct apsp_request *req, const char *name);

/* A header, or NULL. Borrowed. */
const char *apsp_request_header(
	const struct apsp_request *req, const char *name);

/*
 * A query argument as a number in [min, max]; fallback where it is missing.
 * APSP_EMALFORMED names the argument and what was expected.
 */
int apsp_request_query_uint(const struct apsp_request *req, const char *name,
	uint64_t min, uint64_t max, uint64_t fallback, uint64_t *out,
	struct apsp_err *err);

/*
 * APSP_EMALFORMED if the query has an argument that is none of names (NULL-
 * terminated), so that a misspelt option is never ignored.
 */
int apsp_request_query_only(const struct apsp_request *req,
	const char *const *names, struct apsp_err *err);

/* The graph of params[0]; the caller unreferences the view. */
int apsp_request_view(struct apsp_request *req,
	const struct apsp_graph_view **out, struct apsp_err *err);

/* Everything a read of tables needs; ended with apsp_reading_done(). */
struct apsp_reading {
	const struct apsp_graph_view *view; /* owned */
	const struct apsp_generation *generation;
	const struct apsp_profile_view *profile;
	struct apsp_tables *tables;
};

/* Resolve {graph} and ?profile=. Errors as apsp_graph_view_tables(). */
int apsp_request_reading(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err);
void apsp_reading_done(struct apsp_reading *reading);

/*
 * The index of a vertex label. APSP_ENOVERTEX: "'x' is not in graph 'g'"; the
 * reply adds suggestions.
 */
int apsp_reading_vertex(struct apsp_request *req,
	const struct apsp_reading *reading, const char *label, uint32_t *out,
	struct apsp_err *err);

/*
 * Stop MHD from serving this request until apsp_request_resume(). APSP_EBUSY:
 * the limit of waiters; APSP_ESTOPPING.
 */
int apsp_request_suspend(struct apsp_request *req, struct apsp_err *err);
void apsp_request_resume(struct apsp_request *req);

/*
 * A completion that stores a command's result in the request and resumes it:
 * suspend first, then hand this over. When the handler is called again,
 * apsp_request_result() gives what the command reported.
 */
struct apsp_done apsp_request_done(struct apsp_request *req);
int apsp_request_result(struct apsp_request *req, struct apsp_err *err);

/* The clock of deadlines: CLOCK_MONOTONIC in nanoseconds. */
int64_t apsp_now_ns(void);

/*
 * Suspend until job `id` changes state or progress, or deadline_ns
 * (apsp_now_ns()) passes; then the handler is called again.
 */
int apsp_request_wait_job(struct apsp_request *req, uint64_t id,
	int64_t deadline_ns, struct apsp_err *err);

/* If-Match and If-None-Match as a precondition; *out borrows from req. */
int apsp_request_precondition(struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err);

/* The profile options of the query (transform, duplicates, …). */
int apsp_request_profile(struct apsp_request *req, struct apsp_profile *out,
	struct apsp_err *err);

#endif
