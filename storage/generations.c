/*
 * The life of generations; see generations.h.
 */
#include "storage/generations.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/sql.h"

enum {
	SWEEP_CHUNKS = 4, /* about 16 MiB a transaction */
};

int apsp_generation_give_up(
	struct apsp_change *change, uint64_t id, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(change->db,
		"DELETE FROM profiles WHERE generation = ?1",
		APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_sql_run(change->db,
			"UPDATE generations SET state = 'deleting',"
			" graph = NULL WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		change->sweep = true;
	return r;
}

/*
 * One pending generation with all its jobs ended and `default` served. Returns
 * 1 with *out and graph, or 0.
 */
static int ready_find(struct apsp_change *change, uint64_t *out,
	char graph[APSP_NAME_SIZE], struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(change->db,
		"SELECT g.id, g.graph FROM generations g JOIN profiles d"
		" ON d.generation = g.id AND d.name = 'default'"
		" WHERE g.state = 'pending' AND d.served_hash = d.hash"
		" AND NOT EXISTS (SELECT 1 FROM profiles p JOIN jobs j"
		"  ON j.id = p.job WHERE p.generation = g.id"
		"  AND j.state IN ('queued', 'running')) LIMIT 1",
		NULL, &stmt, err);
	if (r < 0)
		return r;
	r = apsp_sql_step(stmt, err);
	if (r > 0) {
		*out = (uint64_t)sqlite3_column_int64(stmt, 0);
		apsp_sql_text(stmt, 1, graph, APSP_NAME_SIZE);
	}
	return r;
}

static int ready_switch(struct apsp_change *change, uint64_t id,
	const char *graph, struct apsp_err *err)
{
	int64_t old = 0;
	int r;

	r = apsp_sql_int(change->db,
		"SELECT id FROM generations WHERE graph = ?1 AND"
		" state = 'current'",
		APSP_BIND(apsp_bind_text(graph)), &old, err);
	if (r > 0)
		r = apsp_generation_give_up(change, (uint64_t)old, err);
	if (r >= 0)
		r = apsp_sql_run(change->db,
			"UPDATE generations SET state = 'current'"
			" WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_change_touch(change, graph, err);
	return r;
}

/* Run a statement that returns ids, and keep them. */
static int ids_collect(struct apsp_change *change, const char *sql,
	const struct apsp_bind *values, struct apsp_ids *ids,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(change->db, sql, values, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0)
		r = apsp_ids_add(
			ids, (uint64_t)sqlite3_column_int64(stmt, 0), err);
	return r;
}

/*
 * The generations that may want a job's tables: the one that it was queued for
 * and, of the same file, the newest. An older one of that file had another rule
 * all along.
 */
#define HOMES                                                                  \
	" FROM generations g WHERE g.graph = jobs.graph"                       \
	"  AND g.revision = jobs.revision"                                     \
	"  AND (g.id = jobs.generation OR g.state = 'pending' OR NOT EXISTS"   \
	"   (SELECT 1 FROM generations n WHERE n.graph = jobs.graph"           \
	"    AND n.state = 'pending'))"

/* Why nobody wants a job's tables any more. */
#define UNWANTED_REASON                                                        \
	"CASE WHEN NOT EXISTS (SELECT 1 FROM generations g"                    \
	"  WHERE g.graph = jobs.graph) THEN 'its graph was deleted'"           \
	" WHEN NOT EXISTS (SELECT 1" HOMES ")"                                 \
	"  THEN 'replaced by a newer upload'"                                  \
	" WHEN NOT EXISTS (SELECT 1 FROM profiles p"                           \
	"  WHERE p.name = jobs.profile AND p.generation IN (SELECT g.id" HOMES \
	"  )) THEN 'its profile was deleted'"                                  \
	" ELSE 'replaced by another rule for the same file' END"

int apsp_generations_explain_job(
	struct apsp_change *change, uint64_t id, struct apsp_err *err)
{
	return apsp_sql_run(change->db,
		"UPDATE jobs SET error_message = " UNWANTED_REASON
		" WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM profiles p"
		"  JOIN generations g ON g.id = p.generation"
		"  WHERE g.revision = jobs.revision AND p.hash = jobs.hash)",
		APSP_BIND(apsp_bind_id(id)), err);
}

int apsp_generations_settle(struct apsp_change *change, struct apsp_err *err)
{
	char graph[APSP_NAME_SIZE];
	uint64_t id = 0;
	int r;

	while ((r = ready_find(change, &id, graph, err)) > 0) {
		r = ready_switch(change, id, graph, err);
		if (r < 0)
			return r;
	}
	if (r == 0)
		r = ids_collect(change,
			"UPDATE jobs SET state = 'cancelled',"
			" ended_at_ms = ?1, error_code = 'cancelled',"
			" error_message = " UNWANTED_REASON
			" WHERE state = 'queued' AND NOT EXISTS"
			" (SELECT 1 FROM profiles p WHERE p.job = jobs.id)"
			" RETURNING id",
			APSP_BIND(apsp_bind_int(apsp_store_now_ms())),
			&change->changed_jobs, err);
	/* one that runs for nobody may still make what another one wants */
	if (r == 0)
		r = ids_collect(change,
			"SELECT id FROM jobs WHERE state = 'running'"
			" AND NOT EXISTS (SELECT 1 FROM profiles p"
			"  JOIN generations g ON g.id = p.generation"
			"  WHERE g.revision = jobs.revision"
			"  AND p.hash = jobs.hash)",
			NULL, &change->unwanted_jobs, err);
	if (r == 0)
		r = ids_collect(change,
			"DELETE FROM tables WHERE NOT EXISTS"
			" (SELECT 1 FROM generations g JOIN profiles p"
			"  ON p.generation = g.id"
			"  WHERE g.revision = tables.revision AND"
			"  tables.hash IN (p.hash, p.served_hash))"
			" RETURNING id",
			NULL, &change->dropped_tables, err);
	return r;
}

static int sweep_one(sqlite3 *db, int64_t id, struct apsp_err *err)
{
	int64_t chunk;
	int r;

	r = apsp_sql_run(db,
		"DELETE FROM chunks WHERE id IN"
		" (SELECT id FROM chunks WHERE generation = ?1 LIMIT ?2)",
		APSP_BIND(apsp_bind_int(id), apsp_bind_int(SWEEP_CHUNKS)), err);
	if (r == 0)
		r = apsp_sql_int(db,
			"SELECT 1 FROM chunks WHERE generation = ?1",
			APSP_BIND(apsp_bind_int(id)), &chunk, err);
	if (r == 0)
		r = apsp_sql_run(db, "DELETE FROM generations WHERE id = ?1",
			APSP_BIND(apsp_bind_int(id)), err);
	return r < 0 ? r : 0;
}

int apsp_generations_sweep(sqlite3 *db, bool loading, struct apsp_err *err)
{
	int64_t id = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT id FROM generations WHERE state = 'deleting'"
		" OR (state = 'loading' AND NOT ?1) LIMIT 1",
		APSP_BIND(apsp_bind_int(loading)), &id, err);
	if (r <= 0)
		return r;
	r = apsp_database_begin(db, err);
	if (r == 0)
		r = sweep_one(db, id, err);
	if (r == 0)
		r = apsp_database_commit(db, err);
	if (r < 0)
		apsp_database_rollback(db);
	return r < 0 ? r : 1;
}

/* Touch the graphs of the profiles with this rule, defined or served. */
static int wanting_touch(struct apsp_change *change, const char *revision,
	const char *hash, struct apsp_err *err)
{
	return apsp_change_touch_each(change,
		"SELECT DISTINCT g.graph FROM generations g JOIN profiles p"
		" ON p.generation = g.id"
		" WHERE g.revision = ?1 AND ?2 IN (p.hash, p.served_hash)",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), err);
}

int apsp_generations_gain_tables(struct apsp_change *change,
	const char *revision, const char *hash, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(change->db,
		"UPDATE profiles SET served_rule = rule, served_hash = hash"
		" WHERE hash = ?2 AND generation IN"
		" (SELECT id FROM generations WHERE revision = ?1)",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), err);
	if (r == 0)
		r = ids_collect(change,
			"UPDATE jobs SET state = 'succeeded',"
			" ended_at_ms = ?3, progress = 1 WHERE state = 'queued'"
			" AND revision = ?1 AND hash = ?2 RETURNING id",
			APSP_BIND(apsp_bind_text(revision),
				apsp_bind_text(hash),
				apsp_bind_int(apsp_store_now_ms())),
			&change->changed_jobs, err);
	if (r == 0)
		r = wanting_touch(change, revision, hash, err);
	return r;
}

/* Queue the tables again for one profile that defines this rule but has none.
 */
static int lost_queue(struct apsp_change *change, const char *revision,
	const char *hash, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	char graph[APSP_NAME_SIZE], name[APSP_NAME_SIZE];
	char text[APSP_PROFILE_TEXT_SIZE];
	struct apsp_profile_place place = {
		.revision = revision, .graph = graph, .name = name};
	struct apsp_put_result ignored;
	struct apsp_profile rule;
	int r;

	r = apsp_sql_prepare(change->db,
		"SELECT g.id, g.graph, p.name, p.rule FROM generations g"
		" JOIN profiles p ON p.generation = g.id"
		" WHERE g.revision = ?1 AND p.hash = ?2 AND NOT EXISTS"
		" (SELECT 1 FROM jobs j WHERE j.id = p.job"
		"  AND j.state IN ('queued', 'running')) LIMIT 1",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)),
		&stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	place.generation = (uint64_t)sqlite3_column_int64(stmt, 0);
	apsp_sql_text(stmt, 1, graph, sizeof(graph));
	apsp_sql_text(stmt, 2, name, sizeof(name));
	apsp_sql_text(stmt, 3, text, sizeof(text));
	apsp_sql_done(&stmt);
	r = apsp_profile_scan(text, &rule, err);
	if (r == 0)
		r = apsp_profile_define(change, &place, &rule, &ignored, err);
	return r < 0 ? r : 1;
}

int apsp_generations_lose_tables(struct apsp_change *change, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err)
{
	int r;

	r = wanting_touch(change, revision, hash, err);
	if (r == 0)
		r = apsp_sql_run(change->db, "DELETE FROM tables WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_sql_run(change->db,
			"UPDATE profiles SET served_rule = NULL,"
			" served_hash = NULL WHERE served_hash = ?2 AND"
			" generation IN (SELECT id FROM generations"
			"  WHERE revision = ?1)",
			APSP_BIND(
				apsp_bind_text(revision), apsp_bind_text(hash)),
			err);
	if (r == 0)
		r = apsp_ids_add(&change->dropped_tables, id, err);
	if (r < 0)
		return r;
	/* nobody asked for these jobs, so the queue's bound does not count */
	change->unbounded = true;
	do
		r = lost_queue(change, revision, hash, err);
	while (r > 0);
	return r;
}
