/*
 * Makes two buffers on a device for widest paths. One has the width of each
 * vertex's path to the root, and one has the width of each vertex's path from
 * the root. A width is stored as a rank: weights are numbered from the largest,
 * which has rank 1. compute/graph/root_widths.h says what the root is.
 */
#ifndef APSP_COMPUTE_DEVICE_ROOT_BUFFERS_H
#define APSP_COMPUTE_DEVICE_ROOT_BUFFERS_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/graph/root_widths.h"
#include "daemon/base/err.h"

/* Both buffers are owned. Each buffer has one element for each vertex, in the
   element type of the distance matrix V. */
struct apsp_root_buffers {
	/* for each vertex, the width (a rank) of the path from the vertex to
	   the root */
	cl_mem to;
	/* for each vertex, the width (a rank) of the path from the root to the
	   vertex */
	cl_mem from;
};

/*
 * Make both buffers for n vertices, and read them back to check them. Element i
 * belongs to vertex vertices[i], or to vertex i if `vertices` is NULL. If
 * `root` is NULL, all elements are infinite, as if no path led by way of the
 * root. The caller ends *out with apsp_root_buffers_done(). APSP_ENOMEM; errors
 * as apsp_device_copy_make().
 */
int apsp_root_buffers_make(const struct apsp_device *device,
	const struct apsp_root_widths *root, enum apsp_element element,
	const uint32_t *vertices, uint32_t n, struct apsp_root_buffers *out,
	struct apsp_err *err);
void apsp_root_buffers_done(struct apsp_root_buffers *buffers);

#endif
