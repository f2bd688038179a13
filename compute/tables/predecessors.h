/*
 * Predecessors on the device, row by row, as a proof of V
 * (compute/tables/README.md, Predecessors).
 *
 * The kernel proves all of V: lengths are positive, so a V with V(i,i) = 0 and
 * V(i,j) = min over k of V(i,k) + w(k,j) has the distances in the graph of the
 * arcs that are searched. An arc that is longer than V between its ends can be
 * left out without changing a distance; every_row_proof.h compares each such
 * arc with the row of its tail. Each predecessor is compared with the lowest
 * tail that gives V(i,j), found by reading the arcs a second time. With
 * windows, V is never complete; then all useful arcs (useful_arcs.h) are
 * searched.
 */
#ifndef APSP_COMPUTE_TABLES_PREDECESSORS_H
#define APSP_COMPUTE_TABLES_PREDECESSORS_H

#include <CL/cl.h>
#include <stdint.h>
#include <string.h>

#include "compute/device/panels.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

struct apsp_predecessors {
	const struct apsp_device *device;
	enum apsp_element element;
	cl_uint n_vertices;
	cl_uint scale;	    /* 0: hop counts are not checked */
	uint64_t n_arcs;    /* arcs that are searched for predecessors */
	uint64_t arcs_sum;  /* of their apsp_predecessors_arc_mark() */
	size_t vertex_size; /* 2 or 4 bytes: the predecessor's element */
	cl_kernel kernel;
	cl_kernel turn; /* on GPUs */
	cl_mem offsets; /* of these arcs, by head */
	cl_mem tails;
	cl_mem lengths;
	struct apsp_batch batch;
	cl_mem turned; /* batches of V's rows, transposed */
};

/*
 * The summand of one arc in arcs_sum. The sum does not depend on the order of
 * arcs, so another list of the same arcs and real lengths has the same sum.
 */
static inline uint64_t apsp_predecessors_arc_mark(
	uint32_t tail, uint32_t head, double length)
{
	uint64_t x, ends = (uint64_t)tail << 32 | head;

	memcpy(&x, &length, sizeof(x));
	x = (x ^ (x >> 29) ^ ends * UINT64_C(0x9e3779b97f4a7c15)) *
	    UINT64_C(0xbf58476d1ce4e5b9);
	return (x ^ x >> 32) * UINT64_C(0x94d049bb133111eb);
}

/* The kernel's counts over some rows (kernels/predecessor_gpu.cl). */
struct apsp_checks {
	cl_uint unproved; /* wrong values of V, and wrong predecessors */
	cl_uint misfits; /* values for which the width or the scale is too small
			  */
	cl_uint finite;	 /* distances */
};

/*
 * Copy the arcs whose byte of flags (n_arcs bytes) is 1 to the device. They
 * must include the essential arcs (panel_rows.h). More arcs change no
 * result, because only essential arcs end shortest paths. The caller ends *out
 * with apsp_predecessors_done(). APSP_ELIMIT: 2^32 arcs, or more than a buffer
 * holds; APSP_ENOMEM; APSP_EDEVICE.
 */
int apsp_predecessors_open(const struct apsp_panels *panels,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags,
	struct apsp_predecessors *out, struct apsp_err *err);
void apsp_predecessors_done(struct apsp_predecessors *predecessors);

/*
 * Allocate memory for at most n_rows rows at a time; must be called before
 * apsp_predecessors_rows(). APSP_ELIMIT, APSP_EDEVICE.
 */
int apsp_predecessors_reserve(struct apsp_predecessors *predecessors,
	uint32_t n_rows, struct apsp_err *err);

/* Where the marks of rows begin in the buffer of checks, in words. */
struct apsp_marks_at {
	cl_uint distances;
	cl_uint predecessors;
};

/*
 * Enqueue: store the predecessors for n_rows rows of V at out, and add to the
 * counts at checks (struct apsp_checks) and to the rows' marks (row_marks.h). v
 * has the rows of the vertices from `first` on. v, out and checks are device
 * buffers. APSP_EDEVICE.
 */
int apsp_predecessors_rows(const struct apsp_predecessors *predecessors,
	cl_mem v, uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_marks_at marks, struct apsp_err *err);

#endif
