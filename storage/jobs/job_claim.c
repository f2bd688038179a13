/* Chooses the job that the worker runs next; see job_claim.h. */
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

/* The command `claim`, which the writer thread runs. It lies on the stack of
   the calling thread, which waits for the command's end. */
struct claim {
	struct apsp_command base;
	struct apsp_store *store;
	struct apsp_job_spec job;
	bool found;
};

/*
 * Read the seconds of the stages that have ended (storing, waiting, earlier
 * tries) from the job's row. The job's next stage begins now.
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
	/* if the system's clock was set back, the difference is negative; then
	   store 0 */
	out->seconds[APSP_STAGE_QUEUED] = fmax(
		(double)waited_ms / 1e3 - out->seconds[APSP_STAGE_TRIED], 0);
	out->since_s = apsp_clock_s();
}

/* Find the oldest queued job. Returns 1; or 0 if no job is queued. */
static int oldest_find(
	sqlite3 *db, struct apsp_job_spec *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_first(db,
		"SELECT id, generation, graph, profile, rule, stages,"
		" queued_at_ms, tries, revision, hash FROM jobs"
		" WHERE state = 'queued' ORDER BY id LIMIT 1",
		NULL, &stmt, err);
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
		r = apsp_row_rule(stmt, 4, 9, &out->profile, err);
	return r < 0 ? r : 1;
}

/*
 * Find the oldest queued job that can be read and whose tables fit on the disk.
 * Returns 1; or 0 if there is no such job.
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
		/* make the refused job fail, so that it does not block other
		   jobs */
		if (refused)
			r = apsp_job_tries_end(
				tx, out, &last, APSP_JOB_FAILED, &failure, err);
	} while (refused && r == 0);
	return r < 0 && !refused
		       ? apsp_fail(err, (enum apsp_code)r, "%s", why->message)
		       : r;
}

/* Some jobs are still recorded as running, because their end could not be
   recorded. Put each of these jobs back into the queue, or make it fail if it
   was tried too often. */
static int lost_revive(struct apsp_store *store, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, store, err);
	if (r == 0)
		r = apsp_job_tries_revive(&tx, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

static int claim_run(struct apsp_command *base, struct apsp_err *err)
{
	struct claim *claim = (struct claim *)base;
	/* the commit of this transaction waits for the disk, so that the try is
	   counted even if the job crashes the machine */
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	struct apsp_job_spec *job = &claim->job;
	int64_t running;
	int r;

	r = apsp_sql_int(claim->store->db,
		"SELECT state = 'running' AS runs FROM jobs"
		" WHERE state IN ('queued', 'running')"
		" ORDER BY runs DESC LIMIT 1",
		NULL, &running, err);
	if (r <= 0)
		return r;
	/* the only worker asks for its next job here, so a job that is still
	   recorded as running has ended */
	r = running ? lost_revive(claim->store, err) : 0;
	if (r == 0)
		r = apsp_transaction_begin(&tx, claim->store, err);
	if (r == 0)
		r = runnable_find(&tx, job, err);
	claim->found = r > 0;
	if (claim->found)
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET state = 'running', tries = tries + 1,"
			" started_at_ms = ?2 WHERE id = ?1",
			APSP_BIND(apsp_bind_id(job->id),
				apsp_bind_int(apsp_clock_utc_ms())),
			err);
	if (r == 0 && claim->found)
		r = apsp_transaction_touch_job(&tx, job->id, job->graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

int apsp_job_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct claim claim = {.store = store};
	int r = apsp_writer_run(store->writer, &claim.base, claim_run, err);

	if (r < 0 || !claim.found)
		return r;
	*out = claim.job;
	return 1;
}
