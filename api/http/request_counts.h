/*
 * Counts of finished requests, by route and status, of their times, and of the
 * problems that they got. GET /metrics shows them (api/service/get_metrics.c).
 * Counting uses no lock.
 */
#ifndef APSP_API_HTTP_REQUEST_COUNTS_H
#define APSP_API_HTTP_REQUEST_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"

struct apsp_request_counts;
struct apsp_request;
struct apsp_route;

/* For a table of routes, borrowed; the last has no pattern. APSP_ENOMEM. */
int apsp_request_counts_new(const struct apsp_route *routes,
	struct apsp_request_counts **out, struct apsp_err *err);
void apsp_request_counts_free(struct apsp_request_counts *counts);

/*
 * Count a request that has its reply, or whose connection ended without one
 * (status 0). route NULL: it had none. code: of the problem that it was
 * answered with; 0: none. Any thread.
 */
void apsp_request_counts_add(struct apsp_request_counts *counts,
	const struct apsp_route *route, unsigned int status, int code,
	int64_t took_ns);

/*
 * Append, in Prometheus' text format 0.0.4, the counts of the server that has
 * the request: of requests, problems and connections.
 */
void apsp_request_counts_write(
	const struct apsp_request *req, struct apsp_text *out);

#endif
