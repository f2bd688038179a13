/*
 * The solver's plans, from the facts of the prepared graph and the open device.
 */
#ifndef APSP_COMPUTE_SOLVE_PLANNER_H
#define APSP_COMPUTE_SOLVE_PLANNER_H

#include "compute/device/device.h"
#include "compute/plan/plan.h"
#include "compute/solve/prepared_graph.h"
#include "compute/graph/width_candidates.h"

/*
 * Plan one width. The graph's closure exists and its integers have the width's
 * scale. asked is "" or an algorithm's name; with "" the plan may try
 * multi-source first (plan.h), unless an attempt was given up after lost_s
 * seconds; 0: none was.
 * device may be NULL: then only the host's algorithms are feasible. Rates are
 * the kept ones (kept_rates.h). A plan may have no choice.
 */
void apsp_planner_make(const struct apsp_prepared_graph *prepared,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, double lost_s, struct apsp_plan *out);

/*
 * Guess the seconds of each stage of a job before its arcs are read and the
 * device is open: by multi-source, on processors of the default rates.
 */
void apsp_planner_guess(
	const struct apsp_graph *graph, double out_seconds[APSP_N_STAGES]);

#endif
