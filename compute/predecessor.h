/*
 * Predecessors over the essential arcs or more, row by row, as a certificate of
 * the solve (design.md, decision 9).
 *
 * Why it proves the whole: a V with V(i,i) = 0 and V(i,j) = min V(i,k) + w(k,j)
 * over these arcs is the distance in the graph of those arcs, lengths being
 * positive; and an arc that was left out because it is longer than V between
 * its ends changes nothing. Where not all of V is at hand, arcs are left out
 * because two others are shorter (shortcuts.h), which is not proved again.
 */
#ifndef APSP_COMPUTE_PREDECESSOR_H
#define APSP_COMPUTE_PREDECESSOR_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/lengths.h"
#include "compute/panels.h"
#include "daemon/base/err.h"

struct apsp_predecessors {
	const struct apsp_device *device;
	enum apsp_element element;
	cl_uint n_vertices;
	cl_uint scale;	    /* 0: hop counts are not read out of V */
	uint64_t n_arcs;    /* that are looked at */
	size_t vertex_size; /* 2 or 4 bytes: the predecessor's element */
	cl_kernel kernel;
	cl_kernel turn; /* on GPUs */
	cl_mem offsets; /* of them, by head */
	cl_mem tails;
	cl_mem lengths;
	struct apsp_batch batch;
	cl_mem turned; /* rows by batches, a vertex's values together */
};

/* What the kernel counts over some rows; kernels/predecessor.cl. */
struct apsp_checks {
	cl_uint unproved;
	cl_uint misfits;
	cl_uint finite;
};

/*
 * Put arcs on the device, those whose byte of flags (n_arcs) is 1: the
 * essential ones (apsp_panels_essential()), or these and others, which are as
 * good: what ends a shortest path is essential. The caller ends *out with
 * apsp_predecessors_done(). APSP_ELIMIT: there are 2^32 of them, or more than a
 * buffer holds; APSP_ENOMEM; APSP_EDEVICE.
 */
int apsp_predecessors_open(const struct apsp_panels *panels,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags,
	struct apsp_predecessors *out, struct apsp_err *err);
void apsp_predecessors_done(struct apsp_predecessors *predecessors);

/*
 * Make room for n_rows rows at a time at most, before any are asked for.
 * APSP_ELIMIT, APSP_EDEVICE.
 */
int apsp_predecessors_reserve(struct apsp_predecessors *predecessors,
	uint32_t n_rows, struct apsp_err *err);

/*
 * Enqueue: the predecessors of n_rows rows of V from vertex `first` on, from v
 * to out, and add to the three counts at checks. All are device buffers.
 */
int apsp_predecessors_rows(const struct apsp_predecessors *predecessors,
	cl_mem v, uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_err *err);

#endif
