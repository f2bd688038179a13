/*
 * The closure's rows on a device, in upload order (kernels/closure.clh). The
 * vertices of a component have one row between them, their first vertex's,
 * until it is shared out at the end.
 */
#ifndef APSP_COMPUTE_CLOSURE_ROWS_H
#define APSP_COMPUTE_CLOSURE_ROWS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/closure.h"
#include "compute/closure_cost.h"
#include "compute/device.h"
#include "daemon/base/err.h"

struct apsp_closure_rows {
	const struct apsp_device *device; /* borrowed */
	cl_uint n_vertices;
	cl_uint lines;	    /* of a row */
	bool shared;	    /* some component has several vertices */
	cl_mem bits;	    /* n_vertices rows */
	cl_mem row_of;	    /* vertex → the first vertex of its component */
	cl_program program; /* closure_rows.cl */
	cl_kernel share;
};

/* APSP_ELIMIT: so many bytes do not fit; the message has the sizes. */
int apsp_closure_fits(const struct apsp_device *device, uint32_t n_vertices,
	const struct apsp_closure_bytes *bytes, struct apsp_err *err);

/*
 * Make the rows, where all that the closure is to take, bytes, fits. What they
 * hold is undefined. components NULL: each vertex has a row of its own.
 * APSP_ELIMIT: it does not fit; APSP_ENOMEM; APSP_EDEVICE. The caller ends *out
 * with apsp_closure_rows_done().
 */
int apsp_closure_rows_open(const struct apsp_device *device,
	uint32_t n_vertices, const struct apsp_components *components,
	const struct apsp_closure_bytes *bytes, struct apsp_closure_rows *out,
	struct apsp_err *err);
void apsp_closure_rows_done(struct apsp_closure_rows *rows);

/* The -D options of kernels on such rows. */
enum {
	APSP_CLOSURE_OPTIONS = 128,
};
void apsp_closure_options(
	const struct apsp_device *device, char out[APSP_CLOSURE_OPTIONS]);

/* A kernel's launch over (lines, n) in the tuned groups; does not wait. */
int apsp_closure_launch(const struct apsp_closure_rows *rows, cl_kernel kernel,
	size_t n, struct apsp_err *err);

/* Rows for one launch, each of so many lines' ORs: below 200 ms. */
uint32_t apsp_closure_rows_per_launch(
	const struct apsp_closure_rows *rows, uint64_t ors);

/* Enqueue: each vertex's bit in its component's row, all others 0. */
int apsp_closure_rows_start(
	const struct apsp_closure_rows *rows, struct apsp_err *err);

/* Enqueue: the rows of components to all their vertices. */
int apsp_closure_rows_share(
	const struct apsp_closure_rows *rows, struct apsp_err *err);

/* Wait for the device. APSP_EDEVICE. */
int apsp_closure_rows_wait(
	const struct apsp_closure_rows *rows, struct apsp_err *err);

/*
 * To the host, in a stage of its own; the caller owns *out. Blocks.
 * APSP_ENOMEM; APSP_EDEVICE.
 */
int apsp_closure_rows_read(const struct apsp_closure_rows *rows,
	struct apsp_monitor *monitor, struct apsp_bits *out,
	struct apsp_err *err);

/* The arcs as they were uploaded, on a device. */
struct apsp_closure_arcs {
	cl_ulong n_arcs;
	cl_mem tails;
	cl_mem heads;
};

/* APSP_ENOMEM; APSP_ELIMIT; APSP_EDEVICE. The caller ends *out. */
int apsp_closure_arcs_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_closure_arcs *out,
	struct apsp_err *err);
void apsp_closure_arcs_done(struct apsp_closure_arcs *arcs);

/* Enqueue: each arc's bit in its tail's row. */
int apsp_closure_arcs_set(const struct apsp_closure_rows *rows,
	const struct apsp_closure_arcs *arcs, struct apsp_err *err);

#endif
