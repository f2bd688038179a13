/*
 * The proof that a device has solved the graph of the self-test (self_test.h).
 * The graph is a ring with chords, and its solution is known. Two arcs begin at
 * each vertex of the ring. A step leads to the next vertex, and a chord leads
 * to the vertex that is APSP_RING_STRIDE steps away. If the distance matrix has
 * the ranks of widths, both arcs of vertex v have the rank v + 1.
 */
#ifndef APSP_COMPUTE_SOLVE_RING_PROOF_H
#define APSP_COMPUTE_SOLVE_RING_PROOF_H

#include <stdint.h>

#include "compute/device/panels.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

enum {
	/* number of vertices: the distance matrix has 2 × 2 tiles */
	APSP_RING_N = APSP_TILE + 3,
	APSP_RING_STRIDE = 5, /* number of steps that a chord spans */
};

/* The ring, and the panels in which a device has solved it. All pointers are
   borrowed. */
struct apsp_ring {
	const struct apsp_device *device;
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	/* the panels that hold the distance matrix V, with the rows of all
	   vertices */
	const struct apsp_panels *panels;
	/* In the distance matrix V, V(i, j) is a sum over a shortest path from
	   i to j: each chord adds this number, and each step adds 1. If V has
	   ranks of widths, this number is not used. */
	int64_t chord;
};

/*
 * Compare the distance matrix in the panels with the known matrix. Then run the
 * other kernels of a job, and compare their results with the known solution:
 * predecessors, marks, counts, statistics and path sums. `sums` is the element
 * type of path sums; APSP_ELEMENT_NONE: there are no path sums. Path sums and
 * statistics are not compared if the device does not compute them in a job.
 * APSP_EDEVICE: the device computes wrongly, or cannot run our kernels;
 * APSP_ENOMEM, APSP_ELIMIT.
 */
int apsp_ring_proof_run(const struct apsp_ring *ring, enum apsp_element sums,
	struct apsp_err *err);

#endif
