/*
 * Routes lead from a method and a path to an endpoint. The raw path is split
 * into segments before they are decoded, so a %2F inside a label does not end
 * the label's segment.
 */
#ifndef APSP_API_HTTP_ROUTE_H
#define APSP_API_HTTP_ROUTE_H

#include "api/access/tokens.h"
#include "api/http/request.h"

/* The names of enum apsp_method. */
extern const char *const apsp_method_names[];

enum apsp_body {
	APSP_BODY_NONE,	   /* a body is refused */
	APSP_BODY_EXPRESS, /* a body is refused; the answer takes microseconds,
			      and can be sent without libmicrohttpd */
	APSP_BODY_BUFFER,  /* a body of up to max_json_bytes; req->body holds
			      all of it */
	APSP_BODY_PIECES, /* a body of up to max_body_bytes, passed in pieces to
			     body() */
	APSP_BODY_STREAM, /* an upload, passed in pieces to body() */
};

struct apsp_route {
	enum apsp_method method;
	const char *pattern; /* "/v1/graphs/{graph}/path" */
	enum apsp_body body_mode;

	/* Called after the headers have come and before a body is read, so that
	   the function can refuse the request early. May be NULL. */
	int (*begin)(struct apsp_request *req, struct apsp_err *err);

	/* Called with each piece of the body, if body_mode is
	   APSP_BODY_PIECES or APSP_BODY_STREAM. */
	int (*body)(struct apsp_request *req, const char *data, size_t size,
		struct apsp_err *err);

	/* Called when the request is complete, to answer it. */
	int (*answer)(struct apsp_request *req, struct apsp_err *err);

	/* The names of the arguments that are allowed in the query; NULL ends
	   the list. If this pointer is NULL, all arguments are allowed. */
	const char *const *arguments;
	const char *summary; /* a description of the route in a few words; may
				be NULL */

	bool has_etag;	       /* the answer has an ETag, with which If-Match is
				  compared; false: If-Match is refused */
	unsigned int formats;  /* set of formats (APSP_REPLIES_…); 0:
				  APSP_REPLIES_JSON */
	enum apsp_scope scope; /* least scope that a request's token must have,
				  if the server has tokens */
};

/*
 * Among the server's routes, find the route for a method and a raw path. Store
 * this route and the decoded parameters in req. APSP_ENOROUTE: no pattern
 * matches the path. APSP_EMETHOD: the path has only other methods. *out_allow
 * is then the list of the path's methods for the Allow header; the caller frees
 * it. APSP_EMALFORMED: apsp_query_decode() fails for a parameter. APSP_ENOMEM.
 */
int apsp_route_find(struct apsp_request *req, const char *method,
	const char *raw_path, char **out_allow, struct apsp_err *err);

#endif
