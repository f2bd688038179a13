/*
 * Computes rows of the distance matrix V on a device, finds their predecessors,
 * and appends both to the tables.
 */
#ifndef APSP_COMPUTE_SOLVE_DEVICE_ROWS_H
#define APSP_COMPUTE_SOLVE_DEVICE_ROWS_H

#include <stdint.h>

#include "compute/device/device.h"
#include "compute/distance/contest.h"
#include "compute/distance/distance_algorithm.h"
#include "compute/progress.h"
#include "compute/solve/prepared_graph.h"
#include "compute/solve/shared_rows.h"
#include "compute/tables/table_rows.h"
#include "daemon/base/err.h"

/* All pointers are borrowed. */
struct apsp_device_rows {
	/* the graph; its integers have the scale of the width that is being
	   tried (width_attempts.h) */
	struct apsp_prepared_graph *prepared;
	/* for widest paths: the widths of the paths from and to the root
	   vertex, as ranks (root_widths.h); NULL: the job computes shortest
	   paths */
	const struct apsp_root_widths *root;
	const struct apsp_device *device;
	const struct apsp_distance_algorithm *algorithm;
	struct apsp_progress *progress;
	enum apsp_element element; /* the element type of the distance matrix
				      V */
	/* number of rows of the distance matrix V that the device holds at the
	   same time */
	uint32_t n_rows;
	/* how the processes of a group share the rows */
	struct apsp_shared_rows *shared;
	/* the contest, in which `multi-source` is given up if another algorithm
	   is expected to finish sooner (contest.h); contest->give_up_s is 0 if
	   there is no contest */
	struct apsp_contest *contest;
	struct apsp_table_rows *rows;
};

/*
 * Test the device, then compute the rows and append them to the tables.
 * *out_finite gets the number of finite distances in these rows, as counted by
 * the device. Returns an enum apsp_verdict or an error. APSP_EPROOF: a row is
 * wrong. APSP_EDEVICE: the device failed. APSP_ELIMIT: the device has too
 * little memory. APSP_ECANCELLED: a stop was requested. APSP_ENOMEM,
 * APSP_ENOSPACE, APSP_EIO.
 */
int apsp_device_rows_compute(const struct apsp_device_rows *work,
	uint64_t *out_finite, struct apsp_err *err);

/*
 * In the process of rank 0, write arcs and closure to the table file. In every
 * other process, check the arcs (apsp_lengths_check()). In every process, free
 * the weights of the arcs, because this attempt does not read them again, and
 * they can be half as large as the file. Fails with the errors of
 * apsp_table_rows_write_graph().
 */
int apsp_device_rows_graph(struct apsp_prepared_graph *prepared,
	struct apsp_table_rows *rows, struct apsp_err *err);

#endif
