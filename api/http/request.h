/*
 * One request, from the first header to the completed reply.
 *
 * A handler reads the request, lets functions of other directories do the work,
 * and replies through apsp_reply_…() or apsp_rows_reply(). Then it returns 0.
 * If it fails, it fills *err instead, and returns the negative code of *err;
 * dispatch.c then replies with this error.
 *
 * A handler that must wait for the store's writer calls apsp_request_suspend()
 * BEFORE it passes a command to the writer. Then the handler returns 0 without
 * a reply. When the writer has executed the command, apsp_request_finish() is
 * called. The handler is then called once more, with its state in req->state. A
 * handler that must wait for a job calls apsp_request_wait_job() and returns 0.
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
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

struct apsp_exchange;
struct apsp_holder;
struct apsp_route;
struct apsp_server;
struct apsp_share;

enum {
	APSP_REQUEST_PARAMS_MAX = 2,
};

enum apsp_method {
	APSP_METHOD_GET, /* GET or HEAD */
	APSP_METHOD_PUT,
	APSP_METHOD_POST,
	APSP_METHOD_PATCH,
	APSP_METHOD_DELETE,
};

/* The rules of a profile before and after a change. A text is "" if the rule is
   not known. */
struct apsp_change_rules {
	char before[APSP_PROFILE_TEXT_SIZE]; /* the profile's rule before a PUT
						of this profile */
	char after[APSP_PROFILE_TEXT_SIZE];
};

/* The change that a request makes, for the request's line in the log
   (api/http/request_end.h). The handler fills in the members that it knows. If
   `after` is "" and `deleted` is false, the revision does not change. */
struct apsp_change {
	char before[APSP_HASH_SIZE]; /* revision of the graph's newest upload
					before the change */
	char after[APSP_HASH_SIZE];
	char graph[APSP_NAME_SIZE]; /* name of the graph, if the request's path
				       does not have it */
	char profile[APSP_NAME_SIZE];
	/* NULL until apsp_command_condition() allocates it, because most
	   requests change nothing and need no rules; owned */
	struct apsp_change_rules *rules;
	bool deleted; /* the change deletes the graph */
	bool made;    /* the store has made the change; set by
			 apsp_request_finish() */
};

struct apsp_request {
	struct apsp_server *server;
	struct MHD_Connection
		*connection; /* NULL until libmicrohttpd has the request */
	const struct apsp_server_config
		*config; /* configuration of the server, borrowed */
	const struct apsp_route *route;
	enum apsp_method method;
	bool is_head;
	bool in_pool; /* the handler is running on a thread of the pool */
	enum apsp_reply_format format; /* one of the route's formats, chosen by
					  ?format= or Accept */
	char id[APSP_REQUEST_ID_SIZE]; /* X-Request-Id of the reply */

	/* The segments of the path that stand for the {…} of the route's
	   pattern, in the same order, percent-decoded; owned. */
	char *params[APSP_REQUEST_PARAMS_MAX];
	size_t n_params;

	/* The whole body, if the route's body_mode is APSP_BODY_BUFFER;
	   NUL-terminated, owned. */
	char *body;
	size_t body_size;

	/* The handler's own data, kept between its calls. */
	void *state;
	void (*state_free)(void *state);

	/* The rows (such as the distances from one vertex) that were ready when
	   the handler began to wait for other rows (api/row_reading.c). They
	   are kept even if the handler begins again from its start. */
	void *awaited;
	void (*awaited_free)(void *awaited);

	struct apsp_change change;

	/* A handler sets this if the answer to this URL never changes and has
	   an ETag. Browsers may then keep the answer for ever. */
	bool immutable;

	/* The following members are only for the files of api/http. */
	struct apsp_err err; /* the error that the reply reports */
	bool replied;
	unsigned int status;
	int64_t started_ns;
	struct apsp_exchange *exchange;
};

/* Make a request with a raw target. Returns NULL if there is no memory. */
struct apsp_request *apsp_request_new(
	struct apsp_server *server, const char *target);

/* Free a request. Accepts NULL. */
void apsp_request_free(struct apsp_request *req);

/* Store in *out_all the limit of open connections, and in *out_peer the limit
   of open connections of one address. */
void apsp_request_places(
	const struct apsp_request *req, uint32_t *out_all, uint32_t *out_peer);

/*
 * Returns the owner of the budget shares that this request opens: the client
 * (daemon/base/budget.h). The caller closes all these shares before the request
 * and its stream have ended.
 */
struct apsp_holder *apsp_request_holder(struct apsp_request *req);

/*
 * Open a share of the memory budget that all answers use together. The share is
 * for memory that the handler keeps. The caller ends *out with
 * apsp_share_close(). APSP_EBUSY: the budget has its largest number of shares.
 * APSP_ENOMEM.
 */
int apsp_request_share(
	struct apsp_request *req, struct apsp_share *out, struct apsp_err *err);

/*
 * Make the handler's state: req->state points to `size` bytes of zeros, which
 * state_free() will free. Returns the state. NULL: there is no memory, and *err
 * has APSP_ENOMEM.
 */
void *apsp_request_state(struct apsp_request *req, size_t size,
	void (*state_free)(void *state), struct apsp_err *err);

/* Returns the value of a header; NULL: the request does not have it. If the
   request has the header several times, this is the first one's value.
   Borrowed. */
const char *apsp_request_header(
	const struct apsp_request *req, const char *name);

/*
 * Returns the value of a header's next occurrence; NULL: there is no other.
 * *at is 0 before the first call. A header that is a list, such as Accept, may
 * be divided over several occurrences (RFC 9110, section 5.3). Borrowed.
 */
const char *apsp_request_header_next(
	const struct apsp_request *req, const char *name, size_t *at);

/* Add the members of `extra` to the reply if the reply is a problem. `extra` is
   released. */
void apsp_request_extra(struct apsp_request *req, json_t *extra);

/*
 * Call step(req) on threads of the pool until the work has ended. step()
 * returns the same codes as the function step() of struct apsp_work
 * (api/http/work_pool.h). One call should take a few milliseconds at most. The
 * connection is suspended until the work has ended. The handler is then called
 * again, and apsp_request_result() returns the last result of step(). After
 * this call, the caller must not read or change what step() uses, because the
 * work may be running or may have ended.
 *
 * If a handler's body() calls this function, body() gets the next piece of the
 * body only when the work has ended. A failure of the work counts as a failure
 * of body().
 */
void apsp_request_work(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err));

/*
 * Like apsp_request_work(), but the connection is not suspended: body() gets
 * further pieces of the body while the pool works. So step() must not use the
 * data that body() uses. Call this only in body(), and only if earlier work of
 * the request has ended and apsp_request_result() is not negative. The handler
 * is called only when the work has ended.
 */
void apsp_request_work_beside(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err));

/* Whether work that apsp_request_work_beside() has started is still running,
   and the connection is not suspended. */
bool apsp_request_works_beside(const struct apsp_request *req);

/* Suspend the connection until the work of apsp_request_work_beside() has
   ended. The work may have ended before this call. */
void apsp_request_await_work(struct apsp_request *req);

/*
 * Make sure that a handler runs on the pool, because its work can take
 * milliseconds. On a connection's thread, this function fails, and the handler
 * must return the code. The handler is then called again from its start, on a
 * thread of the pool. On such a thread, this function returns 0. A handler
 * calls this function before it replies or stores any result.
 */
int apsp_request_move(struct apsp_request *req, struct apsp_err *err);

/*
 * Let the pool do other work before a handler continues. The handler calls this
 * when it has done a part of its work and stored its progress in req->state.
 * True: the handler must return 0, and will be called again on the pool. False:
 * the handler runs on a connection's thread, and must continue.
 */
bool apsp_request_again(struct apsp_request *req);

/* Call part(ctx, i, err) once for each i below n, at the same time on idle
   threads of the pool (apsp_work_pool_parts()). Call this only in a handler
   that runs on the pool. */
int apsp_request_parts(struct apsp_request *req, unsigned int n,
	int (*part)(void *ctx, unsigned int i, struct apsp_err *err), void *ctx,
	struct apsp_err *err);

/*
 * Let a handler that runs on the pool wait for memory. The handler has just
 * tried to reserve memory in the budget of answers, and `r` is the result. This
 * function returns `r`. If `r` is APSP_EBUSY, the handler must return this
 * code. The handler is then called again with the same req->state until it
 * returns another result. If it returns no other result within memory_wait_s
 * seconds (limits.def), the reply is APSP_EBUSY. If req->state is NULL, each
 * call begins from the handler's start.
 */
int apsp_request_wait_memory(struct apsp_request *req, int r);

/*
 * Let a handler wait until rows of a graph without tables are computed (a row
 * has values of one kind, enum apsp_demand, for one vertex), at most row_wait_s
 * seconds (limits.def).
 * In all other respects, this function does the same as
 * apsp_request_wait_memory(). If the handler runs on a connection's thread, the
 * request moves to the pool. The handler must return the result of this
 * function.
 */
int apsp_request_wait_rows(struct apsp_request *req, struct apsp_err *err);

/*
 * Suspend the request until apsp_request_finish() is called. If `past_limit` is
 * true, the limit of suspended requests is ignored. Set past_limit if a refusal
 * would waste work that has been done for the request. APSP_EBUSY: the limit is
 * reached. APSP_ESTOPPING: the server stops.
 */
int apsp_request_suspend(
	struct apsp_request *req, bool past_limit, struct apsp_err *err);

/*
 * Suspend the request, and call the handler again when one of these events has
 * happened: the state of job `id` changes; the job's progress differs from
 * `progress` by APSP_JOB_PROGRESS_STEP or more (if `progress` is NAN, this
 * never happens); apsp_clock_ns() reaches deadline_ns. APSP_EBUSY also: the
 * peer has too many long requests. Also fails as apsp_request_suspend() does.
 */
int apsp_request_wait_job(struct apsp_request *req, uint64_t id,
	double progress, int64_t deadline_ns, struct apsp_err *err);

/*
 * Suspend the request, and call the handler again when the list of graphs has
 * changed since the handler was called, or when apsp_clock_ns() reaches
 * deadline_ns. Fails as apsp_request_wait_job() does.
 */
int apsp_request_wait_graphs(
	struct apsp_request *req, int64_t deadline_ns, struct apsp_err *err);

/*
 * Resume a request that was suspended because it waited for a command of the
 * store. `result` is that command's result, and is stored for the handler. *err
 * is read only if `result` is negative. Any thread may call this function.
 */
void apsp_request_finish(
	struct apsp_request *req, int result, const struct apsp_err *err);

/* Returns the result that apsp_request_finish() or the pool's work has stored.
   If the result is negative, this function stores the error in *err. */
int apsp_request_result(const struct apsp_request *req, struct apsp_err *err);

#endif
