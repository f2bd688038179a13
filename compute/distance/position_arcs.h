/*
 * The arcs of a task on the device, as compressed sparse rows by position
 * (positions.h). Algorithms that follow arcs read these rows and need no matrix
 * of arcs.
 */
#ifndef APSP_COMPUTE_DISTANCE_POSITION_ARCS_H
#define APSP_COMPUTE_DISTANCE_POSITION_ARCS_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/distance/task.h"
#include "compute/device/panels.h"
#include "daemon/base/err.h"

/* Says which row an arc belongs to: the row of its tail, or the row of its
   head. */
enum apsp_arc_rows {
	APSP_ROWS_BY_TAIL,
	APSP_ROWS_BY_HEAD,
};

/* Owned. */
struct apsp_position_arcs {
	uint32_t n_vertices;
	uint32_t n_arcs;
	uint32_t *starts; /* index of each row's first arc, in host memory;
			     n_vertices + 1 entries */
	cl_mem offsets;	  /* copy of `starts` on the device */
	/* for each arc, the position (u32) of its head if rows are by tail, or
	   of its tail if rows are by head */
	cl_mem ends;
	cl_mem lengths; /* lengths of the arcs, in the element type of the
			   distance matrix V */
};

/*
 * Write the arcs to the panels' device, without a copy in host memory. The
 * lengths have the panels' type of element. Arcs that are not shorter than the
 * infinity of the distance matrix V are on no shortest path and are left out.
 * The arcs of a row keep the order that they have in task->lengths. Takes
 * linear time, and host memory for a split sort (split_sort.h) while the
 * function runs. The caller ends *out with apsp_position_arcs_done().
 * APSP_ELIMIT: a buffer is too large; APSP_ENOMEM; APSP_EDEVICE.
 */
int apsp_position_arcs_load(const struct apsp_task *task,
	const struct apsp_panels *panels, enum apsp_arc_rows rows,
	struct apsp_position_arcs *out, struct apsp_err *err);
void apsp_position_arcs_done(struct apsp_position_arcs *arcs);

#endif
