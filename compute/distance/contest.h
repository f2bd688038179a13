/*
 * A contest between the algorithm `multi-source` and its rival. The rival is
 * the other algorithm with the lowest estimated time. How often `multi-source`
 * visits an arc depends on the graph, so only a run can show how long
 * `multi-source` takes. So `multi-source` runs first. It is given up when, at
 * the pace so far, the rest of the work would take longer than give_up_s
 * (compute/solve/README.md, Decisions).
 */
#ifndef APSP_COMPUTE_DISTANCE_CONTEST_H
#define APSP_COMPUTE_DISTANCE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/positions.h"
#include "daemon/base/err.h"

struct apsp_contest {
	/* `multi-source` is given up when, at the pace so far, the rest of its
	   work would take more than this number of seconds: the rival's
	   estimated time for the distances, times a factor above 1, because
	   estimates have errors (apsp_plan.give_up_s). */
	double give_up_s;
	/* The closure: the bit of a pair of vertices is set if the pair has a
	   path. The contest measures work by the number of pairs that have a
	   path. */
	const struct apsp_bits *closure; /* borrowed */
	uint64_t n_reachable; /* number of bits that are set in `closure` */
	/* The order in which sources are solved; borrowed. NULL: sources are
	   solved in the order of the upload, one window (range of rows) after
	   another. */
	const struct apsp_positions *order;
	/* number of sources whose pairs n_pairs counts: the sources that come
	   first in the order of solving */
	uint64_t n_counted;
	/* number of pairs that have a path from the first n_counted sources */
	uint64_t n_pairs;
	/* some shortest path has at least this number of arcs */
	uint32_t hops;
	/*
	 * 0: a GPU computes the rows, and the contest measures time by
	 * apsp_clock_s(). Above 0: the number of the host's processors that
	 * compute the rows. In this case, the contest measures the processor
	 * time of this process, divided by n_processors. So the time that other
	 * programs take does not count: they would slow down the rival as well.
	 */
	unsigned int n_processors;
	/* seconds that `multi-source` took to compute rows, up to the last call
	   of apsp_contest_pause() */
	double spent_s;
	/* time at the last call of apsp_contest_go(), in seconds (clock_s() in
	   contest.c) */
	double since_s;
	bool lost; /* set when `multi-source` is given up */
	/* seconds that `multi-source` took to compute rows until it was given
	   up; valid if `lost` is set */
	double lost_s;
};

/*
 * Call apsp_contest_go() when `multi-source` begins to compute rows, and
 * apsp_contest_pause() when `multi-source` stops computing them. So the contest
 * measures only the time in which `multi-source` computes rows. `contest` may
 * be NULL in all functions of this file.
 */
void apsp_contest_go(struct apsp_contest *contest);
void apsp_contest_pause(struct apsp_contest *contest);

/*
 * Check whether `multi-source` is still fast enough. n_sources is the number of
 * sources that are done or being solved. Of the sources that are being solved,
 * the caller may count only a part. Returns 0 if `multi-source` should go on.
 * APSP_ECANCELLED: `multi-source` should be given up; contest->lost is set.
 */
int apsp_contest_check(
	struct apsp_contest *contest, double n_sources, struct apsp_err *err);

#endif
