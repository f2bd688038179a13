/*
 * Path sums on a GPU, next to the predecessors: the same bits as the sums of
 * sums.h (compute/tables/README.md, Path sums).
 */
#ifndef APSP_COMPUTE_TABLES_SUMS_DEVICE_H
#define APSP_COMPUTE_TABLES_SUMS_DEVICE_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/statistics/made_stats.h"
#include "compute/tables/predecessors.h"
#include "compute/tables/sum_arcs.h"
#include "daemon/base/err.h"

enum {
	/*
	 * The largest number of arcs of a path. A row takes one round for each
	 * arc of its longest path; the host is faster for the long paths of
	 * road networks.
	 */
	APSP_SUMS_DEVICE_ARCS = 256,
	APSP_SUMS_DEVICE_HOPS = APSP_SUMS_DEVICE_ARCS + 1,
};

struct apsp_sums_device {
	const struct apsp_predecessors *predecessors; /* borrowed: the arcs */
	double unit;				      /* of V */
	cl_kernel kernel;  /* NULL: this device leaves all sums to the host */
	cl_mem lengths;	   /* of the arcs, float64 */
	cl_mem potentials; /* of V; NULL: none */
	cl_mem held;	   /* n_held rows of float64 sums, before rounding */
	uint32_t n_held;
};

/*
 * Copy the arcs' real lengths, and the potentials of integers, to the
 * predecessors' device. distance is the element of the sums: F32 or F64. On
 * CPUs, and on devices that lack float64, subnormal floats or local memory for
 * two bits a vertex, there is no kernel, and the host makes all sums.
 *
 * arcs must have been read from the same predecessors, which must outlive *out.
 * The caller ends *out with apsp_sums_device_done(). APSP_ELIMIT, APSP_EDEVICE.
 */
int apsp_sums_device_open(const struct apsp_predecessors *predecessors,
	const struct apsp_sum_arcs *arcs, const struct apsp_integers *integers,
	enum apsp_element distance, struct apsp_sums_device *out,
	struct apsp_err *err);
void apsp_sums_device_done(struct apsp_sums_device *sums);

/* Where the results of a launch begin in a buffer, in words. */
struct apsp_sums_at {
	uint32_t summed;   /* 1 for each row that was summed; 0: the row is
			      undefined and left to the host, because its paths
			      have too many arcs or are no tree */
	uint32_t marks;	   /* of the summed rows (row_marks.h) */
	uint32_t row_hops; /* the arcs of all paths of a row together */
	uint32_t hops;	   /* APSP_SUMS_DEVICE_HOPS counts of paths, by their
			      arcs; valid if no row is left to the host */
	uint32_t wrong;	   /* two counts: of sums that are not V's, and of sums
			      that leave the range of the element */
};

/* Point to the counts of paths' arcs in the words of a launch. */
static inline struct apsp_made_hops apsp_sums_device_hops(
	const uint32_t *words, const struct apsp_sums_at *at)
{
	return (struct apsp_made_hops){.rows = words + at->row_hops,
		.counts = words + at->hops,
		.n = APSP_SUMS_DEVICE_HOPS};
}

/*
 * Enqueue, if there is a kernel: store the sums of n_rows rows, of the vertices
 * from `first` on, at out, and store or add the results that `at` describes in
 * words. predecessors, v (the rows' V), out and words are device buffers.
 * APSP_EDEVICE.
 */
int apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err);

#endif
