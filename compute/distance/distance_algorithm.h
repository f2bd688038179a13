/*
 * The algorithms by name, with the functions that fill panels with V. The list
 * and the memory that each takes are in compute/plan/algorithm_list.h.
 */
#ifndef APSP_COMPUTE_DISTANCE_DISTANCE_ALGORITHM_H
#define APSP_COMPUTE_DISTANCE_DISTANCE_ALGORITHM_H

#include <stdbool.h>

#include "compute/device/panels.h"
#include "compute/distance/task.h"
#include "compute/graph/lengths.h"
#include "compute/plan/algorithm.h"
#include "daemon/base/err.h"

struct apsp_distance_algorithm {
	const char *name;
	enum apsp_start start;
	/* See task.h. NULL with APSP_START_HOST. */
	int (*run)(const struct apsp_task *task, struct apsp_panels *panels,
		struct apsp_progress *progress, struct apsp_err *err);
	bool hops_only; /* all lengths must be 1 (APSP_DISTANCE_HOPS) */
};

/* By name; "" is the default. NULL: no algorithm has that name. */
const struct apsp_distance_algorithm *apsp_distance_algorithm_find(
	const char *name);

/*
 * Check that the algorithm can solve such lengths. APSP_EDATA: it counts arcs,
 * and the lengths are not all 1.
 */
int apsp_distance_algorithm_takes(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_integers *integers, struct apsp_err *err);

/*
 * Open the panels for `rows` rows (all, or a window if the algorithm has
 * windows) and fill them as the algorithm's start says. Streamed panels have
 * all rows, and the task must outlive them. Errors as apsp_panels_open(),
 * apsp_panels_load() and apsp_host_panels_open().
 */
int apsp_distance_algorithm_panels(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_device *device, const struct apsp_task *task,
	enum apsp_element element, uint32_t rows, struct apsp_panels *out,
	struct apsp_err *err);

#endif
