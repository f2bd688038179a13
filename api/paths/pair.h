/* The ordered pair of vertices that ?from= and ?to= name. */
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
 * Resolve {graph}, ?profile=, ?from= and ?to=. The caller ends *out with
 * apsp_pair_done(). APSP_EMALFORMED: from or to is missing. Errors as
 * apsp_reading_open() and apsp_reading_vertex().
 */
int apsp_pair_read(
	struct apsp_request *req, struct apsp_pair *out, struct apsp_err *err);

/*
 * The same, and set the ETag. Returns 1 if the client has this answer already:
 * the reply is sent then, and the caller has nothing to end.
 */
int apsp_pair_open(
	struct apsp_request *req, struct apsp_pair *out, struct apsp_err *err);
void apsp_pair_done(struct apsp_pair *pair);

#endif
