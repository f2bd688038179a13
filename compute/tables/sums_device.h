/*
 * Path sums on a GPU, beside the predecessors: the same bits as sums.h gives
 * (compute/tables/README.md, Path sums).
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
	 * arc of its longest path; the host is faster for the deep trees of
	 * roads.
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
 * arcs have been read from the same predecessors, which must outlive *out. The
 * caller ends *out with apsp_sums_device_done(). APSP_ELIMIT, APSP_EDEVICE.
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
	uint32_t row_hops; /* the arcs of a row's paths together */
	uint32_t hops;	/* APSP_SUMS_DEVICE_HOPS counts, added to: paths of so
			   many arcs, if no row is left to the host */
	uint32_t wrong; /* two counts, added to: sums that are not V's, and
			   sums that leave the range of the element */
};

/* The counts of paths' arcs in words that `at` describes. */
static inline struct apsp_made_hops apsp_sums_device_hops(
	const uint32_t *words, const struct apsp_sums_at *at)
{
	return (struct apsp_made_hops){.rows = words + at->row_hops,
		.counts = words + at->hops,
		.n = APSP_SUMS_DEVICE_HOPS};
}

/*
 * Enqueue, if there is a kernel: store the sums of n_rows rows, of the vertices
 * from `first` on, at out, and the words of `at` in words. predecessors, the
 * rows' V, out and words are device buffers. APSP_EDEVICE.
 */
int apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err);

#endif
