/*
 * Watches stdin and SIGTERM. The end of stdin means that the daemon has ended
 * the job, or that the daemon itself has ended (compute/worker/README.md, A
 * child owns the device). So both the end of stdin and SIGTERM request a stop.
 * A line on stdin describes the next job.
 */
#ifndef APSP_COMPUTE_SOLVE_STOP_WATCH_H
#define APSP_COMPUTE_SOLVE_STOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/solver_event.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/* Return the stop token of the process. */
struct apsp_stop *apsp_stop_watch_token(void);

/* Start a thread that watches stdin, and begin to watch SIGTERM. Both are
   watched until the process ends. APSP_EIO: no thread could be started. */
int apsp_stop_watch_start(struct apsp_err *err);

/*
 * Wait for a line for at most timeout_ms. The line is stored without its
 * newline. False: no line arrived, or a stop was requested. Only one thread may
 * call this.
 */
bool apsp_stop_watch_line(int64_t timeout_ms, char out[APSP_SOLVER_EVENT_LINE]);

#endif
