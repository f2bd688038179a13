/*
 * Routes lead from a method and a path to an endpoint. The raw path is split
 * before each segment is decoded, so a %2F inside a label stays inside the
 * label.
 */
#ifndef APSP_API_HTTP_ROUTE_H
#define APSP_API_HTTP_ROUTE_H

#include "api/access/tokens.h"
#include "api/http/request.h"

enum apsp_body {
	APSP_BODY_NONE,	   /* a body is refused */
	APSP_BODY_EXPRESS, /* a body is refused; the answer takes microseconds
			      and may be sent past libmicrohttpd (express.h) */
	APSP_BODY_BUFFER,  /* up to max_json_bytes, whole in req->body */
	APSP_BODY_PIECES,  /* up to max_body_bytes, to the route's body() */
	APSP_BODY_STREAM,  /* an upload, to the route's body() */
};

struct apsp_route {
	enum apsp_method method;
	const char *pattern; /* "/v1/graphs/{graph}/path" */
	enum apsp_body body_mode;

	/* After the headers, before any body: refuse early. May be NULL. */
	int (*begin)(struct apsp_request *req, struct apsp_err *err);

	/* A piece of a streamed body. */
	int (*body)(struct apsp_request *req, const char *data, size_t size,
		struct apsp_err *err);

	/* The request is complete: answer it. */
	int (*answer)(struct apsp_request *req, struct apsp_err *err);

	/* The arguments that the query may have, NULL-terminated. NULL: it
	   may have any. */
	const char *const *arguments;
	const char
		*summary; /* what the route does, in a few words; may be NULL */

	bool has_tag; /* If-Match is compared with the answer's ETag; else it is
			 refused */
	unsigned int formats;  /* formats of answers, a bit each; 0:
				  APSP_REPLIES_JSON */
	enum apsp_scope scope; /* the scope that a token must have, if the
				  server has tokens */
};

/*
 * Find the route of a method and a raw path among the server's routes; set it
 * and the decoded parameters in req. APSP_ENOROUTE; APSP_EMETHOD, with
 * *out_allow (owned) as the Allow header; APSP_EMALFORMED: bad
 * percent-encoding, %00, not UTF-8.
 */
int apsp_route_find(struct apsp_request *req, const char *method,
	const char *raw_path, char **out_allow, struct apsp_err *err);

#endif
