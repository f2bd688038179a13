/*
 * The watch over stdin and SIGTERM. The end of stdin means that the daemon has
 * ended the job or is gone (compute/worker/README.md, A child owns the device):
 * it is a request to stop, as SIGTERM is. A line is the next job of a solver
 * that stays.
 */
#ifndef APSP_COMPUTE_SOLVE_STOP_WATCH_H
#define APSP_COMPUTE_SOLVE_STOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/solver_event.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/* The token of the whole process; the reason of its stop is APSP_STOP_END. */
struct apsp_stop *apsp_stop_watch_token(void);

/* Watch stdin in a thread, and SIGTERM, until the process ends. APSP_EIO: there
   is no thread. */
int apsp_stop_watch_start(struct apsp_err *err);

/*
 * Wait for a line at most timeout_ms; it is stored without its newline. False:
 * no line came, or a stop was requested. One thread.
 */
bool apsp_stop_watch_line(int64_t timeout_ms, char out[APSP_SOLVER_EVENT_LINE]);

#endif
