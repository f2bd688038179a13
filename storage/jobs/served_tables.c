/*
 * The rows of tables in use; see served_tables.h.
 */
#include "storage/jobs/served_tables.h"

#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/snapshots/transaction.h"

int apsp_served_tables_touch(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"SELECT DISTINCT g.graph FROM generations g JOIN profiles p"
		" ON p.generation = g.id"
		" WHERE g.revision = ?1 AND ?2 IN (p.hash, p.served_hash)",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), err);
}

int apsp_served_tables_gain(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db,
		"UPDATE profiles SET served_rule = rule, served_hash = hash"
		" WHERE hash = ?2 AND generation IN"
		" (SELECT id FROM generations WHERE revision = ?1)",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"UPDATE jobs SET state = 'succeeded',"
			" ended_at_ms = ?3, progress = 1 WHERE state = 'queued'"
			" AND revision = ?1 AND hash = ?2 RETURNING id",
			APSP_BIND(apsp_bind_text(revision),
				apsp_bind_text(hash),
				apsp_bind_int(apsp_clock_utc_ms())),
			&tx->changed_jobs, err);
	if (r == 0)
		r = apsp_served_tables_touch(tx, revision, hash, err);
	return r;
}

int apsp_served_tables_lose(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err)
{
	int r;

	r = apsp_served_tables_touch(tx, revision, hash, err);
	if (r == 0)
		r = apsp_sql_run(tx->db, "DELETE FROM tables WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			/*
			 * set the profile's job to NULL if that job has ended
			 * and made the lost tables, so that the profile gets a
			 * new job
			 */
			"UPDATE profiles SET served_rule = NULL,"
			" served_hash = NULL, job = iif(EXISTS"
			" (SELECT 1 FROM jobs j WHERE j.id = profiles.job"
			"  AND (profiles.hash != ?2"
			"   OR j.state IN ('queued', 'running'))), job, NULL)"
			" WHERE served_hash = ?2 AND generation IN"
			" (SELECT id FROM generations WHERE revision = ?1)",
			APSP_BIND(
				apsp_bind_text(revision), apsp_bind_text(hash)),
			err);
	if (r == 0)
		r = apsp_ids_add(&tx->dropped_tables, id, err);
	if (r == 0)
		tx->n_damaged++;
	return r;
}
