/*
 * What apspd asks of its own process before it begins.
 */
#ifndef APSP_DAEMON_PROCESS_H
#define APSP_DAEMON_PROCESS_H

#include <limits.h>
#include <signal.h>

#include "daemon/base/err.h"

/*
 * Open the standard descriptors that are closed (on /dev/null, so that no file
 * of ours becomes one of them), let only the owner use the files we make, allow
 * as many descriptors as the hard limit does, ignore SIGPIPE. Call it first.
 */
void apsp_process_prepare(void);

/*
 * Block the signals that ask us to stop, in this thread and all that it will
 * start, and store them in *out for sigwaitinfo(). SIGHUP is one unless it was
 * ignored when we were started, as by nohup(1).
 */
void apsp_process_block_stops(sigset_t *out);

/*
 * From now on a further stop signal, or deadline_ms from now, ends the process
 * at once. Everything on disk is good at any moment (design.md, decisions 2
 * and 3), and the solver ends when its stdin does.
 */
void apsp_process_limit_stop(const sigset_t *stops, unsigned int deadline_ms);

/*
 * Where apsp-solve is: APSPD_SOLVER, else beside our own program, else below
 * libexec. APSP_ESOLVER: in none of these places.
 */
int apsp_process_find_solver(char out[PATH_MAX], struct apsp_err *err);

#endif
