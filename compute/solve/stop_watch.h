/*
 * Requests to stop the solver: SIGTERM, and the end of stdin, which means that
 * the daemon wants no more or is gone (compute/worker/README.md, A child owns
 * the device).
 */
#ifndef APSP_COMPUTE_SOLVE_STOP_WATCH_H
#define APSP_COMPUTE_SOLVE_STOP_WATCH_H

#include <stdatomic.h>

#include "daemon/base/err.h"

/* Set when a stop is asked for; the same flag for the whole process. */
atomic_bool *apsp_stop_watch_flag(void);

/* Watch stdin in a thread, and SIGTERM, until the process ends. */
int apsp_stop_watch_start(struct apsp_err *err);

#endif
