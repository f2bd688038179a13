/*
 * Structs that the files of this room share and handlers do not see: the
 * server, and the server's side of one request, from the request line to the
 * last byte of the reply.
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
	APSP_ARGUMENTS_MAX = 32,
	APSP_REPLY_HEADERS_MAX = 8,
	APSP_EXPRESS_HEAD_MAX = 2048, /* bytes */
	APSP_EXPRESS_FIELDS_MAX = 24,
};

struct apsp_server {
	struct apsp_server_config config; /* apsp_server_config_copy() */
	struct MHD_Daemon *daemon;
	struct apsp_event_threads event_threads; /* the daemon's */
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

/* The head of a request on the express way, cut into texts. */
struct apsp_express_head {
	char text[APSP_EXPRESS_HEAD_MAX];
	const struct apsp_head *parts; /* of the connection's framing */
	uint32_t n_fields;
};

struct apsp_exchange {
	struct apsp_connection *conn;
	const struct apsp_express_head *express; /* NULL: libmicrohttpd's */
	struct apsp_text answer; /* on the express way: the answer's body … */
	const char *type;	 /* … and its media type; NULL: no body */
	char *target;		 /* the raw request target, owned */
	/* the name of the request's token; "" if it has none or needs none */
	char token[APSP_TOKEN_NAME_SIZE];
	char method[16];  /* the method as the client wrote it; "" before it is
			     known */
	char *query_text; /* the query, split and decoded in place, owned */
	struct apsp_pair_text arguments[APSP_ARGUMENTS_MAX];
	size_t n_arguments;

	struct apsp_pair_text headers[APSP_REPLY_HEADERS_MAX]; /* owned */
	size_t n_headers;
	bool has_etag;
	bool immutable;	    /* apsp_reply_immutable() */
	const char *origin; /* the allowed origin of the page that asks;
			       borrowed; NULL: none */
	bool preflight; /* a browser asks whether a page of that origin may */
	bool close;	/* end the connection after the reply */
	bool refused; /* the refusal was sent while the body was still coming */

	struct apsp_suspension suspension;
	bool seen;	/* the handler's first call is over */
	bool suspended; /* the handler's present call suspended the request */
	uint64_t body_bytes;	 /* received so far */
	uint64_t unwanted_bytes; /* received since a fault was found */
	int64_t body_started_ns;
	/* of a streamed body: for how long the client may be silent, and
	   since when we wait for it */
	int64_t allowance_ns;
	int64_t waiting_since_ns;
	struct apsp_work work; /* for the pool, while suspended */
	int (*work_step)(struct apsp_request *req, struct apsp_err *err);
	bool body_work; /* the work is for a piece of the body */
	/* a handler that runs on the pool: */
	bool moving;		   /* it asked for that */
	bool pooled;		   /* it runs there, or has run there */
	bool again;		   /* it wants to be called again */
	struct MHD_Response *held; /* its reply, until the resume */
	size_t body_capacity;
	uint64_t moment; /* apsp_suspended_now() before the present call */

	json_t *extra; /* more members for the problem that may follow */
	int result;    /* the result of a command or of work, with its error */
	struct apsp_err result_err;
};

#endif
