/*
 * A contest between multi-source and a rival, which is the fastest other
 * algorithm by estimate. How often multi-source visits an arc depends on the
 * graph, so only a run can show how long multi-source takes. So multi-source
 * runs first. It is given up when the rest of its work, at the pace so far,
 * would take longer than the rival's whole run (compute/solve/README.md,
 * Decisions).
 */
#ifndef APSP_COMPUTE_DISTANCE_CONTEST_H
#define APSP_COMPUTE_DISTANCE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/positions.h"
#include "daemon/base/err.h"

struct apsp_contest {
	/* Estimated seconds that the rival would take for the distances, times
	   a margin for the error of the estimate (apsp_plan.give_up_s). */
	double give_up_s;
	/* The closure: a bit is set for each pair that has a path. Work is
	   counted in these pairs. */
	const struct apsp_bits *closure; /* borrowed */
	uint64_t n_reachable; /* number of bits that are set in `closure` */
	/* The order in which sources are solved; borrowed. NULL: they are
	   solved in the order of the upload, window by window. */
	const struct apsp_positions *order;
	/* number of sources whose pairs are counted in n_pairs */
	uint64_t n_counted;
	/* number of pairs that have a path and whose source is counted */
	uint64_t n_pairs;
	/* the longest shortest path has at least this number of arcs */
	uint32_t hops;
	/*
	 * Number of processors, if the host's processors compute the rows. Then
	 * the contest's clock is the processor time of this process divided by
	 * this number. So time that other programs take does not count: they
	 * would slow down the rival, too. 0: the clock is apsp_clock_s().
	 */
	unsigned int n_processors;
	/* seconds spent on computing rows, up to the last stop of the contest's
	   clock */
	double spent_s;
	/* what the contest's clock showed when it was last started */
	double since_s;
	bool lost; /* set when multi-source is given up */
	/* seconds that multi-source had run when it was given up */
	double lost_s;
};

/*
 * Start the contest's clock with apsp_contest_go(), and stop it with
 * apsp_contest_pause(), so that the clock counts only the time in which
 * multi-source computes rows. `contest` may be NULL in all functions of this
 * file.
 */
void apsp_contest_go(struct apsp_contest *contest);
void apsp_contest_pause(struct apsp_contest *contest);

/*
 * Check whether multi-source is still fast enough. n_sources is an upper bound
 * of the number of sources that are done: it includes sources that are being
 * solved. Returns 0 if multi-source should go on. APSP_ECANCELLED: it should be
 * given up; contest->lost is set.
 */
int apsp_contest_check(
	struct apsp_contest *contest, double n_sources, struct apsp_err *err);

#endif
