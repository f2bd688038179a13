/*
 * The life of generations; see generations.h.
 */
#include "storage/jobs/generations.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/chunk_sweep.h"
#include "storage/database/sql.h"
#include "storage/jobs/wishes.h"

int apsp_generations_give_up(
	struct apsp_transaction *tx, uint64_t id, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db, "DELETE FROM profiles WHERE generation = ?1",
		APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE generations SET state = 'deleting',"
			" graph = NULL WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		tx->sweep = true;
	return r;
}

int apsp_generations_give_up_graph(
	struct apsp_transaction *tx, const char *graph, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db,
		"DELETE FROM profiles WHERE generation IN"
		" (SELECT id FROM generations WHERE graph = ?1)",
		APSP_BIND(apsp_bind_text(graph)), err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE generations SET state = 'deleting',"
			" graph = NULL WHERE graph = ?1",
			APSP_BIND(apsp_bind_text(graph)), err);
	if (r == 0)
		tx->sweep = true;
	return r;
}

/*
 * Find a pending generation whose `default` is served. Returns 1 and stores its
 * id and graph, or returns 0.
 */
static int ready_find(struct apsp_transaction *tx, uint64_t *out,
	char graph[APSP_NAME_SIZE], struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(tx->db,
		/* a name that cannot be read waits for somebody who can */
		"SELECT g.id, g.graph FROM generations g JOIN profiles d"
		" ON d.generation = g.id AND d.name = 'default'"
		" WHERE g.state = 'pending' AND d.served_hash = d.hash"
		" AND length(CAST(g.graph AS BLOB)) <= 128 LIMIT 1",
		NULL, &stmt, err);
	if (r < 0)
		return r;
	r = apsp_sql_step(stmt, err);
	if (r > 0) {
		*out = (uint64_t)sqlite3_column_int64(stmt, 0);
		if (apsp_sql_text(stmt, 1, graph, APSP_NAME_SIZE, err) < 0)
			return APSP_EROW;
	}
	return r;
}

static int ready_switch(struct apsp_transaction *tx, uint64_t id,
	const char *graph, struct apsp_err *err)
{
	int64_t old = 0;
	int r;

	r = apsp_sql_int(tx->db,
		"SELECT id FROM generations WHERE graph = ?1 AND"
		" state = 'current'",
		APSP_BIND(apsp_bind_text(graph)), &old, err);
	if (r > 0)
		r = apsp_generations_give_up(tx, (uint64_t)old, err);
	if (r >= 0)
		r = apsp_sql_run(tx->db,
			"UPDATE generations SET state = 'current'"
			" WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_transaction_touch(tx, graph, err);
	return r;
}

/* Pending generations switch whose `default` is served. */
static int ready_switch_all(struct apsp_transaction *tx, struct apsp_err *err)
{
	char graph[APSP_NAME_SIZE];
	uint64_t id = 0;
	int r;

	while ((r = ready_find(tx, &id, graph, err)) > 0) {
		r = ready_switch(tx, id, graph, err);
		if (r < 0)
			return r;
	}
	return r;
}

/* The generation g of a job's graph and revision that jobs run for. */
#define HOME                                                                   \
	" FROM generations g WHERE g.graph = jobs.graph"                       \
	"  AND g.revision = jobs.revision AND " APSP_GENERATION_COMPUTES

/* Why no profile has a job any more. */
#define UNWANTED_REASON                                                        \
	"CASE WHEN NOT EXISTS (SELECT 1 FROM generations g"                    \
	"  WHERE g.graph = jobs.graph) THEN 'its graph was deleted'"           \
	" WHEN EXISTS (SELECT 1 FROM generations g WHERE g.id ="               \
	"  jobs.generation AND g.state = 'pending' AND NOT "                   \
	"(" APSP_GENERATION_COMPUTES "))"                                      \
	"  THEN 'the tables of its upload''s default profile were not made'"   \
	" WHEN NOT EXISTS (SELECT 1" HOME ")"                                  \
	"  THEN 'replaced by a newer upload'"                                  \
	" WHEN NOT EXISTS (SELECT 1 FROM profiles p"                           \
	"  WHERE p.name = jobs.profile AND p.generation IN (SELECT g.id" HOME  \
	"  )) THEN 'its profile was deleted'"                                  \
	" ELSE 'replaced by another rule for the same file' END"

int apsp_generations_explain_job(
	struct apsp_transaction *tx, uint64_t id, struct apsp_err *err)
{
	return apsp_sql_run(tx->db,
		"UPDATE jobs SET error_message = " UNWANTED_REASON
		" WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM profiles p"
		"  WHERE p.job = jobs.id)",
		APSP_BIND(apsp_bind_id(id)), err);
}

/* Queued jobs that no profile has end; running ones are noted. */
static int jobs_drop(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r = apsp_transaction_collect(tx,
		"UPDATE jobs SET state = 'cancelled',"
		" ended_at_ms = ?1, error_code = 'cancelled',"
		" error_message = " UNWANTED_REASON
		" WHERE state = 'queued' AND NOT EXISTS"
		" (SELECT 1 FROM profiles p WHERE p.job = jobs.id)"
		" RETURNING id",
		APSP_BIND(apsp_bind_int(apsp_clock_utc_ms())),
		&tx->changed_jobs, err);

	/* a running job's tables may be wanted by a profile that has no job */
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"SELECT id FROM jobs WHERE state = 'running'"
			" AND NOT EXISTS (SELECT 1 FROM profiles p"
			"  JOIN generations g ON g.id = p.generation"
			"  WHERE g.revision = jobs.revision"
			"  AND p.hash = jobs.hash"
			"  AND " APSP_GENERATION_COMPUTES ")",
			NULL, &tx->unwanted_jobs, err);
	return r;
}

int apsp_generations_settle(struct apsp_transaction *tx, struct apsp_err *err)
{
	/* first: a job that is under way may serve a wish, too */
	int r = apsp_wishes_grant(tx, err);

	if (r == 0)
		r = ready_switch_all(tx, err);
	if (r == 0)
		r = apsp_wishes_withdraw(tx, err);
	if (r == 0)
		r = jobs_drop(tx, err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"DELETE FROM tables WHERE NOT EXISTS"
			" (SELECT 1 FROM generations g JOIN profiles p"
			"  ON p.generation = g.id"
			"  WHERE g.revision = tables.revision AND"
			"  tables.hash IN (p.hash, p.served_hash))"
			" RETURNING id",
			NULL, &tx->dropped_tables, err);
	return r;
}

int apsp_generations_commit(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r = apsp_generations_settle(tx, err);

	return r < 0 ? r : apsp_transaction_commit(tx, err);
}

int apsp_generations_sweep(sqlite3 *db, bool loading, struct apsp_err *err)
{
	static const struct apsp_chunk_sweep sweep = {
		"DELETE FROM chunks WHERE id IN"
		" (SELECT id FROM chunks WHERE generation = ?1 LIMIT ?2)",
		"SELECT 1 FROM chunks WHERE generation = ?1",
		"DELETE FROM generations WHERE id = ?1",
	};
	int64_t id = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT id FROM generations WHERE state = 'deleting'"
		" OR (state = 'loading' AND NOT ?1) LIMIT 1",
		APSP_BIND(apsp_bind_int(loading)), &id, err);
	return r > 0 ? apsp_chunk_sweep_step(db, &sweep, id, err) : r;
}
