/*
 * For each algorithm, the function that computes the distance matrix V in
 * panels (panels.h). The list of algorithms, and the memory that each algorithm
 * needs, are in compute/plan/algorithm_list.h.
 */
#ifndef APSP_COMPUTE_DISTANCE_DISTANCE_ALGORITHM_H
#define APSP_COMPUTE_DISTANCE_DISTANCE_ALGORITHM_H

#include "compute/device/panels.h"
#include "compute/distance/task.h"
#include "compute/graph/lengths.h"
#include "compute/plan/algorithm.h"
#include "daemon/base/err.h"

struct apsp_distance_algorithm {
	/* the algorithm's entry in the array apsp_algorithms */
	const struct apsp_algorithm *entry;
	/* Computes the distance matrix V in the panels (task.h). NULL: the
	   algorithm runs on the host, without panels (APSP_START_HOST). */
	int (*run)(const struct apsp_task *task, struct apsp_panels *panels,
		struct apsp_progress *progress, struct apsp_err *err);
};

/* Find an algorithm by its name. The empty name finds the default algorithm.
   Returns NULL if no algorithm has this name. */
const struct apsp_distance_algorithm *apsp_distance_algorithm_find(
	const char *name);

/* Check that the algorithm accepts these lengths. Returns 0. APSP_EDATA: some
   length is not 1, and the algorithm needs lengths of 1; or the lengths are
   ranks of weights (for widest paths), and the algorithm does not compute
   widest paths. */
int apsp_distance_algorithm_takes(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_integers *integers, struct apsp_err *err);

/*
 * Open panels that have `rows` rows: all rows of the distance matrix V, or only
 * a window (some of the rows) if the algorithm can compute V in windows. Fill
 * the panels with the values from which the algorithm starts. For
 * `streamed-fw`, the panels have all rows, and they borrow the members lengths,
 * integers and order of the task. These members must outlive the panels. Fails
 * with the errors of apsp_panels_open(), apsp_panels_load() and
 * apsp_host_panels_open().
 */
int apsp_distance_algorithm_panels(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_device *device, const struct apsp_task *task,
	enum apsp_element element, uint32_t rows, struct apsp_panels *out,
	struct apsp_err *err);

#endif
