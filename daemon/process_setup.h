/*
 * Sets up the process of apspd: its descriptors, limits and signals. Also finds
 * the programs apsp-solve and apspd-follow.
 */
#ifndef APSP_DAEMON_PROCESS_SETUP_H
#define APSP_DAEMON_PROCESS_SETUP_H

#include <limits.h>
#include <signal.h>

#include "daemon/base/err.h"

/*
 * Call this first. If a standard descriptor (0, 1 or 2) is closed, open
 * /dev/null in its place, so that no other file gets the number of this
 * descriptor. Make new files private to their owner. Raise the limit of
 * descriptors to the hard limit. Ignore SIGPIPE and SIGXFSZ. Set the
 * environment variable that makes malloc() ask for large pages in the programs
 * that we start (compute/worker/README.md, A child owns the device).
 */
void apsp_process_prepare(void);

/*
 * Prevent core dumps of this process, and prevent other processes of the same
 * user from reading its memory, because requests hold tokens. Children that
 * call exec() do not get this protection.
 */
void apsp_process_hide(void);

/*
 * Block the signals that main waits for, in this thread and in all threads that
 * this thread will start. *out is set to these signals, for signalfd(2).
 * *out_stops is set to the signals that ask us to stop: SIGTERM and SIGINT. If
 * we have a controlling terminal, *out_stops also has SIGHUP, because SIGHUP
 * then means that the terminal was closed. Without a terminal, SIGHUP asks us
 * to read the tokens again. SIGHUP is in neither set if our parent ignores it,
 * as nohup(1) does.
 */
void apsp_process_block_signals(sigset_t *out, sigset_t *out_stops);

/*
 * From now on, another stop signal ends the process at once. The process also
 * ends at once when deadline_ms have passed. It is safe to end at once. Files
 * are complete at any moment (storage/tables/README.md, Tables are files;
 * storage/database/README.md, One connection writes). The solver ends, too,
 * because the end of this process closes the solver's stdin.
 */
void apsp_process_limit_stop(const sigset_t *stops, unsigned int deadline_ms);

/*
 * Find apsp-solve: at the path in APSPD_SOLVER, otherwise in the directory of
 * apspd itself, otherwise below libexec. APSP_EMALFORMED: apsp-solve was not
 * found.
 */
int apsp_process_find_solver(char out[PATH_MAX], struct apsp_err *err);

/* Find apspd-follow: in the directory of apspd itself, otherwise below libexec.
   APSP_EMALFORMED: apspd-follow was not found, so --follow is impossible. */
int apsp_process_find_follow(char out[PATH_MAX], struct apsp_err *err);

#endif
