/*
 * Batches of sources over a list of edges, round by round on the device: what
 * bf-edges and bfs-levels have in common. The state is rows of one word a
 * vertex, columns by position; the lanes of a word belong to neighbouring
 * sources (kernels/edge_sweep.clh).
 *
 *	while (r >= 0 && apsp_edge_batch_next(&sweep, &batch)) {
 *		r = apsp_edge_batch_begin(&sweep, &batch, …);
 *		while (r >= 0 && !batch.done)
 *			r = apsp_edge_batch_round(&sweep, &batch, …);
 *		if (r >= 0)
 *			r = apsp_edge_batch_harvest(&sweep, &batch, …);
 *	}
 */
#ifndef APSP_COMPUTE_EDGE_SWEEP_H
#define APSP_COMPUTE_EDGE_SWEEP_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/algorithm.h"
#include "compute/edge_list.h"
#include "compute/monitor.h"
#include "compute/panels.h"
#include "compute/program.h"
#include "daemon/base/err.h"

/* Of a word: how many sources share it, and its bytes. */
struct apsp_edge_shape {
	uint32_t lanes;
	uint32_t word_bytes;
};

/* What an algorithm brings: its kernels, and how they are compiled. */
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
	cl_mem state;	    /* rows_max rows */
	cl_mem changed;	    /* rounds: of any row, then of each */
	cl_program program; /* for kernels of the algorithm's own */
	cl_kernel begin;
	cl_kernel sweep;
	cl_kernel harvest;
};

/* Neighbouring sources that are solved at once. */
struct apsp_edge_batch {
	cl_uint first; /* position of the first source */
	uint32_t n_sources;
	uint32_t n_rows;
	cl_uint round; /* the newest; 0: none yet */
	bool done;     /* it changed nothing */
};

/*
 * Compile the kernels, put the list, made of the task's lengths, on the panels'
 * device and make room for the state. The caller ends *out with
 * apsp_edge_sweep_done(). APSP_ELIMIT, APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_edge_sweep_open(const struct apsp_task *task,
	const struct apsp_panels *panels, const struct apsp_edge_list *list,
	const struct apsp_edge_method *method, struct apsp_edge_sweep *out,
	struct apsp_err *err);
void apsp_edge_sweep_done(struct apsp_edge_sweep *sweep);

/*
 * Go on to the next sources, or from {0} to the first ones; false: there are no
 * more.
 */
bool apsp_edge_batch_next(
	const struct apsp_edge_sweep *sweep, struct apsp_edge_batch *batch);

/*
 * Enqueue: every word becomes the given bytes, but for what the sources are to
 * themselves, and all rows count as changed in round 0. APSP_EDEVICE.
 */
int apsp_edge_batch_begin(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const void *unreached,
	struct apsp_err *err);

/*
 * One round, in launches of tuning->launch_edges. own is sweep's last argument.
 * Blocks, and polls the monitor's stop. APSP_EDEVICE, APSP_ECANCELLED.
 */
int apsp_edge_batch_round(const struct apsp_edge_sweep *sweep,
	struct apsp_edge_batch *batch, struct apsp_kernel_arg own,
	struct apsp_monitor *monitor, struct apsp_err *err);

/*
 * Enqueue: the rows into the panels. own is harvest's last argument, or NULL if
 * it takes none after the state. APSP_EDEVICE.
 */
int apsp_edge_batch_harvest(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const struct apsp_kernel_arg *own,
	struct apsp_err *err);

#endif
