/*
 * What the daemon says over stdin, and SIGTERM. The end of stdin means that the
 * daemon wants no more or is gone (compute/worker/README.md, A child owns the
 * device), and so a stop is asked for, as by SIGTERM. A line is for a solver
 * that stays: its next job.
 */
#ifndef APSP_COMPUTE_SOLVE_STOP_WATCH_H
#define APSP_COMPUTE_SOLVE_STOP_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/solver_event.h"
#include "daemon/base/err.h"

/* Set when a stop is asked for; the same flag for the whole process. */
atomic_bool *apsp_stop_watch_flag(void);

/* Watch stdin in a thread, and SIGTERM, until the process ends. APSP_EIO: there
   is no thread. */
int apsp_stop_watch_start(struct apsp_err *err);

/*
 * Wait for a line, without its newline, for as long as timeout_ms at most.
 * False: none came, or a stop is asked for. One thread.
 */
bool apsp_stop_watch_line(int64_t timeout_ms, char out[APSP_SOLVER_EVENT_LINE]);

#endif
