/*
 * Makes the plans of a solver: collects the facts about the prepared graph and
 * the open device, and calls apsp_plan_make().
 */
#ifndef APSP_COMPUTE_SOLVE_PLANNER_H
#define APSP_COMPUTE_SOLVE_PLANNER_H

#include <stdio.h>

#include "compute/device/device.h"
#include "compute/plan/plan.h"
#include "compute/solve/prepared_graph.h"
#include "compute/graph/width_candidates.h"

/*
 * Plan the computation of the distance matrix V and of the tables in one width
 * (the element type of V and the scale of its integers). The closure of the
 * prepared graph must be known, and the graph's integers must have the scale of
 * `width`. The rates come from the file of kept_rates.h.
 *
 *	device      NULL: only the host's algorithms are possible
 *	asked       name of an algorithm; "": the plan chooses the fastest
 *	            algorithm, or `multi-source` in a contest: it is given
 *	            up if another algorithm would finish sooner (contest.h)
 *	lost_s      if multi-source has lost such a contest: the seconds after
 *	            which it was stopped, and there is no second contest;
 *	            0: it has lost no contest
 *	room_bytes  largest size of the table file; 0: not known
 *
 * If no algorithm is possible, the plan in *out has no chosen algorithm;
 * apsp_plan_check() detects this.
 */
void apsp_planner_make(const struct apsp_prepared_graph *prepared,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, double lost_s, uint64_t room_bytes,
	struct apsp_plan *out);

/* Report to the daemon how many processes, devices and hosts the group has. The
   daemon uses these numbers in its estimates of later jobs. Only the process of
   rank 0 calls this function. If the group has only one process, nothing is
   reported. `device` may be NULL. */
void apsp_planner_group(FILE *events, const struct apsp_device *device);

/*
 * Plan a job with the default rates of processors, before its arcs are read and
 * before the device is open. Without a device, the plan always chooses
 * `reference`, the algorithm of the host, unless the job computes no tables.
 * `room_bytes` is the largest size of the table file; 0: no limit.
 */
void apsp_planner_guess(const struct apsp_graph *graph, uint64_t room_bytes,
	struct apsp_plan *out);

#endif
