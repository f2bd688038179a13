/*
 * An ordered pair of vertices of one graph, which ?from= and ?to= name.
 */
#ifndef APSP_API_PATHS_PAIR_H
#define APSP_API_PATHS_PAIR_H

#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/err.h"

struct apsp_pair {
	struct apsp_reading reading;
	uint32_t from;
	uint32_t to;
};

/*
 * Resolve {graph}, ?profile=, ?from= and ?to=, and set the ETag. On 0 the
 * caller ends *out with apsp_pair_done(). Returns 1 if the client has the
 * answer already; then the reply is sent. APSP_EMALFORMED: an argument is
 * missing or unknown. Errors as apsp_reading_open() and
 * apsp_reading_vertex().
 */
int apsp_pair_open(
	struct apsp_request *req, struct apsp_pair *out, struct apsp_err *err);
void apsp_pair_done(struct apsp_pair *pair);

#endif
