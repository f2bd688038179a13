/*
 * The work that one search has done, its limit, and when it is another's turn.
 */
#ifndef APSP_STORAGE_SEARCH_SEARCH_WORK_H
#define APSP_STORAGE_SEARCH_SEARCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_SEARCH_TURN = 65536, /* arcs looked at in a step: a ms or two */
};

struct apsp_search_work {
	/* set by the caller: */
	uint64_t max_arcs;  /* looked at */
	uint64_t turn_arcs; /* looked at in a turn; 0: APSP_SEARCH_TURN */
	uint64_t n_arcs;
	uint64_t n_vertices; /* whose arcs were looked at */
	uint64_t turn_end;
};

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

/* Count the arcs of one vertex before they are looked at. APSP_ESEARCH. */
static inline int apsp_search_work_take(
	struct apsp_search_work *work, uint64_t n_arcs, struct apsp_err *err)
{
	work->n_arcs += n_arcs + 1;
	work->n_vertices++;
	if (work->n_arcs > work->max_arcs)
		return apsp_fail(err, APSP_ESEARCH,
			"the search has looked at %llu arcs, which is its"
			" limit; ask for less",
			(unsigned long long)work->max_arcs);
	return 0;
}

#endif
