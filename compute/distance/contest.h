/*
 * The contest of multi-source with a rival: the other algorithm that is
 * estimated to be the fastest. How often multi-source visits an arc depends on
 * the graph, and only a run shows it. So multi-source starts. It is given up
 * when the rest of its work, at the pace so far, would take longer than the
 * rival's whole run (compute/solve/README.md, Decisions).
 */
#ifndef APSP_COMPUTE_DISTANCE_CONTEST_H
#define APSP_COMPUTE_DISTANCE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/positions.h"
#include "daemon/base/err.h"

struct apsp_contest {
	/* Estimated seconds of the rival for the distances, times a margin for
	   the estimate's error (apsp_plan.give_up_s). */
	double give_up_s;
	/* Work is measured in pairs that have a path. */
	const struct apsp_bits *closure; /* borrowed */
	uint64_t n_reachable;		 /* number of bits set in closure */
	/* Order of the sources, borrowed; NULL: upload order, in windows. */
	const struct apsp_positions *order;
	uint64_t n_counted; /* number of sources whose pairs are counted */
	uint64_t n_pairs;   /* number of pairs with a path from these sources */
	uint32_t hops; /* number of arcs of the longest known shortest path */
	/*
	 * Number of processors, if the host's processors compute the rows. Then
	 * the contest's clock is the processor time of this process divided by
	 * this number, because other programs would slow down the rival, too.
	 * 0: the clock is apsp_clock_s().
	 */
	unsigned int n_processors;
	double spent_s; /* seconds spent on rows up to the last pause */
	double since_s; /* time of the contest's clock when it last started */
	bool lost;	/* out: multi-source was given up */
	double lost_s; /* out: seconds that multi-source took until it was given
			  up */
};

/* Start and stop the contest's clock, so that only the time in which
   multi-source computes rows counts. contest may be NULL in all functions. */
void apsp_contest_go(struct apsp_contest *contest);
void apsp_contest_pause(struct apsp_contest *contest);

/*
 * Judge the pace when at most the first n_sources are done; sources that are
 * being solved count as done. Returns 0 to go on. APSP_ECANCELLED: multi-source
 * should be given up; contest->lost is set.
 */
int apsp_contest_check(
	struct apsp_contest *contest, double n_sources, struct apsp_err *err);

#endif
