/*
 * The life of generations and of the jobs for them
 * (storage/jobs/README.md, Life of a table set). But for the sweep, everything
 * here runs inside a transaction on the writer thread. All report APSP_EDB,
 * APSP_ENOSPACE or APSP_ENOMEM.
 */
#ifndef APSP_STORAGE_JOBS_GENERATIONS_H
#define APSP_STORAGE_JOBS_GENERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/snapshots/transaction.h"

/*
 * Give a generation up: its profiles go now, its rows later by the sweep. The
 * caller touches its graph.
 */
int apsp_generations_give_up(
	struct apsp_transaction *tx, uint64_t id, struct apsp_err *err);

/* Give up every live generation of a graph, whether it can be read or not. */
int apsp_generations_give_up_graph(
	struct apsp_transaction *tx, const char *graph, struct apsp_err *err);

/*
 * Bring generations, jobs and tables in line with the profiles: wishes are
 * granted (wishes.h); a pending generation whose `default` is served becomes
 * current; queued jobs and tables that no profile wants go; running jobs that
 * no profile wants are noted, to be cancelled after the commit.
 *
 * Every transaction must do so after it ended a job or let go of a generation
 * or a profile.
 */
int apsp_generations_settle(struct apsp_transaction *tx, struct apsp_err *err);

/* Settle, then commit. */
int apsp_generations_commit(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * Record why a cancelled job was not wanted any more. A job that a profile
 * still has was cancelled on request, and its message stays.
 */
int apsp_generations_explain_job(
	struct apsp_transaction *tx, uint64_t id, struct apsp_err *err);

/*
 * Remove some rows of generations that were given up, and of half-loaded ones
 * unless loading tells that one is being loaded; in its own transaction.
 * Returns 1 if rows may be left, else 0.
 */
int apsp_generations_sweep(sqlite3 *db, bool loading, struct apsp_err *err);

#endif
