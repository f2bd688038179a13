/*
 * One request, from the first header to the completed reply.
 *
 * A handler parses, asks, answers, and does nothing else. It returns 0 after an
 * apsp_reply_…() or apsp_rows_reply() call, or a negative code with err set,
 * which dispatch.c turns into the error reply.
 *
 * Waiting: a handler that must wait for the writer or for a job calls
 * apsp_request_suspend() BEFORE it passes the request to the thread that will
 * resume it, and returns 0 without a reply; after apsp_request_finish() (any
 * thread) the handler is called once more, with its state in req->state.
 */
#ifndef APSP_API_HTTP_REQUEST_H
#define APSP_API_HTTP_REQUEST_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/connection/answer.h"
#include "api/http/reply_format.h"
#include "api/http/server_config.h"
#include "daemon/base/err.h"
#include "daemon/base/name.h"
#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

struct apsp_exchange;
struct apsp_holder;
struct apsp_route;
struct apsp_server;
struct apsp_share;

enum {
	APSP_REQUEST_PARAMS_MAX = 2,
};

enum apsp_method {
	APSP_METHOD_GET, /* and HEAD */
	APSP_METHOD_PUT,
	APSP_METHOD_POST,
	APSP_METHOD_DELETE,
};

/*
 * What a request changes, for the line in the log at its end
 * (api/http/request_end.h). The handler stores the texts that it knows. If
 * after is "" and deleted is false, the revision stays.
 */
struct apsp_change {
	char before[APSP_HASH_SIZE]; /* revision of the graph's newest upload */
	char after[APSP_HASH_SIZE];
	char graph[APSP_NAME_SIZE]; /* where the path does not name it */
	char profile[APSP_NAME_SIZE];
	char rule_before[APSP_PROFILE_TEXT_SIZE]; /* of the profile put */
	char rule_after[APSP_PROFILE_TEXT_SIZE];
	bool deleted; /* there is no graph afterwards */
	bool made;    /* apsp_request_finish() sets it: the store has done it */
};

struct apsp_request {
	struct apsp_server *server;
	struct MHD_Connection *connection;
	const struct apsp_server_config *config; /* the server's, borrowed */
	const struct apsp_route *route;
	enum apsp_method method;
	bool is_head;
	bool in_pool; /* the handler runs on a thread of the pool now */
	enum apsp_reply_format format; /* of the route, by what the client
					  accepts */
	char id[APSP_REQUEST_ID_SIZE]; /* X-Request-Id of the response */

	/* The route's {…} segments in order, percent-decoded, owned. */
	char *params[APSP_REQUEST_PARAMS_MAX];
	size_t n_params;

	/* The whole body of a route that buffers it; NUL-terminated, owned. */
	char *body;
	size_t body_size;

	/* The handler's own data, kept between its calls. */
	void *state;
	void (*state_free)(void *state);

	struct apsp_change change;

	/* For the files of api/http alone. */
	struct apsp_err err; /* the fault of the body, for the answer */
	bool replied;
	unsigned int status;
	int64_t started_ns;
	struct apsp_exchange *exchange;
};

/* Make a request for a raw target. NULL: no memory. */
struct apsp_request *apsp_request_new(struct apsp_server *server,
	struct MHD_Connection *connection, const char *target);
void apsp_request_free(struct apsp_request *req);

/* Store how many connections may be open, and how many of one address. */
void apsp_request_places(
	const struct apsp_request *req, uint32_t *out_all, uint32_t *out_peer);

/*
 * The holder of the request's shares of budgets (daemon/base/budget.h). Close
 * such shares no later than the request or its stream ends.
 */
struct apsp_holder *apsp_request_holder(struct apsp_request *req);

/*
 * Open a share of the budget of answers, for data that the handler keeps. The
 * caller ends *out with apsp_share_close(). APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_request_share(
	struct apsp_request *req, struct apsp_share *out, struct apsp_err *err);

/* A header, or NULL. Borrowed. */
const char *apsp_request_header(
	const struct apsp_request *req, const char *name);

/* Keep members for the problem that may follow; extra is released. */
void apsp_request_extra(struct apsp_request *req, json_t *extra);

/*
 * Call step(req) on a thread of the pool (api/http/work_pool.h) until it
 * returns another value than 1. The connection is suspended meanwhile. Then the
 * handler is called again, and apsp_request_result() returns step's last
 * result. For work that takes milliseconds; one call of step may take a few.
 *
 * After a call in a handler's body(), the next piece comes once the work has
 * ended, and a failure of the work is a failure of the body.
 */
void apsp_request_work(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err));

/*
 * Run a handler that may take milliseconds on the pool. On a connection's
 * thread this fails. The handler then returns the code, and is called again
 * from the start on a thread of the pool, where this returns 0. Call it before
 * the handler stores or replies anything.
 */
int apsp_request_move(struct apsp_request *req, struct apsp_err *err);

/*
 * Let other work have its turn, when a handler has done a part of its work and
 * noted that in req->state. True: the handler must return 0, and is called
 * again on the pool. False, on a connection's thread: the handler goes on.
 */
bool apsp_request_again(struct apsp_request *req);

/*
 * Stop libmicrohttpd from serving this request until apsp_request_finish().
 * past_limit: suspend even if the limit is reached, because the request's work
 * would be lost. APSP_EBUSY: the limit of suspended requests is reached;
 * APSP_ESTOPPING.
 */
int apsp_request_suspend(
	struct apsp_request *req, bool past_limit, struct apsp_err *err);

/*
 * Suspend until job `id` changes state, its progress is APSP_JOB_PROGRESS_STEP
 * from `progress` (NAN: whatever its progress), or deadline_ns
 * (apsp_clock_ns()) passes; then the handler is called again.
 */
int apsp_request_wait_job(struct apsp_request *req, uint64_t id,
	double progress, int64_t deadline_ns, struct apsp_err *err);

/*
 * Store the result of the command that a suspended request waits for, with the
 * error of a negative one, and resume the request. Any thread.
 */
void apsp_request_finish(
	struct apsp_request *req, int result, const struct apsp_err *err);

/* The result that apsp_request_finish() stored; its error is stored in err. */
int apsp_request_result(const struct apsp_request *req, struct apsp_err *err);

#endif
