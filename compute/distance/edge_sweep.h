/*
 * Batches of sources over a list of edges, round by round on the device: the
 * common part of bf-edges and bfs-levels. A row of the state has one word for
 * each vertex, by position; the lanes of a word belong to neighbouring sources
 * (kernels/edge_sweep.clh).
 *
 *	while (r >= 0 && apsp_edge_sweep_next(&sweep, &batch)) {
 *		r = apsp_edge_sweep_begin(&sweep, &batch, …);
 *		while (r >= 0 && !batch.done)
 *			r = apsp_edge_sweep_round(&sweep, &batch, …);
 *		if (r >= 0)
 *			r = apsp_edge_sweep_harvest(&sweep, &batch, …);
 *	}
 */
#ifndef APSP_COMPUTE_DISTANCE_EDGE_SWEEP_H
#define APSP_COMPUTE_DISTANCE_EDGE_SWEEP_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device/kernel.h"
#include "compute/device/panels.h"
#include "compute/distance/task.h"
#include "compute/distance/edge_list.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/* A word of the state. */
struct apsp_edge_shape {
	uint32_t lanes; /* sources that share it */
	uint32_t word_bytes;
};

/* An algorithm's own kernels, and how they are compiled. */
struct apsp_edge_method {
	const char *source;  /* a file that includes edge_sweep.clh */
	const char *options; /* of its own */
	struct apsp_edge_shape shape;
};

struct apsp_edge_sweep {
	const struct apsp_panels *panels; /* borrowed */
	struct apsp_edge_shape shape;
	uint32_t rows_max; /* of a batch */
	uint64_t n_edges;
	cl_mem tails; /* positions, u32, APSP_EDGE_BOTH_WAYS */
	cl_mem heads;
	cl_mem state;	/* rows_max rows */
	cl_mem changed; /* the last round that changed any row, then each row's
			 */
	cl_program program; /* for kernels of the algorithm's own */
	cl_kernel begin;
	cl_kernel sweep;
	cl_kernel harvest;
};

/* Neighbouring sources that are solved together. */
struct apsp_edge_batch {
	cl_uint first; /* position of the first source */
	uint32_t n_sources;
	uint32_t n_rows;
	cl_uint round; /* the last one run; 0: none yet */
	bool done;     /* that round changed nothing */
};

/*
 * Compile the kernels, put the list on the panels' device and make the state.
 * list comes from the task's lengths. The caller ends *out with
 * apsp_edge_sweep_done(). APSP_ELIMIT, APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_edge_sweep_open(const struct apsp_task *task,
	const struct apsp_panels *panels, const struct apsp_edge_list *list,
	const struct apsp_edge_method *method, struct apsp_edge_sweep *out,
	struct apsp_err *err);
void apsp_edge_sweep_done(struct apsp_edge_sweep *sweep);

/*
 * Make *batch the next sources, or the first ones if it is {0}. False: there
 * are no more.
 */
bool apsp_edge_sweep_next(
	const struct apsp_edge_sweep *sweep, struct apsp_edge_batch *batch);

/*
 * Enqueue: fill every word with the bytes of unreached, set the sources' own
 * lanes, and count all rows as changed in round 0. APSP_EDEVICE.
 */
int apsp_edge_sweep_begin(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const void *unreached,
	struct apsp_err *err);

/*
 * Run one round, in launches of tuning->launch_edges. own is the last argument
 * of the kernel `sweep`. Round t settles the ends of paths of t arcs, so that
 * no round after n_vertices - 1 changes anything. Blocks, and polls the
 * progress's stop. APSP_EPROOF: a later round did; APSP_EDEVICE,
 * APSP_ECANCELLED.
 */
int apsp_edge_sweep_round(const struct apsp_edge_sweep *sweep,
	struct apsp_edge_batch *batch, struct apsp_kernel_arg own,
	struct apsp_progress *progress, struct apsp_err *err);

/*
 * Enqueue: store the rows in the panels. own is the argument of the kernel
 * `harvest` after the state; NULL: it has none. APSP_EDEVICE.
 */
int apsp_edge_sweep_harvest(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const struct apsp_kernel_arg *own,
	struct apsp_err *err);

#endif
