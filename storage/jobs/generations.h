/*
 * The life of generations, which are stored uploads of a graph, and of the jobs
 * for them (storage/jobs/README.md, Life of a table set). All functions except
 * apsp_generations_sweep() run inside a transaction of the caller, on the
 * writer thread. All functions may fail with APSP_EDB, APSP_ESTATEFULL or
 * APSP_ENOMEM.
 */
#ifndef APSP_STORAGE_JOBS_GENERATIONS_H
#define APSP_STORAGE_JOBS_GENERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/snapshots/transaction.h"

/*
 * SQL condition: whether jobs run for the generation with the alias g. Jobs run
 * for only one generation of each graph: for the pending generation until the
 * job of its profile `default` has failed or was cancelled, and otherwise for
 * the current generation.
 */
#define APSP_GENERATION_COMPUTES                                               \
	"g.state = CASE WHEN EXISTS (SELECT 1 FROM generations n"              \
	"  JOIN profiles d ON d.generation = n.id AND d.name = 'default'"      \
	"  LEFT JOIN jobs e ON e.id = d.job"                                   \
	"  WHERE n.graph = g.graph AND n.state = 'pending'"                    \
	"  AND (d.served_hash IS d.hash OR e.id IS NULL"                       \
	"   OR e.state IN ('queued', 'running')))"                             \
	" THEN 'pending' ELSE 'current' END"

/*
 * SQL condition on a row p of `profiles`: whether the newest rule of the
 * profile is given up, because its job failed or was cancelled. Until a client
 * defines this rule again, the profile gets no tables by it, even if another
 * profile has them.
 */
#define APSP_RULE_GIVEN_UP                                                     \
	"EXISTS (SELECT 1 FROM jobs e WHERE e.id = p.job"                      \
	" AND e.state IN ('failed', 'cancelled'))"

/* SQL: the generation g that has the same graph and revision as the row of
   `jobs`, if jobs run for g. */
#define APSP_JOB_HOME                                                          \
	" FROM generations g WHERE g.graph = jobs.graph"                       \
	"  AND g.revision = jobs.revision AND " APSP_GENERATION_COMPUTES

/* SQL: the reason why no profile refers to the job in the row of `jobs` any
   longer. */
#define APSP_JOB_UNWANTED_REASON                                               \
	"CASE WHEN NOT EXISTS (SELECT 1 FROM generations g"                    \
	"  WHERE g.graph = jobs.graph) THEN 'its graph was deleted'"           \
	" WHEN EXISTS (SELECT 1 FROM generations g WHERE g.id ="               \
	"  jobs.generation AND g.state = 'pending' AND NOT "                   \
	"(" APSP_GENERATION_COMPUTES "))"                                      \
	"  THEN 'the tables of its upload''s default profile were not made'"   \
	" WHEN NOT EXISTS (SELECT 1" APSP_JOB_HOME ")"                         \
	"  THEN 'replaced by a newer upload'"                                  \
	" WHEN NOT EXISTS (SELECT 1 FROM profiles p"                           \
	"  WHERE p.name = jobs.profile"                                        \
	"   AND p.generation IN (SELECT g.id" APSP_JOB_HOME "))"               \
	"  THEN 'its profile was deleted'"                                     \
	" ELSE 'replaced by another rule for the same file' END"

/*
 * Delete the generation `id` (0: none) and all live generations of `graph`
 * (NULL: none), even if their rows cannot be read. A live generation is current
 * or pending. This function removes the profiles of these generations;
 * apsp_generations_sweep() removes their other rows later. The caller must call
 * apsp_transaction_touch() to have the graph's snapshot rebuilt.
 */
int apsp_generations_give_up(struct apsp_transaction *tx, uint64_t id,
	const char *graph, struct apsp_err *err);

/*
 * Bring generations, jobs and tables in line with the profiles. A profile that
 * has neither the tables of its rule nor a job for them gets the tables if they
 * exist, and otherwise a job. A pending generation becomes current when its
 * profile `default` has its tables. Queued jobs and tables that no profile
 * needs are removed. Received table files (received_tables.h) are removed if no
 * job is left for them. Running jobs that no profile needs are listed in
 * tx->unwanted_jobs, and are cancelled after the commit.
 *
 * Every transaction that ends a job, or removes a generation or a profile,
 * calls this function once, after its last change.
 */
int apsp_generations_settle(struct apsp_transaction *tx, struct apsp_err *err);

/* Call apsp_generations_settle(), then commit. */
int apsp_generations_commit(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * In a transaction of its own, remove some rows of deleted generations. The
 * argument `loading` is true while an upload is being stored. If it is false,
 * each generation in the state `loading` is left from a failed upload, and its
 * rows are removed, too. Generations that a reader is using are not removed.
 * Returns 1 if more rows may be left to remove. Returns 0 if no rows are left,
 * or only rows that readers are using.
 */
int apsp_generations_sweep(
	struct apsp_store *store, bool loading, struct apsp_err *err);

#endif
