/*
 * What the server's own files share and handlers do not see: the server, and
 * its side of one request from the request line to the last byte of the reply.
 */
#ifndef APSP_API_EXCHANGE_H
#define APSP_API_EXCHANGE_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdatomic.h>

#include "api/request.h"
#include "api/server.h"

struct apsp_acceptor;
struct apsp_conn;
struct apsp_reaper;
struct apsp_waiters;

enum {
	APSP_ARGUMENTS_MAX = 32,
	APSP_REPLY_HEADERS_MAX = 8,
	APSP_RETRY_AFTER_S = 1,
};

struct apsp_server {
	struct apsp_server_config config; /* arrays and strings are ours */
	struct MHD_Daemon *daemon;
	struct apsp_reaper *reaper;
	struct apsp_waiters *waiters;
	struct apsp_acceptor *acceptor;
	atomic_bool stopping;
	atomic_uint_fast64_t next_id;
};

struct apsp_pair_text {
	char *name;
	char *value;
};

struct apsp_request_server {
	struct apsp_conn *conn;
	char *target;	  /* the raw request target, owned */
	char *query_text; /* its query, split and decoded in place, owned */
	struct apsp_pair_text arguments[APSP_ARGUMENTS_MAX];
	size_t n_arguments;

	struct apsp_pair_text headers[APSP_REPLY_HEADERS_MAX]; /* owned */
	size_t n_headers;
	bool has_etag;
	bool ndjson; /* what the client accepts */
	bool close;  /* end the connection after the reply */
	bool linger; /* the client may still be sending when we close */

	bool seen;	     /* the handler's first call is over */
	bool suspended;	     /* during the handler's present call */
	uint64_t body_bytes; /* received so far */
	int64_t body_started_ns;
	size_t body_capacity;
	char *tag;	 /* of If-Match, owned */
	uint64_t moment; /* apsp_waiters_now() before the present call */

	json_t *extra; /* members of the problem that may follow */
	int result;    /* of a command, with its error */
	struct apsp_err result_err;
};

/* A new request for a raw target; NULL: no memory. */
struct apsp_request *apsp_request_new(struct apsp_server *server,
	struct MHD_Connection *connection, const char *target);
void apsp_request_free(struct apsp_request *req);

/*
 * Split and decode the query of req->internal->target. APSP_EMALFORMED: bad
 * percent-encoding, %00, not UTF-8, an argument twice, or too many.
 */
int apsp_request_parse_query(struct apsp_request *req, struct apsp_err *err);

/*
 * Decode percent-encoding in place, '+' as a blank if plus is set.
 * APSP_EMALFORMED: not two hexadecimal digits, %00, or not UTF-8.
 */
int apsp_percent_decode(char *text, bool plus, struct apsp_err *err);

/*
 * Decide between JSON and NDJSON by ?format= and Accept. APSP_ENOTACCEPTABLE;
 * APSP_EMALFORMED: a format that does not exist.
 */
int apsp_request_negotiate(struct apsp_request *req, struct apsp_err *err);

/* Keep members for the problem that may follow (taken over). */
void apsp_request_extra(struct apsp_request *req, json_t *extra);

/*
 * Queue a response with the headers that every reply has. size_bytes gives a
 * slow reader its time; the response is taken over.
 */
int apsp_reply_queue(struct apsp_request *req, unsigned int status,
	struct MHD_Response *response, uint64_t size_bytes,
	struct apsp_err *err);

/*
 * The text of a JSON value, malloc'd: compact, each number with the fewest
 * digits of 15, 16 or 17 that give it back. NULL: no memory.
 */
char *apsp_json_text(const json_t *value);

#endif
