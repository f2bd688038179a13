/*
 * The common part of `bf-edges` and `bfs-levels`: searches from batches of
 * sources over a list of edges. The device runs a search round by round. The
 * state of a search is a matrix of words. A row of the state belongs to several
 * neighbouring sources. The row has one word for each vertex, by position. A
 * word has one lane for each source of the row (kernels/edge_sweep.clh).
 *
 * apsp_edge_sweep_run() calls a function of the algorithm for each batch. This
 * function solves the batch by these calls:
 *
 *	r = apsp_edge_sweep_begin(sweep, batch, …);
 *	while (r >= 0 && !batch->done)
 *		r = apsp_edge_sweep_round(sweep, batch, …);
 *	if (r >= 0)
 *		r = apsp_edge_sweep_harvest(sweep, batch, …);
 */
#ifndef APSP_COMPUTE_DISTANCE_EDGE_SWEEP_H
#define APSP_COMPUTE_DISTANCE_EDGE_SWEEP_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device/kernel.h"
#include "compute/device/panels.h"
#include "compute/distance/task.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

struct apsp_edge_batch;
struct apsp_edge_sweep;

/* The members in which `bf-edges` and `bfs-levels`, the algorithms that use
   this file, differ. */
struct apsp_edge_method {
	const char *name;    /* the algorithm's name */
	const char *source;  /* name of a file in kernels/ that includes
				edge_sweep.clh */
	const char *options; /* compiler options of the kernels */
	uint32_t lanes;	     /* number of lanes of a word of the state */
	uint32_t word_bytes; /* size of a word of the state */
	bool rebases;	     /* the source has a kernel `rebase` */
	bool weighted; /* the device gets the lengths of the edges, as integers
			  of word_bytes bytes */
	/* solves one batch, by the calls that the first comment of this file
	   shows */
	int (*solve)(const struct apsp_edge_sweep *sweep,
		struct apsp_edge_batch *batch, struct apsp_progress *progress,
		struct apsp_err *err);
};

struct apsp_edge_sweep {
	const struct apsp_panels *panels;      /* borrowed */
	const struct apsp_edge_method *method; /* borrowed */
	uint32_t rows_max; /* largest number of rows of a batch */
	uint64_t n_edges;
	/* position of each edge's tail, u32; if the edge leads both ways, the
	   flag APSP_EDGE_BOTH_WAYS is added */
	cl_mem tails;
	cl_mem heads;
	cl_mem lengths; /* lengths of the edges; NULL unless method->weighted is
			   set */
	cl_mem state;	/* the state: a matrix of rows_max rows */
	/* Each entry is the number of a round, u32. Entry 0 is the last round
	   that changed any row. Entry 1 + r is the last round that changed row
	   r. */
	cl_mem changed;
	cl_kernel begin;
	cl_kernel sweep;
	cl_kernel harvest;
	cl_kernel rebase; /* NULL unless method->rebases is set */
};

/* Neighbouring sources that are solved together. */
struct apsp_edge_batch {
	/* in the panels, the number of the row of the batch's first source */
	cl_uint first;
	uint32_t n_sources;
	uint32_t n_rows;
	cl_uint round; /* number of the last round that ran; 0: none yet */
	bool done;     /* the last round changed nothing */
};

/* Compile the kernels, copy the list of edges to the device and allocate the
   state. Then call method->solve() for each batch of each window (range of
   rows). APSP_DECLARE_RUN() in task.h describes the other arguments and the
   errors. */
int apsp_edge_sweep_run(const struct apsp_task *task,
	struct apsp_panels *panels, const struct apsp_edge_method *method,
	struct apsp_progress *progress, struct apsp_err *err);

/*
 * Enqueue the start of a batch: fill the state with copies of the word
 * `unreached`. Then mark each source's own vertex as reached, in the source's
 * lane. Mark all rows as changed in round 0. APSP_EDEVICE.
 */
int apsp_edge_sweep_begin(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const void *unreached,
	struct apsp_err *err);

/*
 * Run one round over all edges, in launches of about tuning->launch_edges
 * relaxations. `own` is the last argument of the kernel `sweep`. A shortest
 * path of t arcs is found in round t at the latest, so rounds after round
 * n_vertices - 1 must not change anything. The function waits until the round
 * has ended, and then checks for a request to stop. APSP_EPROOF: a round after
 * round n_vertices - 1 changed something; APSP_EDEVICE; APSP_ECANCELLED.
 */
int apsp_edge_sweep_round(const struct apsp_edge_sweep *sweep,
	struct apsp_edge_batch *batch, struct apsp_kernel_arg own,
	struct apsp_progress *progress, struct apsp_err *err);

/*
 * Enqueue the kernel `harvest`, which stores the rows of the batch in the
 * panels. `own` is the last argument of this kernel; NULL: the algorithm's
 * kernel has no argument of its own. APSP_EDEVICE.
 */
int apsp_edge_sweep_harvest(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const struct apsp_kernel_arg *own,
	struct apsp_err *err);

#endif
