/*
 * Wishes: profiles that have neither the tables of their rule nor a job for
 * them. While jobs run for the profile's generation, its wish is granted: by
 * tables that are there, or by a job.
 */
#ifndef APSP_STORAGE_JOBS_WISHES_H
#define APSP_STORAGE_JOBS_WISHES_H

#include "daemon/base/err.h"

struct apsp_transaction;

/*
 * SQL: whether jobs run for generation g (its alias). Of each graph they run
 * for one generation: the pending one until its `default` has failed or was
 * cancelled, else the current one.
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
 * Grant every wish: `default` of an upload first, the other profiles in order
 * of the seconds that their jobs are estimated to take. Inside a transaction on
 * the writer thread. APSP_EDB, APSP_ENOSPACE, APSP_ENOMEM.
 */
int apsp_wishes_grant(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * Take the jobs that have not ended from profiles of generations that jobs do
 * not run for: they wish again. apsp_generations_settle() then ends the jobs
 * that no other profile has. Errors as above.
 */
int apsp_wishes_withdraw(struct apsp_transaction *tx, struct apsp_err *err);

#endif
