/*
 * The work that one search has done, and its limit. A search works in turns. A
 * turn takes about a millisecond. Between two turns, the thread can serve other
 * requests.
 */
#ifndef APSP_STORAGE_SEARCH_SEARCH_WORK_H
#define APSP_STORAGE_SEARCH_SEARCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/array.h"
#include "daemon/base/err.h"

enum {
	APSP_SEARCH_TURN = 65536, /* number of arcs that a search visits in one
				     turn, which takes 1 or 2 ms */
};

struct apsp_search_work {
	/* set by the caller: */
	uint64_t max_arcs;  /* limit of n_arcs */
	uint64_t turn_arcs; /* number of arcs to visit in a turn; 0:
			       APSP_SEARCH_TURN */

	uint64_t n_arcs; /* number of visited arcs, plus one for each visited
			    vertex */
	uint64_t n_vertices; /* number of vertices whose arcs were visited */
	uint64_t bytes;	   /* bytes allocated by the search; set by each step */
	uint64_t turn_end; /* value of n_arcs at which the turn ends */
};

/* Grow an array of a search to hold `wanted` elements, as apsp_array_reserve()
   does. APSP_ENOMEM. */
static inline int apsp_search_reserve(void *array, size_t element,
	size_t wanted, size_t *size, struct apsp_err *err)
{
	const struct apsp_array_growth growth = {
		.element = element, .first = 64, .purpose = "a search"};

	return wanted <= *size
		       ? 0
		       : apsp_array_reserve(array, wanted, size, &growth, err);
}

static inline void apsp_search_work_turn(struct apsp_search_work *work)
{
	work->turn_end = work->n_arcs +
			 (work->turn_arcs ? work->turn_arcs : APSP_SEARCH_TURN);
}

static inline bool apsp_search_work_turn_over(
	const struct apsp_search_work *work)
{
	return work->n_arcs >= work->turn_end;
}

/* Count the arcs of one vertex before they are visited. APSP_ESEARCH: the
   search exceeds its limit. */
static inline int apsp_search_work_count(
	struct apsp_search_work *work, uint64_t n_arcs, struct apsp_err *err)
{
	work->n_arcs += n_arcs + 1;
	work->n_vertices++;
	if (work->n_arcs > work->max_arcs)
		return apsp_fail(err, APSP_ESEARCH,
			"the search has visited %llu arcs, which is its"
			" limit (search_arcs in /v1/info, or twice the arcs of"
			" the graph); ask for less",
			(unsigned long long)work->max_arcs);
	return 0;
}

#endif
