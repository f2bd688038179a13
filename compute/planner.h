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
 * The facts of one attempt at a problem whose closure is made. device is NULL
 * where there is none: then only the host can do it. rates is NULL for those of
 * a device like it. Strings are borrowed from device.
 */
void apsp_planner_facts(const struct apsp_problem *problem,
	const struct apsp_device *device, const struct apsp_rates *rates,
	const struct apsp_width *width, struct apsp_plan_facts *out);

#endif
