/*
 * Path sums where the predecessors are made: sums.h on a GPU, with the same
 * bits.
 */
#ifndef APSP_COMPUTE_SUMS_DEVICE_H
#define APSP_COMPUTE_SUMS_DEVICE_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/predecessor.h"
#include "compute/sum_arcs.h"
#include "daemon/base/err.h"

enum {
	/*
	 * Of a path at most. A row takes a round for each arc of its longest
	 * path; deeper trees, of roads, are soonest done by the host.
	 */
	APSP_SUMS_DEVICE_ARCS = 256,
};

struct apsp_sums_device {
	const struct apsp_predecessors *predecessors; /* borrowed: the arcs */
	cl_kernel kernel; /* NULL: this device leaves all sums to the host */
	cl_mem lengths;	  /* of the arcs, float64 */
	cl_mem held;	  /* rows of float64 while they are made */
	uint32_t n_held;
};

/*
 * Put the lengths of the predecessors' arcs on their device. distance is the
 * element of the rows to be made: F32 or F64. CPUs, and devices that lack
 * float64, local memory for a bit a vertex or subnormal floats, leave all to
 * the host.
 *
 * arcs are the predecessors' own; these must outlive *out, which the caller
 * ends with apsp_sums_device_done(). APSP_ELIMIT, APSP_EDEVICE.
 */
int apsp_sums_device_open(const struct apsp_predecessors *predecessors,
	const struct apsp_sum_arcs *arcs, enum apsp_element distance,
	struct apsp_sums_device *out, struct apsp_err *err);
void apsp_sums_device_done(struct apsp_sums_device *sums);

/*
 * Enqueue, where there is a kernel: the sums of n_rows rows from vertex `first`
 * on, from their predecessors to out. The 32-bit words of summed from summed_at
 * on get 1 for each row, or 0 where it is the host's to do, its paths being too
 * long or no tree; then out's row is undefined. All are device buffers.
 */
int apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, uint32_t first, uint32_t n_rows, cl_mem out,
	cl_mem summed, uint32_t summed_at, struct apsp_err *err);

#endif
