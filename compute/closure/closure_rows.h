/*
 * The closure's rows of bits on a device (kernels/closure.clh), and the arcs of
 * the graph if the algorithm reads arcs on the device. There is a row for each
 * vertex, and vertices have the numbers that they have in the uploaded graph.
 * The algorithms `closure-order` and `closure-warshall` compute only one row
 * for each component: the row of the component's first vertex. At the end,
 * apsp_closure_rows_share() copies this row to the rows of the component's
 * other vertices.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_ROWS_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_ROWS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/device/kernel.h"
#include "compute/graph/components.h"
#include "compute/graph/lengths.h"
#include "compute/plan/closure_cost.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

struct apsp_closure_rows {
	const struct apsp_device *device; /* borrowed */
	cl_uint n_vertices;
	cl_uint lines; /* number of lines in a row; a line has tuning->bits.line
			  words of 64 bits */
	bool shared; /* true: some vertices share a row, because they are in one
			component */
	cl_mem bits; /* n_vertices rows */
	cl_mem row_of; /* for each vertex, the first vertex of its component */
	cl_ulong n_arcs;
	/* the tails and the heads of all arcs; NULL if the algorithm does not
	   read arcs */
	cl_mem tails;
	cl_mem heads;
	/* the kernels of closure_rows.cl */
	cl_kernel members;
	cl_kernel arcs;
	cl_kernel share;
	/* compiler options (-D…) of all kernels that use the rows of bits */
	char options[128];
};

/* Check that the device has enough memory for the closure. APSP_ELIMIT: the
   device's memory or its largest buffer is too small; the message has the
   sizes. */
int apsp_closure_rows_fit(const struct apsp_device *device, uint32_t n_vertices,
	const struct apsp_closure_bytes *bytes, struct apsp_err *err);

/*
 * Allocate the rows; their bits are undefined. `bytes` says how much memory the
 * whole computation of the closure needs. If components is NULL, each vertex
 * has its own row. If `arcs` is true, copy the tails and heads of all arcs to
 * the device. The caller ends *out with apsp_closure_rows_done(). APSP_ELIMIT:
 * the device has less memory than `bytes` says; APSP_ENOMEM; APSP_EDEVICE.
 */
int apsp_closure_rows_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_components *components, bool arcs,
	const struct apsp_closure_bytes *bytes, struct apsp_closure_rows *out,
	struct apsp_err *err);
void apsp_closure_rows_done(struct apsp_closure_rows *rows);

/* Describe the work-items of a kernel that has one work-item for each line of n
   rows. The tuning table gives the size of the work-groups. */
struct apsp_kernel_items apsp_closure_rows_items(
	const struct apsp_closure_rows *rows, size_t n);

/* Return how many rows one launch can compute in less than 200 ms if each line
   of a row needs `ors` OR operations. */
uint32_t apsp_closure_rows_per_launch(
	const struct apsp_closure_rows *rows, uint64_t ors);

/* Enqueue commands that clear all bits, then set each vertex's bit in its
   component's row. APSP_EDEVICE. */
int apsp_closure_rows_start(
	const struct apsp_closure_rows *rows, struct apsp_err *err);

/* Enqueue commands that copy the row of each component to the rows of the
   component's vertices. APSP_EDEVICE. */
int apsp_closure_rows_share(
	const struct apsp_closure_rows *rows, struct apsp_err *err);

/* Wait until the device has run all enqueued commands. APSP_EDEVICE. */
int apsp_closure_rows_wait(
	const struct apsp_closure_rows *rows, struct apsp_err *err);

/* Copy the rows to the host. The function blocks. During the copy, the stage of
   `progress` is APSP_STAGE_DOWNLOAD. The caller owns *out. APSP_ENOMEM;
   APSP_EDEVICE. */
int apsp_closure_rows_read(const struct apsp_closure_rows *rows,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err);

#endif
