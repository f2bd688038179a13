/*
 * Structs that only the files of api/http use; handlers do not see them. The
 * main structs are the server (struct apsp_server), and the server's side of
 * one request (struct apsp_exchange). A struct apsp_exchange lives from the
 * request line to the last byte of the reply.
 */
#ifndef APSP_API_HTTP_INTERNAL_H
#define APSP_API_HTTP_INTERNAL_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/access/tokens.h"
#include "api/connection/event_threads.h"
#include "api/connection/answer.h"
#include "api/connection/suspended.h"
#include "api/encode/text.h"
#include "api/http/reply_format.h"
#include "api/http/server_config.h"
#include "api/http/work_pool.h"
#include "daemon/base/err.h"

struct apsp_acceptor;
struct apsp_connection;
struct apsp_connections;
struct apsp_request_counts;
struct apsp_request;

enum {
	APSP_REPLY_HEADERS_MAX = 8,
	APSP_EXPRESS_HEAD_MAX = 2048, /* bytes */
	APSP_EXPRESS_FIELDS_MAX = 24,
};

struct apsp_server {
	struct apsp_server_config config;
	struct MHD_Daemon *daemon;
	struct apsp_event_threads event_threads; /* the threads of `daemon` */
	struct apsp_connections *connections;
	struct apsp_suspended *suspended;
	struct apsp_work_pool *pool;
	struct apsp_request_counts *counts;
	struct apsp_acceptor *acceptor;
	atomic_bool stopping;
	struct apsp_request_ids ids;
};

struct apsp_pair_text {
	char *name;
	char *value;
};

/* A copy of the head of a GET, with a NUL behind each of its parts. */
struct apsp_express_head {
	char text[APSP_EXPRESS_HEAD_MAX];
	const struct apsp_head
		*parts; /* positions of the head's parts in `text` */
	uint32_t n_fields;
};

enum apsp_work_state {
	APSP_WORK_ENDED,  /* the work has ended, or there has been no work */
	APSP_WORK_BESIDE, /* the work runs beside the connection, which receives
			     more bytes meanwhile */
	APSP_WORK_AWAITED, /* the connection is suspended until the work ends */
};

struct apsp_exchange {
	struct apsp_connection *conn;
	const struct apsp_express_head *express; /* the request's headers; NULL:
						    libmicrohttpd has them */
	struct apsp_text answer; /* body of an answer that is sent without
				    libmicrohttpd */
	const char *type; /* media type of `answer`; NULL: there is no body */
	char *target;	  /* the raw target of the request line, owned */
	/* name of the request's token; "" if the request has none or needs
	   none */
	char token[APSP_TOKEN_NAME_SIZE];
	char method[16];  /* method as the client wrote it; "" until the head is
			     read */
	char *query_text; /* copy of the query, which apsp_query_parse() splits
			     and decodes in place; owned */
	struct apsp_pair_text arguments[APSP_ARGUMENTS_MAX + 1];
	size_t n_arguments;

	struct apsp_pair_text headers[APSP_REPLY_HEADERS_MAX]; /* owned */
	size_t n_headers;
	bool has_etag;
	const char *origin; /* the allowed origin of the page that sent the
			       request; borrowed; NULL: none */
	bool preflight; /* a preflight (CORS): a browser asks whether a page of
			   `origin` may send a request */
	bool close;	/* the connection ends after the reply */
	bool refused;	/* a refusal was sent before all of the body had come */

	struct apsp_suspension suspension;
	bool judged; /* the head was checked before libmicrohttpd received it.
			If the guard or the handler has refused the request,
			req->err has the reason */
	bool seen; /* libmicrohttpd has called on_handle() (dispatch.c) once */
	bool suspended; /* the handler has suspended the request during its
			   present call */
	int64_t announced_bytes; /* size of the body according to the head; -1:
				    the body comes in chunks; 0: no body */
	uint64_t body_bytes; /* number of bytes of the body that have come */
	uint64_t unwanted_bytes; /* number of bytes of the body that have come
				    since an error was found */
	int64_t body_started_ns;
	/* longest time for which the client is allowed to be silent while its
	   body comes, counted from waiting_since_ns */
	int64_t allowance_ns;
	int64_t waiting_since_ns; /* time at which we began to wait for the next
				     bytes of the body */
	struct apsp_work work;	  /* the pool's work for this request */
	int (*work_step)(struct apsp_request *req, struct apsp_err *err);
	/* the state of `work`: an enum apsp_work_state */
	atomic_int work_state;
	/* body() has got a piece of the body, and apsp_request_body_collect()
	   has not yet read the result of the work on this piece */
	bool body_work;
	/* The following members are for handlers whose answers take long. */
	bool moving; /* the handler has asked to run on the pool */
	bool pooled; /* the handler runs on the pool, or has run there */
	bool again;  /* the handler wants to be called again */
	int waits; /* APSP_WORK_WAITS or APSP_WORK_WAITS_ROWS (work_pool.h): the
		      handler or the stream waits for memory or for rows; 0: it
		      waits for neither */
	/* the streamed reply that waits for memory; NULL: none (stream.c) */
	void *stream;
	int (*stream_begin)(struct apsp_request *req, struct apsp_err *err);
	void (*stream_free)(void *stream);
	/* the finished reply, until dispatch.c passes it to libmicrohttpd;
	   NULL: none */
	struct MHD_Response *held;
	size_t body_capacity;
	int64_t wait_until_ns; /* the time at which the wait of ?wait= ends; 0:
				  not computed yet (apsp_query_deadline()) */
	bool is_long;	 /* apsp_request_may_last() has admitted the request */
	uint64_t moment; /* the result of apsp_suspended_now() just before the
			    handler was last called */

	json_t *extra; /* members to add to the reply, if it is a problem */
	int result; /* result of the store's command or of the pool's work; if
		       the result is negative, result_err has the error */
	struct apsp_err result_err;
};

/*
 * Whether the request's peer may have one more long request
 * (apsp_connections_may_last()). A request that was admitted is not judged
 * again. Call this function before the request waits, or before its body is
 * read.
 */
bool apsp_request_may_last(const struct apsp_request *req);

#endif
