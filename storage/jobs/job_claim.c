/*
 * Claiming the next job; see job_claim.h.
 */
#include "storage/jobs/job_claim.h"

#include <math.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/cache_limit.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_tries.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/transaction.h"

struct claim {
	struct apsp_command base;
	struct apsp_store *store;
	struct apsp_job_spec *out;
	bool found;
};

/*
 * Read the stages that have ended (storing, waiting, earlier tries) as far as
 * they were recorded. The next stage begins now.
 */
static void stages_begin(
	sqlite3_stmt *stmt, int column, struct apsp_job_stages *out)
{
	char text[APSP_JOB_STAGES_TEXT_SIZE];
	int64_t waited_ms =
		apsp_clock_utc_ms() - sqlite3_column_int64(stmt, column + 1);

	if (apsp_sql_text(stmt, column, text, sizeof(text), NULL) < 0)
		text[0] = '\0';
	apsp_job_stages_parse(text, out);
	for (int s = APSP_STAGE_TRIED + 1; s < APSP_N_STAGES; s++) {
		out->seconds[APSP_STAGE_TRIED] += out->seconds[s];
		out->seconds[s] = 0;
	}
	/* not below 0, because the system's clock may be set */
	out->seconds[APSP_STAGE_QUEUED] = fmax(
		(double)waited_ms / 1e3 - out->seconds[APSP_STAGE_TRIED], 0);
	out->since_s = apsp_clock_s();
}

/* Find the oldest queued job. Returns 1 or 0. */
static int oldest_find(
	sqlite3 *db, struct apsp_job_spec *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(db,
		"SELECT id, generation, graph, profile, rule, stages,"
		" queued_at_ms, tries, revision, hash FROM jobs"
		" WHERE state = 'queued' ORDER BY id LIMIT 1",
		NULL, &stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	out->id = (uint64_t)sqlite3_column_int64(stmt, 0);
	out->generation = (uint64_t)sqlite3_column_int64(stmt, 1);
	out->tries = (unsigned int)sqlite3_column_int(stmt, 7) + 1;
	stages_begin(stmt, 5, &out->stages);
	r = apsp_sql_text(stmt, 2, out->graph, sizeof(out->graph), err);
	if (r == 0)
		r = apsp_sql_text(stmt, 3, out->profile_name,
			sizeof(out->profile_name), err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, 8, out->revision, sizeof(out->revision), err);
	if (r == 0)
		r = apsp_sql_text(stmt, 9, out->hash, sizeof(out->hash), err);
	if (r == 0)
		r = apsp_row_rule(stmt, 4, &out->profile, err);
	return r < 0 ? r : 1;
}

/*
 * Find the oldest queued job that can be read and has room for its tables.
 * Returns 1 or 0.
 */
static int runnable_find(struct apsp_transaction *tx, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct apsp_job_failure failure = {0};
	struct apsp_job_progress last = {0};
	struct apsp_err *why = &failure.err;
	bool refused;
	int r;

	do {
		r = oldest_find(tx->db, out, why);
		refused = r == APSP_EROW;
		if (r > 0 && apsp_cache_limit_claim(tx, out, why) < 0) {
			refused = why->code == APSP_ENOSPACE;
			r = why->code;
		}
		last.stages = out->stages;
		/* it fails, so that it does not block the others */
		if (refused)
			r = apsp_job_tries_end(
				tx, out, &last, APSP_JOB_FAILED, &failure, err);
	} while (refused && r == 0);
	return r < 0 && !refused
		       ? apsp_fail(err, (enum apsp_code)r, "%s", why->message)
		       : r;
}

static int claim_run(struct apsp_command *base, struct apsp_err *err)
{
	struct claim *claim = (struct claim *)base;
	/* durable, so that a try is counted even if the job crashes the
	   machine */
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	struct apsp_job_spec spec = {0};
	bool found = false;
	int64_t any;
	int r;

	r = apsp_sql_int(claim->store->db,
		"SELECT 1 FROM jobs WHERE state IN ('queued', 'running')", NULL,
		&any, err);
	if (r <= 0)
		return r;
	r = apsp_transaction_begin(&tx, claim->store, err);
	/* the worker asks for a job, so no job is running */
	if (r == 0)
		r = apsp_job_tries_revive(&tx, err);
	if (r == 0 && tx.changed_jobs.n > 0)
		r = apsp_generations_settle(&tx, err);
	if (r == 0)
		r = runnable_find(&tx, &spec, err);
	if (r > 0) {
		found = true;
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET state = 'running', tries = tries + 1,"
			" started_at_ms = ?2 WHERE id = ?1",
			APSP_BIND(apsp_bind_id(spec.id),
				apsp_bind_int(apsp_clock_utc_ms())),
			err);
	}
	if (r == 0 && found)
		r = apsp_ids_add(&tx.changed_jobs, spec.id, err);
	if (r == 0 && found)
		r = apsp_transaction_touch(&tx, spec.graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	if (r == 0) {
		claim->found = found;
		*claim->out = spec;
	}
	return r;
}

int apsp_job_claim_next(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct apsp_job_spec spec;
	struct claim claim = {.store = store, .out = &spec};
	int r;

	r = apsp_writer_run(store->writer, &claim.base, claim_run, err);
	if (r < 0 || !claim.found)
		return r;
	*out = spec;
	return 1;
}
