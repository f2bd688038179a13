/*
 * Counts of finished requests, by route and status, how long they took, and the
 * problems that they got: what GET /metrics shows (api/service/get_metrics.c).
 * Counting takes no lock.
 */
#ifndef APSP_API_HTTP_METRICS_H
#define APSP_API_HTTP_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"

struct apsp_metrics;
struct apsp_request;
struct apsp_route;

/* For a table of routes, borrowed; the last has no pattern. APSP_ENOMEM. */
int apsp_metrics_new(const struct apsp_route *routes, struct apsp_metrics **out,
	struct apsp_err *err);
void apsp_metrics_free(struct apsp_metrics *metrics);

/*
 * Count a request that has its reply, or whose connection ended without one
 * (status 0). route NULL: it had none. Any thread.
 */
void apsp_metrics_count(struct apsp_metrics *metrics,
	const struct apsp_route *route, unsigned int status, int64_t took_ns);

/* Count the problem of an error that a request or a connection was answered
 * with; 0: none. Any thread. */
void apsp_metrics_count_problem(struct apsp_metrics *metrics, int code);

/*
 * Append, in Prometheus' text format 0.0.4, the counts of the server that has
 * the request: of requests, problems and connections.
 */
void apsp_metrics_write(const struct apsp_request *req, struct apsp_text *out);

#endif
