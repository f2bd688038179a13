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
	/* the graph; its integers have the scale of the width that is
	   computed */
	struct apsp_prepared_graph *prepared;
	const struct apsp_root_widths *root; /* for widest paths: the widths of
						the paths from and to the root
						vertex, as ranks; else NULL */
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
	/* the contest of multi-source with another algorithm; give_up_s is 0 if
	   there is no contest */
	struct apsp_contest *contest;
	struct apsp_table_rows *rows;
};

/*
 * Test the device, then compute and append the rows. *out_finite gets the
 * number of distances that the device has counted. Returns an enum
 * apsp_verdict. APSP_EPROOF: a row is wrong; APSP_EDEVICE, APSP_ELIMIT,
 * APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO, APSP_ECANCELLED.
 */
int apsp_device_rows_compute(const struct apsp_device_rows *work,
	uint64_t *out_finite, struct apsp_err *err);

/*
 * In the process of rank 0, write arcs and closure to the table file. In every
 * process, free the weights. They can be half as large as the file, and this
 * attempt does not read them again. Fails with the errors of
 * apsp_table_rows_write_graph().
 */
int apsp_device_rows_graph(struct apsp_prepared_graph *prepared,
	struct apsp_table_rows *rows, struct apsp_err *err);

#endif
