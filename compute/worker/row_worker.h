/*
 * A thread that lets a child process compute rows on demand. The thread and its
 * child, `apsp-solve --rows` (compute/solve/rows_main.h), run beside the worker
 * of jobs. So rows and jobs do not wait for each other. The child keeps the
 * arcs of one graph in memory. For another graph, the thread starts a new
 * child. If no row is wanted for --solver-idle seconds, or if the graph's table
 * file is removed, the thread ends the child.
 */
#ifndef APSP_COMPUTE_WORKER_ROW_WORKER_H
#define APSP_COMPUTE_WORKER_ROW_WORKER_H

#include "compute/worker/row_ops.h"
#include "daemon/base/err.h"

struct apsp_row_worker;
struct apsp_settings;

struct apsp_row_worker_config {
	const char *solver;		      /* path of apsp-solve; copied */
	const struct apsp_settings *settings; /* borrowed */
	struct apsp_row_ops ops;
};

/* Start the thread. The caller ends *out with apsp_row_worker_stop().
   APSP_ENOMEM; APSP_EBUSY: there is no free descriptor; APSP_EIO: no thread can
   be started. */
int apsp_row_worker_start(const struct apsp_row_worker_config *config,
	struct apsp_row_worker **out, struct apsp_err *err);

/* Ask the thread to end, and return at once. */
void apsp_row_worker_ask_stop(struct apsp_row_worker *worker);

/* End the child and the thread. All rows that the thread has taken are given
   back before this function returns. Accepts NULL. */
void apsp_row_worker_stop(struct apsp_row_worker *worker);

/* Wake the thread, because rows may be wanted or a file was removed. Any thread
   may call this. Never blocks. */
void apsp_row_worker_wake(struct apsp_row_worker *worker);

#endif
