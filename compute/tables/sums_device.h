/*
 * Computes path sums on the GPU that has found the predecessors. The sums have
 * the same bits as the sums that the host computes (sums.h;
 * compute/tables/README.md, Path sums).
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
	 * The device sums only rows whose paths have at most this number of
	 * arcs. If the paths of a row have up to k arcs, the kernel needs k
	 * rounds for the row. In road networks, where paths have many arcs, the
	 * host is faster.
	 */
	APSP_SUMS_DEVICE_ARCS = 256,
	/* number of counters of paths: one for paths of 0 arcs, one for paths
	   of 1 arc, … */
	APSP_SUMS_DEVICE_HOPS = APSP_SUMS_DEVICE_ARCS + 1,
};

struct apsp_sums_device {
	/* borrowed; the kernel reads the arcs in this object */
	const struct apsp_predecessors *predecessors;
	double unit;	   /* integers->unit (integers.h) */
	cl_kernel kernel;  /* NULL: the host makes all sums */
	cl_mem lengths;	   /* the arcs' lengths, float64 */
	cl_mem potentials; /* the vertices' potentials; NULL: the integer
			      distances have no potentials */
	/* memory for n_held rows of sums in float64, before they are rounded */
	cl_mem held;
	uint32_t n_held;  /* number of rows that one launch sums */
	uint32_t n_items; /* number of work-items that together sum one row */
};

/*
 * Copy the real lengths of `arcs`, and the potentials of `integers`, to the
 * device that found the predecessors. `distance` is the type of the sums: F32
 * or F64. In five cases there is no kernel, and the host makes all sums. 1. The
 * device is a CPU. 2. The device lacks float64. 3. The device allows fewer than
 * 256 work-items in a work-group. 4. The local memory of a work-group cannot
 * hold two bits for each vertex. 5. `distance` is F32, and the device lacks
 * subnormal floats, infinities or rounding to nearest.
 *
 * `arcs` must have been read from `predecessors`, which must outlive *out. The
 * caller ends *out with apsp_sums_device_done(). APSP_ELIMIT: a buffer does not
 * fit the device; APSP_EDEVICE.
 */
int apsp_sums_device_open(const struct apsp_predecessors *predecessors,
	const struct apsp_sum_arcs *arcs, const struct apsp_integers *integers,
	enum apsp_element distance, struct apsp_sums_device *out,
	struct apsp_err *err);
void apsp_sums_device_done(struct apsp_sums_device *sums);

/* The places of the kernel's results in a buffer of words. Each member is the
   index of the first word of an array. */
struct apsp_sums_at {
	/* for each row, 1 if the device summed the row; 0 if the host must sum
	   the row: a path has too many arcs, or the paths do not form a tree */
	uint32_t summed;
	/* for each row that the device summed, the mark (checksum, row_marks.h)
	   of the row of sums */
	uint32_t marks;
	/* for each row, the total number of arcs of all its paths */
	uint32_t row_hops;
	/* APSP_SUMS_DEVICE_HOPS words: word t counts the paths of t arcs; valid
	   only if the device summed all rows */
	uint32_t hops;
	/* two words: the number of sums that the integer distances do not
	   prove, and the number of sums outside the range of the distance's
	   type */
	uint32_t wrong;
};

/* Return pointers to the arrays `row_hops` and `hops` in the buffer of
   words. */
static inline struct apsp_made_hops apsp_sums_device_hops(
	const uint32_t *words, const struct apsp_sums_at *at)
{
	return (struct apsp_made_hops){.rows = words + at->row_hops,
		.counts = words + at->hops,
		.n = APSP_SUMS_DEVICE_HOPS};
}

/*
 * Enqueue the kernel to sum the paths of n_rows rows. Call this only if
 * sums->kernel is not NULL. `first` is the source of the first row. The kernel
 * stores the sums in `out`, and all other results in `words`, at the indices in
 * `at`. The kernel adds its counts to the counts that `words` already has. `v`
 * has these rows of the distance matrix V. `predecessors`, `v`, `out` and
 * `words` are device buffers. APSP_EDEVICE.
 */
int apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err);

#endif
