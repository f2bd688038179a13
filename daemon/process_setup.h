/*
 * What apspd sets up in its own process: descriptors, limits, signals, and the
 * place of its solver.
 */
#ifndef APSP_DAEMON_PROCESS_SETUP_H
#define APSP_DAEMON_PROCESS_SETUP_H

#include <limits.h>
#include <signal.h>

#include "daemon/base/err.h"

/*
 * Call this first. Open closed standard descriptors on /dev/null, so that no
 * file of ours gets their numbers; make new files private to the owner; raise
 * the limit of descriptors to the hard limit; ignore SIGPIPE and SIGXFSZ.
 */
void apsp_process_prepare(void);

/*
 * Let no core of this process be written and no other process of the same user
 * read its memory: requests hold tokens. Children that call exec() are not
 * hidden.
 */
void apsp_process_hide(void);

/*
 * Block the signals that main waits for, in this thread and in all threads that
 * it will start. *out has all of them, for signalfd(2), and *out_stops those
 * that ask us to stop: SIGTERM, SIGINT and, where we have a controlling
 * terminal, SIGHUP: the terminal was closed. Without one, nothing can hang up,
 * and SIGHUP asks us to read the tokens again. It is in neither set where our
 * parent ignored it, as nohup(1) does.
 */
void apsp_process_block_signals(sigset_t *out, sigset_t *out_stops);

/*
 * From now on another stop signal ends the process at once, and so does the end
 * of deadline_ms. That is safe: files are whole at any moment
 * (storage/tables/README.md, Tables are files; storage/database/README.md, One
 * connection writes), and the solver ends when its stdin does.
 */
void apsp_process_limit_stop(const sigset_t *stops, unsigned int deadline_ms);

/*
 * Find apsp-solve: APSPD_SOLVER names it, else it lies beside our own program,
 * else below libexec. APSP_ESOLVER: it is in none of these places.
 */
int apsp_process_find_solver(char out[PATH_MAX], struct apsp_err *err);

#endif
