/*
 * Watching stdin and SIGTERM. The end of stdin means that the daemon has ended
 * the job, or that the daemon itself has ended (compute/worker/README.md, A
 * child owns the device). So the end of stdin requests a stop, as SIGTERM does.
 * A line on stdin is the next job.
 */
#ifndef APSP_COMPUTE_SOLVE_STOP_WATCH_H
#define APSP_COMPUTE_SOLVE_STOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/solver_event.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/* The stop token of the process; the reason of its stop is APSP_STOP_END. */
struct apsp_stop *apsp_stop_watch_token(void);

/* Start a thread that watches stdin, and watch SIGTERM, until the process ends.
   APSP_EIO: no thread could be started. */
int apsp_stop_watch_start(struct apsp_err *err);

/*
 * Wait at most timeout_ms for a line, which is stored without its newline.
 * False: no line came, or a stop was requested. Only one thread may call this.
 */
bool apsp_stop_watch_line(int64_t timeout_ms, char out[APSP_SOLVER_EVENT_LINE]);

#endif
