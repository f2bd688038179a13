/*
 * Multi-source against the estimated time of another algorithm. How often
 * multi-source looks at an arc depends on the graph, and only a run shows it.
 * So the run starts, and is given up when its remaining work, at the pace so
 * far, would take longer than the whole other algorithm.
 */
#ifndef APSP_COMPUTE_DISTANCE_RACE_H
#define APSP_COMPUTE_DISTANCE_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/positions.h"
#include "daemon/base/err.h"

struct apsp_race {
	double limit_s; /* estimated seconds of the other algorithm */
	/* Work that is done is measured in pairs that have a path. */
	const struct apsp_bits *closure; /* borrowed */
	uint64_t n_reachable;		 /* bits set in closure */
	/* Borrowed; NULL: sources are solved in upload order, in windows. */
	const struct apsp_positions *order;
	uint64_t n_counted, pairs; /* sources counted, and their pairs */
	uint32_t hops;		   /* some shortest path has so many arcs */
	/*
	 * If the host's processors compute the rows: their number. The race's
	 * clock is then the processor time of this process, divided by it,
	 * because other programs would slow down the other algorithm, too. 0:
	 * the clock is apsp_clock_s().
	 */
	unsigned int width;
	double spent_s; /* on rows, up to the last pause */
	double since_s; /* the race's clock at the last start */
	bool lost;	/* out: multi-source was given up */
	double lost_s;	/* out: the seconds that it took until then */
};

/* Start and stop the clock, so that only the time counts in which multi-source
   computes rows. race may be NULL, as below. */
void apsp_race_go(struct apsp_race *race);
void apsp_race_pause(struct apsp_race *race);

/*
 * Judge the race when at most the first n_sources are done: sources that are
 * under way count as done. Fails with APSP_ECANCELLED and sets race->lost when
 * multi-source should be given up.
 */
int apsp_race_check(
	struct apsp_race *race, double n_sources, struct apsp_err *err);

#endif
