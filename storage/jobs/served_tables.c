/*
 * Which tables the profiles serve; see served_tables.h.
 */
#include "storage/jobs/served_tables.h"

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/profile_rows.h"
#include "storage/snapshots/row.h"
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

/* A profile that defines a rule: its row's key, and the rule. */
struct wanting {
	uint64_t generation;
	char graph[APSP_NAME_SIZE];
	char name[APSP_NAME_SIZE];
	struct apsp_profile rule;
	bool readable;
};

/*
 * Find the next profile, past *at in order of generation and name, that defines
 * this rule and has no job under way. Returns 1 or 0.
 */
static int wanting_next(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct wanting *at, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(tx->db,
		"SELECT g.id, g.graph, p.name, p.rule FROM generations g"
		" JOIN profiles p ON p.generation = g.id"
		" WHERE g.revision = ?1 AND p.hash = ?2 AND NOT EXISTS"
		" (SELECT 1 FROM jobs j WHERE j.id = p.job"
		"  AND j.state IN ('queued', 'running'))"
		" AND (g.id, p.name) > (?3, ?4) ORDER BY g.id, p.name LIMIT 1",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash),
			apsp_bind_int((int64_t)at->generation),
			apsp_bind_text(at->name)),
		&stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	at->generation = (uint64_t)sqlite3_column_int64(stmt, 0);
	/* the profiles of a graph with such a name are in trouble anyway */
	if (apsp_sql_text(stmt, 2, at->name, sizeof(at->name), NULL) < 0)
		return 0;
	at->readable = apsp_sql_text(stmt, 1, at->graph, sizeof(at->graph),
			       NULL) == 0 &&
		       apsp_row_rule(stmt, 3, &at->rule, NULL) == 0;
	return 1;
}

/* Queue the tables for every profile that defines this rule. */
static int lost_queue(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err)
{
	struct wanting at = {0};
	int r;

	while ((r = wanting_next(tx, revision, hash, &at, err)) > 0) {
		struct apsp_profile_place place = {
			.generation = at.generation,
			.revision = revision,
			.graph = at.graph,
			.name = at.name,
		};
		struct apsp_put_result ignored;

		if (at.readable)
			r = apsp_profile_rows_define(
				tx, &place, &at.rule, &ignored, err);
		if (r < 0)
			return r;
	}
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
			"UPDATE profiles SET served_rule = NULL,"
			" served_hash = NULL WHERE served_hash = ?2 AND"
			" generation IN (SELECT id FROM generations"
			"  WHERE revision = ?1)",
			APSP_BIND(
				apsp_bind_text(revision), apsp_bind_text(hash)),
			err);
	if (r == 0)
		r = apsp_ids_add(&tx->dropped_tables, id, err);
	if (r < 0)
		return r;
	tx->n_damaged++;
	/* no client asked for these jobs, so nobody checks the queue's bound */
	return lost_queue(tx, revision, hash, err);
}
