/*
 * The widest paths of the pairs of a batch. The table has the width of each
 * pair. The path of a pair is searched over the arcs, in steps of about a
 * millisecond (storage/search/README.md, Widest paths).
 */
#ifndef APSP_API_PATHS_WIDEST_PAIRS_H
#define APSP_API_PATHS_WIDEST_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/search/width_search.h"
#include "storage/tables/lookup.h"

/* Initialize this to {0} before apsp_widest_pairs_open(). */
struct apsp_widest_pairs {
	struct apsp_shared_adjacency *shared; /* owned */
	struct apsp_avoided
		nothing; /* the empty set: no vertex or arc must be avoided */
	struct apsp_width_search search;
	struct apsp_search_work work; /* work of the present pair's search */
	uint64_t max_arcs; /* largest number of arcs that each search visits */
	bool searching;	   /* the present pair's search has begun */
};

/*
 * Load the arcs, and reserve memory in `share`. Returns 0 when searches can
 * begin. Returns 1 if more time is needed: the handler must then return 0, and
 * call this function again when it is called again. Fails as
 * apsp_reading_arcs() and apsp_share_grow() do.
 */
int apsp_widest_pairs_open(struct apsp_request *req,
	const struct apsp_reading *reading, struct apsp_share *share,
	struct apsp_widest_pairs *pairs, struct apsp_err *err);
void apsp_widest_pairs_done(struct apsp_widest_pairs *pairs);

/*
 * Find the widest path of a pair; apsp_widest_pairs_open() must have returned
 * 0. Returns 1 if the search needs another step: the caller then repeats the
 * call with the same pair. Otherwise returns 0, and the caller ends *out with
 * apsp_path_done(). APSP_EDAMAGED, APSP_ENOMEM, APSP_ESEARCH.
 */
int apsp_widest_pairs_path(struct apsp_widest_pairs *pairs,
	struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err);

#endif
