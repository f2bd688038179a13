/*
 * The input of an algorithm, and the functions of all algorithms, which
 * algorithm_list.h names.
 */
#ifndef APSP_COMPUTE_DISTANCE_TASK_H
#define APSP_COMPUTE_DISTANCE_TASK_H

#include <stdint.h>

#include "compute/device/panels.h"
#include "compute/distance/race.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/* The graph, on the host and on the device; all borrowed. */
struct apsp_task {
	/* upload indices; perhaps only the useful arcs (useful_arcs.h) */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_positions *order;
	/* The arcs by position; NULL if the panels are for a window. */
	const struct apsp_device_arcs *arcs;
	/*
	 * Called for each window when its rows are V; windows are in upload
	 * order. Not called if the panels are for all rows. A non-zero return
	 * stops the run and becomes its result. NULL: V stays in the panels.
	 */
	int (*take)(void *ctx, struct apsp_err *err);
	void *ctx;
	/* Multi-source may be given up; NULL: it runs to its end. */
	struct apsp_race *race;
};

/*
 * apsp_<stem>_run(): fill the panels with V. Blocks; polls the progress's stop
 * between launches. The file <stem>.c describes the method; bf_dense.c contains
 * three algorithms.
 *
 * APSP_ECANCELLED; APSP_EDEVICE; APSP_ENOMEM; APSP_ELIMIT, APSP_EDATA: not on
 * this device or not with these lengths.
 */
#define APSP_DECLARE_RUN(stem)                                                 \
	int apsp_##stem##_run(const struct apsp_task *task,                    \
		struct apsp_panels *panels, struct apsp_progress *progress,    \
		struct apsp_err *err);
#define APSP_DECLARE_ARCS(stem) APSP_DECLARE_RUN(stem)
#define APSP_DECLARE_BLANK(stem) APSP_DECLARE_RUN(stem)
#define APSP_DECLARE_STREAMED(stem) APSP_DECLARE_RUN(stem)
#define APSP_DECLARE_HOST(stem) /* compute/tables/host_solve.h */
#define APSP_ALGORITHM(id, stem, name, start, ...) APSP_DECLARE_##start(stem)
#include "compute/plan/algorithm_list.h"

/*
 * For algorithms that make V in windows of rows: call solve(work) for each
 * window of the panels, and then the task's take(); or only solve(), once, if
 * the panels have all rows. Returns 0, or the
 * first non-zero return of either.
 */
int apsp_task_windows(const struct apsp_task *task, struct apsp_panels *panels,
	int (*solve)(void *work, struct apsp_progress *progress,
		struct apsp_err *err),
	void *work, struct apsp_progress *progress, struct apsp_err *err);

#endif
