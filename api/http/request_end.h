/*
 * The end of a request: its line in the log, and the counts of requests, times
 * and problems that GET /metrics shows (api/service/get_metrics.c). Counting
 * needs no lock.
 */
#ifndef APSP_API_HTTP_REQUEST_END_H
#define APSP_API_HTTP_REQUEST_END_H

#include <stdint.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"

struct apsp_request_counts;
struct apsp_request;
struct apsp_route;

/* Make counts for a table of routes. The table is borrowed, and its last row
   has no pattern. The caller ends *out with apsp_request_counts_free().
   APSP_ENOMEM. */
int apsp_request_counts_new(const struct apsp_route *routes,
	struct apsp_request_counts **out, struct apsp_err *err);
void apsp_request_counts_free(struct apsp_request_counts *counts);

/*
 * Count a request that has ended. `route` is NULL if the request had no route;
 * `status` is 0 if the request got no answer; `code` is the problem's error
 * code if the answer was a problem, else 0; `took_ns` is the time since the
 * request line. Any thread may call this function.
 */
void apsp_request_counts_add(struct apsp_request_counts *counts,
	const struct apsp_route *route, unsigned int status, int code,
	int64_t took_ns);

/*
 * Count a request that has ended, and write its line in the log. `end` is the
 * part of that line about the request's end: "express" if libmicrohttpd did not
 * get the request, else "end=" and the number of libmicrohttpd's reason.
 *
 * A request that changes something has a line at every log level
 * (api/http/README.md, Changes are logged). The line begins with "changed", or
 * with "change refused" if nothing was changed:
 *
 *	changed id=… token="the nightly upload" peer=192.0.2.7 graph=larva
 *	before=effc6f4b… after=9f31… status=202 ms=812.4 end=0 method=PUT
 *	target=/v1/graphs/larva?transform=inv
 */
void apsp_request_ended(
	const struct apsp_request *req, int64_t now_ns, const char *end);

/*
 * Append the server's counts of requests, problems and connections, in
 * Prometheus' text format 0.0.4.
 */
void apsp_request_counts_write(
	const struct apsp_request *req, struct apsp_text *out);

#endif
