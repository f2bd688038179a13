/*
 * The solver's side of a plan: what it knows of the problem and of the device.
 */
#ifndef APSP_COMPUTE_PLANNER_H
#define APSP_COMPUTE_PLANNER_H

#include "compute/device.h"
#include "compute/plan.h"
#include "compute/problem.h"
#include "compute/widths.h"

/*
 * The plan of one attempt at a problem whose closure is made, brought to the
 * width's scale; asked is "" or an algorithm's name. device is NULL where there
 * is none: then only the host can do it. The device's rates are those that are
 * kept (calibration.h). Where it matters, the sweeps of multi-source are
 * counted for it (sweeps.h). APSP_ENOMEM; a plan without a choice is no error.
 */
int apsp_planner_make(const struct apsp_problem *problem,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, struct apsp_plan *out, struct apsp_err *err);

#endif
