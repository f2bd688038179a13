/*
 * The solver's plans: with what the prepared graph and the open device tell.
 */
#ifndef APSP_COMPUTE_SOLVE_PLANNER_H
#define APSP_COMPUTE_SOLVE_PLANNER_H

#include "compute/device/device.h"
#include "compute/plan/plan.h"
#include "compute/solve/prepared_graph.h"
#include "compute/graph/width_candidates.h"

/*
 * Plan one width. The graph's closure is made and its integers have the width's
 * scale. asked is "" or an algorithm's name. device may be NULL: then only the
 * host's algorithms are feasible. Rates are the kept ones (kept_rates.h). Where
 * multi-source may win or is asked for, its visits are counted first
 * (multi_source_probe.h). APSP_ENOMEM; a plan without a choice is no error.
 */
int apsp_planner_make(const struct apsp_prepared_graph *prepared,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, struct apsp_plan *out, struct apsp_err *err);

#endif
