/*
 * An ordered pair of vertices of one graph: what ?from= and ?to= name.
 */
#ifndef APSP_API_PAIR_H
#define APSP_API_PAIR_H

#include <stdint.h>

#include "api/request.h"
#include "daemon/base/err.h"

struct apsp_pair {
	struct apsp_reading reading; /* the snapshot that answers */
	uint32_t from;
	uint32_t to;
};

/*
 * Resolve {graph}, ?profile=, ?from= and ?to=, and set the ETag. On success the
 * caller ends *out with apsp_pair_done(). Returns 1 if the client has the
 * answer already and the reply is sent. APSP_EMALFORMED: an argument is
 * missing, or not known. Errors as apsp_request_reading() and
 * apsp_reading_vertex().
 */
int apsp_request_pair(
	struct apsp_request *req, struct apsp_pair *out, struct apsp_err *err);
void apsp_pair_done(struct apsp_pair *pair);

#endif
