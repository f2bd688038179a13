/*
 * The algorithms by name, with the functions that fill panels with V. The list
 * of algorithms, and the memory that each needs, are in
 * compute/plan/algorithm_list.h.
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
	/* Fill the panels (task.h). NULL if the host computes V
	   (APSP_START_HOST). */
	int (*run)(const struct apsp_task *task, struct apsp_panels *panels,
		struct apsp_progress *progress, struct apsp_err *err);
	bool hops_only; /* all lengths must be 1 (APSP_DISTANCE_HOPS) */
};

/* Find an algorithm by its name; "" is the default. NULL: no algorithm has that
   name. */
const struct apsp_distance_algorithm *apsp_distance_algorithm_find(
	const char *name);

/* Check that the algorithm can solve such lengths. Returns 0; APSP_EDATA: it
   needs lengths that are all 1, and some are not. */
int apsp_distance_algorithm_takes(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_integers *integers, struct apsp_err *err);

/*
 * Open panels for `rows` rows: all, or a window if the algorithm has windows.
 * Fill them with the values from which the algorithm starts. Panels for
 * `streamed-fw` have all rows and keep using the task, which must outlive them.
 * Errors as apsp_panels_open(), apsp_panels_load() and apsp_host_panels_open().
 */
int apsp_distance_algorithm_panels(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_device *device, const struct apsp_task *task,
	enum apsp_element element, uint32_t rows, struct apsp_panels *out,
	struct apsp_err *err);

#endif
