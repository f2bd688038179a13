/*
 * Records of jobs that have ended; see old_jobs.h.
 */
#include "storage/jobs/old_jobs.h"

#include "storage/database/sql.h"

int apsp_old_jobs_remove(struct sqlite3 *db, struct apsp_err *err)
{
	int64_t last = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT id FROM jobs WHERE state NOT IN ('queued', 'running')"
		" ORDER BY id DESC LIMIT 1 OFFSET ?1",
		APSP_BIND(apsp_bind_int(APSP_OLD_JOBS_KEPT)), &last, err);
	if (r <= 0)
		return r;
	return apsp_sql_run(db,
		"DELETE FROM jobs WHERE id <= ?1"
		" AND state NOT IN ('queued', 'running')"
		" AND NOT EXISTS (SELECT 1 FROM profiles p WHERE"
		"  p.job = jobs.id)",
		APSP_BIND(apsp_bind_int(last)), err);
}
