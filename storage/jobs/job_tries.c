/*
 * The tries at a job; see job_tries.h.
 */
#include "storage/jobs/job_tries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/cache_limit.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/received_tables.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/transaction.h"

/* The struct of every command of this file except `claim`. It lies on the stack
   of the caller, which waits for the command. */
struct command {
	struct apsp_command base;
	struct apsp_store *store;
	const struct apsp_job_spec *job;
	const struct apsp_job_progress *last;
	const struct apsp_job_failure *failure;
	bool retry;
};

struct claim {
	struct apsp_command base;
	struct apsp_store *store;
	struct apsp_job_spec job;
	bool found;
};

int apsp_job_tries_end(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	enum apsp_job_state state, const struct apsp_job_failure *failure,
	struct apsp_err *err)
{
	int64_t now = apsp_clock_utc_ms();
	char stages[APSP_JOB_STAGES_TEXT_SIZE];
	int r;

	apsp_job_stages_format(&last->stages, stages);
	r = apsp_sql_run(tx->db,
		"UPDATE jobs SET state = ?2, ended_at_ms = ?3, phase = ?4,"
		" progress = ?5, algorithm = ?6, device = ?7, element = ?8,"
		" error_code = ?9, error_message = ?10, error_line = ?11,"
		" error_column = ?12, error_cycle = ?13, plan = ?14,"
		" stages = ?15, proof_seed = ?16"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(job->id),
			apsp_bind_text(apsp_job_state_name(state)),
			apsp_bind_int(state == APSP_JOB_QUEUED ? 0 : now),
			apsp_bind_text(last->phase),
			apsp_bind_real(state == APSP_JOB_SUCCEEDED
					       ? 1
					       : last->progress),
			apsp_bind_text(last->algorithm),
			apsp_bind_text(last->device),
			apsp_bind_text(last->element),
			apsp_bind_text(
				failure ? apsp_code_name(failure->err.code)
					: NULL),
			apsp_bind_text(failure ? failure->err.message : NULL),
			apsp_bind_int(failure ? (int64_t)failure->err.line : 0),
			apsp_bind_int(
				failure ? (int64_t)failure->err.column : 0),
			apsp_bind_blob(failure ? failure->cycle : NULL,
				failure ? failure->cycle_size : 0),
			apsp_bind_text(last->plan), apsp_bind_text(stages),
			apsp_bind_int(last->proof_seed)),
		err);
	if (r == 0 && state == APSP_JOB_CANCELLED)
		r = apsp_generations_explain_job(tx, job->id, err);
	if (r == 0)
		r = apsp_ids_add(&tx->changed_jobs, job->id, err);
	if (r == 0)
		r = apsp_transaction_touch(tx, job->graph, err);
	return r;
}

int apsp_job_tries_count(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, struct apsp_err *err)
{
	int64_t tries = 0;
	int r;

	r = apsp_sql_int(tx->db,
		"SELECT tries FROM jobs WHERE id = ?1 AND state = 'running'",
		APSP_BIND(apsp_bind_id(job->id)), &tries, err);
	return r <= 0 ? r : (int)tries;
}

int apsp_job_tries_revive(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r;

	r = apsp_transaction_collect(tx,
		"SELECT id FROM jobs WHERE state = 'running'", NULL,
		&tx->changed_jobs, err);
	if (r == 0 && tx->changed_jobs.n == 0)
		return 0;
	if (r == 0)
		r = apsp_transaction_touch_each(tx,
			"SELECT graph FROM jobs WHERE state = 'running'", NULL,
			err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE jobs SET state = 'failed', ended_at_ms = ?1,"
			" error_code = ?2, error_message = ?3"
			" WHERE state = 'running' AND tries >= ?4",
			APSP_BIND(apsp_bind_int(apsp_clock_utc_ms()),
				apsp_bind_text(apsp_code_name(APSP_ESOLVER)),
				apsp_bind_text("the daemon ended while this "
					       "job ran, and so it did before"),
				apsp_bind_int(APSP_JOB_TRIES)),
			err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE jobs SET state = 'queued'"
			" WHERE state = 'running'",
			NULL, err);
	return r;
}

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
	/* the difference is negative if the system's clock was set back; then
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
		r = apsp_ids_add(&tx.changed_jobs, job->id, err);
	if (r == 0 && claim->found)
		r = apsp_transaction_touch(&tx, job->graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

int apsp_job_tries_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct claim claim = {.store = store};
	int r = apsp_writer_run(store->writer, &claim.base, claim_run, err);

	if (r < 0 || !claim.found)
		return r;
	*out = claim.job;
	return 1;
}

/*
 * If the tables of a bundle were refused, take back the uploads that wait for
 * them as tables of `default`: such an upload is removed as if it had not been
 * sent. Uploads that answer already stay.
 */
static int refused_drop(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, const struct apsp_job_failure *failure,
	struct apsp_err *err)
{
	static const char waiting[] =
		"SELECT %s FROM generations g JOIN profiles p"
		" ON p.generation = g.id AND p.name = 'default'"
		" WHERE g.state = 'pending' AND g.revision = ?1"
		" AND p.hash = ?2 AND p.served_hash IS NOT p.hash";
	const struct apsp_bind *values = APSP_BIND(
		apsp_bind_text(job->revision), apsp_bind_text(job->hash));
	char sql[sizeof(waiting) + sizeof("g.graph")];
	struct apsp_ids ids = {0};
	int r;

	if (failure->err.code != APSP_EDATA ||
		!apsp_received_tables_bytes(
			tx->store, job->revision, job->hash))
		return 0;
	snprintf(sql, sizeof(sql), waiting, "g.graph");
	r = apsp_transaction_touch_each(tx, sql, values, err);
	snprintf(sql, sizeof(sql), waiting, "g.id");
	if (r == 0)
		r = apsp_transaction_collect(tx, sql, values, &ids, err);
	for (size_t i = 0; r == 0 && i < ids.n; i++)
		r = apsp_generations_give_up(tx, ids.ids[i], NULL, err);
	free(ids.ids);
	return r;
}

static int fail_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	const struct apsp_job_failure *failure = command->failure;
	enum apsp_job_state state = APSP_JOB_FAILED;
	int r, tries;

	r = apsp_transaction_begin(&tx, command->store, err);
	if (r < 0)
		return r;
	tries = apsp_job_tries_count(&tx, command->job, err);
	if (tries <= 0)
		return tries;
	if (failure->err.code == APSP_ECANCELLED)
		state = APSP_JOB_CANCELLED;
	else if (command->retry && tries < APSP_JOB_TRIES)
		state = APSP_JOB_QUEUED;
	tx.jobs_queued = state == APSP_JOB_QUEUED;
	r = apsp_job_tries_end(&tx, command->job, command->last, state,
		state == APSP_JOB_QUEUED ? NULL : failure, err);
	if (r == 0 && state == APSP_JOB_FAILED)
		r = refused_drop(&tx, command->job, failure, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

void apsp_job_tries_fail(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry)
{
	struct command command = {
		.store = store,
		.job = job,
		.last = last,
		.failure = failure,
		.retry = retry,
	};

	/* if the end cannot be recorded, the next claim queues the job again or
	   fails it */
	apsp_writer_run(store->writer, &command.base, fail_run, NULL);
}

static int put_back_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET state = 'queued', tries = tries - 1,"
			" started_at_ms = 0 WHERE id = ?1 AND"
			" state = 'running'",
			APSP_BIND(apsp_bind_id(command->job->id)), err);
	if (r == 0)
		r = apsp_ids_add(&tx.changed_jobs, command->job->id, err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->job->graph, err);
	tx.jobs_queued = true;
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

void apsp_job_tries_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job)
{
	struct command command = {.store = store, .job = job};

	apsp_writer_run(store->writer, &command.base, put_back_run, NULL);
}
