/*
 * Finds predecessors on the device, row by row. This search also proves the
 * distance matrix V (compute/tables/README.md, Predecessors).
 *
 * Predecessors are searched among all or some of the arcs (the searched arcs).
 * The kernel checks that V(i,i) = 0 and that V(i,j) = min over k of V(i,k) +
 * w(k,j). Lengths w are positive, so only the distances in the graph of the
 * searched arcs pass this check. An arc k → j that is longer than V(k,j)
 * changes no distance, and need not be searched; every_row_proof.h compares
 * such an arc with row k. If V is computed in windows (a range of rows at a
 * time), these longer arcs are not known, because the device never has all of
 * V. Then all useful arcs (useful_arcs.h) are searched.
 *
 * The tie rule chooses the predecessor: the lowest tail k that gives V(i,j).
 * The kernel reads the arcs a second time to prove each predecessor.
 *
 * For widest paths, the minimum of max(V(i,k), w(k,j)) proves only that no
 * value is too large: the vertices of a cycle can have values that are too
 * small and that prove each other. So vertices are settled one after another,
 * beginning with the source, and the predecessor of a vertex is a vertex that
 * was settled earlier (kernels/settle_cpu.clh). A vertex needs no predecessor
 * if V equals the width of its path by way of the root (root_widths.h). Each
 * other vertex that is never settled counts as unproved. The host follows the
 * predecessors of each row once more (tail_tree.h).
 */
#ifndef APSP_COMPUTE_TABLES_PREDECESSORS_H
#define APSP_COMPUTE_TABLES_PREDECESSORS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "compute/device/panels.h"
#include "compute/device/root_buffers.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_widths.h"
#include "daemon/base/err.h"

struct apsp_predecessors {
	const struct apsp_device *device;
	enum apsp_element element;
	cl_uint n_vertices;
	/* the scale of integer distances, which are distance · scale + hops; 0:
	   hops are not checked */
	cl_uint scale;
	/* number of arcs among which predecessors are searched */
	uint64_t n_arcs;
	/* checksum of the arcs among which predecessors are searched:
	   apsp_predecessors_arc_mark() returns a value for each arc, and the
	   checksum is the sum of these values */
	uint64_t arcs_sum;
	enum apsp_element stored; /* element type of the stored predecessors */
	cl_kernel kernel;
	cl_kernel turn; /* the kernel that transposes rows of the distance
			   matrix; only on GPUs */
	bool widest;
	/* the kernel that finds predecessors on widest paths by settling
	   vertices one after another; only on GPUs */
	cl_kernel settle;
	/* For widest paths: `order` has two orders of the vertices. The kernel
	   settles vertices in sweeps, which use the first and the second order
	   in turn. `root` has the widths of the paths to and from the root, as
	   ranks. */
	cl_mem order;
	struct apsp_root_buffers root;
	/* `offsets`, `tails`, `codes` and `lengths` have the arcs among which
	   predecessors are searched, sorted by head */
	cl_mem offsets;
	cl_mem tails;
	/* For each arc, the value that the table stores as the predecessor if a
	   path ends with the arc: the arc's tail, or the arc's rank among the
	   arcs to its head. If the values are tails, `codes` is the same buffer
	   as `tails`. */
	cl_mem codes;
	cl_mem lengths;
	struct apsp_batch batch;
	cl_mem turned; /* transposed batches of rows of the distance matrix */
	/* For widest paths: the values of settled vertices, and the stored
	   predecessors of these vertices, in batches
	   (kernels/settle_cpu.clh) */
	cl_mem settled;
	cl_mem found;
	/* for widest paths on CPUs: for each vertex of a batch, the sweep that
	   last changed the vertex (kernels/settle_cpu.clh) */
	cl_mem stamps;
};

/*
 * Return the value that one arc adds to the checksum arcs_sum. The checksum
 * does not depend on the order of the arcs. So all lists of the same arcs with
 * the same real lengths have the same checksum.
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

/* Numbers of cells that the kernel has counted in some rows
   (kernels/predecessor_gpu.cl). */
struct apsp_checks {
	cl_uint unproved; /* number of cells whose distance or predecessor is
			     wrong */
	/* number of cells whose integer distance shows that it has too few
	   bits, or that the scale is too small */
	cl_uint misfits;
	cl_uint finite; /* number of cells whose distance is not infinite */
};

/*
 * Copy to the device the arcs among which predecessors will be searched: the
 * arcs of `lengths` whose byte in `kept`, an array of n_arcs bytes, is 1. These
 * arcs must include the essential arcs (panel_rows.h). Other arcs change no
 * result, because the last arc of every shortest path is essential. The rank of
 * an arc is its place among the arcs to its head, in the order of lengths->in.
 * For widest paths, `root` has the widths of the paths from and to some vertex,
 * as ranks; NULL: these paths are not used. The caller ends *out with
 * apsp_predecessors_done(). APSP_ELIMIT: there are too many arcs for an index
 * of 32 bits, or for a buffer; APSP_ENOMEM; APSP_EDEVICE.
 */
int apsp_predecessors_open(const struct apsp_panels *panels,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *kept,
	const struct apsp_root_widths *root, struct apsp_predecessors *out,
	struct apsp_err *err);
void apsp_predecessors_done(struct apsp_predecessors *predecessors);

/* Allocate memory on the device for calls of apsp_predecessors_rows() with at
   most n_rows rows each. Call this function before the first of these calls.
   APSP_ELIMIT: a buffer does not fit the device; APSP_EDEVICE. */
int apsp_predecessors_reserve(struct apsp_predecessors *predecessors,
	uint32_t n_rows, struct apsp_err *err);

/* Says where in the buffer `checks` the kernel stores the marks (checksums) of
   rows. A mark is one word. Each member is the index of the mark of the first
   row; the marks of the other rows follow. */
struct apsp_marks_at {
	cl_uint distances;
	cl_uint predecessors;
};

/*
 * Enqueue a kernel that finds the predecessors for n_rows rows of the distance
 * matrix and stores them in `out`. The sources of the rows are the vertices
 * from `first` on. `checks` begins with a struct apsp_checks. The kernel adds
 * its counts to that struct, and it adds the marks of the rows (row_marks.h) to
 * later words of `checks`. The caller has set all these words to 0. `v`, `out`
 * and `checks` are device buffers. APSP_EDEVICE.
 */
int apsp_predecessors_rows(const struct apsp_predecessors *predecessors,
	cl_mem v, uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_marks_at marks, struct apsp_err *err);

#endif
