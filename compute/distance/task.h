/*
 * The input of an algorithm, and the declarations of the functions that run the
 * algorithms of algorithm_list.h.
 */
#ifndef APSP_COMPUTE_DISTANCE_TASK_H
#define APSP_COMPUTE_DISTANCE_TASK_H

#include <stdint.h>

#include "compute/device/panels.h"
#include "compute/distance/contest.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "compute/graph/root_widths.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/*
 * How the processes of a group (compute/group) divide the distance matrix V if
 * they compute it together (shared_fw.h). Each process has a part of V: the
 * rows at a range of positions. The processes are numbered by rank, from 0 on.
 * The process of rank 0 has the positions from 0 to ends[0] - 1; the process of
 * any other rank i has the positions from ends[i - 1] to ends[i] - 1
 * (apsp_positions_divide()). Each part except the last has whole tiles.
 */
struct apsp_task_group {
	/* for each part, the position after its last position; owned by the
	   caller */
	uint32_t *ends;
	uint32_t depth; /* largest number of tile rows of a pivot block */
	/*
	 * The number of threads that copy closed pivot rows between processes.
	 * With GPUs, all processors copy, because one thread (8 GB/s) would be
	 * too slow: with 65,536 vertices and four H200, a device would wait for
	 * each pivot block of 768 rows. On CPUs, one thread copies, because the
	 * kernels use all processors.
	 */
	unsigned int copiers;
};

/* The input of an algorithm: the graph in host memory and on the device, and a
   function that receives rows of the distance matrix. All pointers are
   borrowed. */
struct apsp_task {
	/* all arcs, or only the useful arcs (useful_arcs.h); vertices have
	   their upload indices */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_positions *order;
	/* For widest paths: the widths of the paths from and to one vertex, the
	   root, as ranks of weights; otherwise NULL. The path by way of the
	   root gives an upper bound of each value in the distance matrix
	   (root_widths.h). An algorithm may begin with these bounds. */
	const struct apsp_root_widths *root;
	/* The arcs of `lengths` on the device, by position; NULL if the panels
	   hold only a window (some of the rows) of the distance matrix. */
	const struct apsp_device_arcs *arcs;
	/* NULL: this process computes the distance matrix, or a window of its
	   rows, without other processes. Otherwise the panels hold a part of
	   the matrix, and the algorithm is `blocked-fw`. */
	const struct apsp_task_group *group;
	/*
	 * Called after each window of rows is solved, while the panels hold the
	 * rows of this window. Windows are in upload order. If the panels hold
	 * the whole distance matrix V, or this process's part of V (`group`),
	 * take() is not called. A non-zero return stops the run and becomes its
	 * result. NULL: V stays in the panels.
	 */
	int (*take)(void *ctx, struct apsp_err *err);
	/* Store the first vertex and the number of rows of the next window to
	   solve. Returns false if no window is left. If next() is NULL, the
	   windows follow one another without gaps, and each window has as many
	   rows as the panels can hold. */
	bool (*next)(void *ctx, uint32_t *out_first, uint32_t *out_n_rows);
	void *ctx; /* passed to take() and next() */
	/* A contest that may end `multi-source` early. NULL: `multi-source`
	   runs to its end. */
	struct apsp_contest *contest;
};

/*
 * apsp_<stem>_run(): fill the panels with the distance matrix V. Blocks; checks
 * between launches for a request to stop. The file <stem>.c describes the
 * method; bf_dense.c contains three algorithms.
 *
 * APSP_ECANCELLED: a stop was requested, or `multi-source` lost its contest;
 * APSP_EDEVICE; APSP_ENOMEM; APSP_ELIMIT: the device cannot run the algorithm
 * on this graph; APSP_EDATA: the algorithm does not accept these lengths.
 */
#define APSP_DECLARE_RUN(stem)                                                 \
	int apsp_##stem##_run(const struct apsp_task *task,                    \
		struct apsp_panels *panels, struct apsp_progress *progress,    \
		struct apsp_err *err);
#define APSP_DECLARE_ARCS(stem) APSP_DECLARE_RUN(stem)
#define APSP_DECLARE_BLANK(stem) APSP_DECLARE_RUN(stem)
#define APSP_DECLARE_STREAMED(stem) APSP_DECLARE_RUN(stem)
/* Algorithms of the host are declared in compute/tables/host_solve.h. */
#define APSP_DECLARE_HOST(stem)
#define APSP_ALGORITHM(id, stem, name, start, ...) APSP_DECLARE_##start(stem)
#include "compute/plan/algorithm_list.h"

/*
 * Run an algorithm that can compute the distance matrix V in windows of rows.
 * For each window of rows, call solve(work), and then the task's take(). But if
 * the panels have all rows, call solve(work) once and do not call take().
 * Returns 0, or the first non-zero result of solve() or take().
 */
int apsp_task_windows(const struct apsp_task *task, struct apsp_panels *panels,
	int (*solve)(void *work, struct apsp_progress *progress,
		struct apsp_err *err),
	void *work, struct apsp_progress *progress, struct apsp_err *err);

#endif
