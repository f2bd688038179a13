/*
 * The statistics of each vertex, as the rows of an answer
 * (GET /v1/graphs/{graph}/stats?vertices=1&sort=&limit=).
 */
#ifndef APSP_API_STATISTICS_VERTEX_STATS_H
#define APSP_API_STATISTICS_VERTEX_STATS_H

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/err.h"

/*
 * Reply with a row for each vertex, sorted by the column that ?sort= names.
 * Without ?sort=, the rows are in index order. ?limit= is the largest number of
 * rows. Takes ownership of the contents of *reading. APSP_EMALFORMED: an option
 * is wrong. Also fails as apsp_table_stats_load() does, and waits for memory
 * (apsp_request_wait_memory()).
 */
int apsp_vertex_stats_reply(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err);

#endif
