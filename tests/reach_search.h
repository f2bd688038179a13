/*
 * All steps of a search for what a vertex reaches; the caller ends *out with
 * apsp_reach_search_done().
 */
#ifndef APSP_TESTS_REACH_SEARCH_H
#define APSP_TESTS_REACH_SEARCH_H

#include "storage/tables/reach_set.h"

static inline int reach_search(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_reach_search *out)
{
	int r;

	*out = (struct apsp_reach_search){.query = *query};
	r = apsp_reach_search_begin(tables, v, out, NULL);
	if (r < 0)
		return r;
	while ((r = apsp_reach_search_step(out, NULL)) > 0)
		continue;
	return r;
}

#endif
