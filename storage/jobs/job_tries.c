/*
 * The tries at a job; see job_tries.h.
 */
#include "storage/jobs/job_tries.h"

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/received_tables.h"
#include "storage/snapshots/transaction.h"

/* The commands of this file, which the writer thread runs. A command lies on
   the stack of the calling thread, which waits for the command's end. */
struct command {
	struct apsp_command base;
	struct apsp_store *store;
	const struct apsp_job_spec *job;
	const struct apsp_job_progress *last;
	const struct apsp_job_failure *failure;
	bool retry;
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
	/* If the job ends as cancelled because a client has asked for this, its
	   row has a message already, and keeps it. If the job ends as cancelled
	   because no profile refers to it, the message says why no profile
	   does. */
	r = apsp_sql_run(tx->db,
		"UPDATE jobs SET state = ?2, ended_at_ms = ?3, phase = ?4,"
		" progress = ?5, algorithm = ?6, device = ?7, element = ?8,"
		" error_code = ?9, error_line = ?11,"
		" error_message = CASE WHEN ?2 != 'cancelled' THEN ?10"
		"  WHEN error_message IS NOT NULL THEN error_message"
		"  WHEN EXISTS (SELECT 1 FROM profiles p WHERE p.job = jobs.id)"
		"  THEN ?10 ELSE " APSP_JOB_UNWANTED_REASON " END,"
		" error_column = ?12, error_cycle = ?13, plan = ?14,"
		" stages = ?15, proof_seed = ?16"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(job->id),
			apsp_bind_text(apsp_job_state_names[state]),
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
	if (r == 0)
		r = apsp_transaction_touch_job(tx, job->id, job->graph, err);
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

/*
 * SQL: queue a running job again. But if its row has an error, a client has
 * asked to cancel the job (apsp_jobs_cancel()); then the job ends as cancelled
 * at the time ?1.
 */
#define QUEUE_AGAIN                                                            \
	"UPDATE jobs SET state = iif(error_code IS NULL, 'queued',"            \
	" 'cancelled'), ended_at_ms = iif(error_code IS NULL, 0, ?1)"

int apsp_job_tries_revive(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r;

	r = apsp_transaction_touch_each(tx,
		"SELECT graph FROM jobs WHERE state = 'running'", NULL, err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"UPDATE jobs SET state = 'failed', ended_at_ms = ?1,"
			" error_code = ?2, error_message = ?3"
			" WHERE state = 'running' AND tries >= ?4"
			" AND error_code IS NULL RETURNING id",
			APSP_BIND(apsp_bind_int(apsp_clock_utc_ms()),
				apsp_bind_text(apsp_code_name(APSP_ESOLVER)),
				apsp_bind_text("the daemon ended during each "
					       "try of this job"),
				apsp_bind_int(APSP_JOB_TRIES)),
			&tx->changed_jobs, err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			QUEUE_AGAIN " WHERE state = 'running' RETURNING id",
			APSP_BIND(apsp_bind_int(apsp_clock_utc_ms())),
			&tx->changed_jobs, err);
	return r;
}

int apsp_job_tries_renew(struct apsp_transaction *tx, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"UPDATE profiles AS p SET job = NULL"
		" FROM generations g, jobs j WHERE g.id = p.generation"
		" AND g.state = 'current' AND p.served_hash IS NULL"
		" AND j.id = p.job AND j.state = 'failed'"
		" AND j.error_code IN (?1, ?2)"
		" RETURNING (SELECT graph FROM generations"
		"  WHERE id = generation)",
		APSP_BIND(apsp_bind_text(apsp_code_name(APSP_ENOSPACE)),
			apsp_bind_text(apsp_code_name(APSP_EDEVICE))),
		err);
}

/*
 * Called if a job has failed. Does nothing unless the job was to prove tables
 * of a bundle, and refused them. If the bundle's upload is pending, and its
 * profile `default` waits for these tables, the upload is removed as if it had
 * not been sent. An upload that is already current is kept. Profiles of other
 * uploads that waited for this job get a new job, because the refused file did
 * not come from their upload.
 */
static int refused_drop(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, const struct apsp_job_failure *failure,
	struct apsp_err *err)
{
	int64_t one;
	int r;

	if (failure->err.code != APSP_EDATA ||
		!apsp_received_tables_bytes(
			tx->store, job->revision, job->hash, job->generation))
		return 0;
	r = apsp_sql_int(tx->db,
		"SELECT 1 FROM generations g JOIN profiles p"
		" ON p.generation = g.id AND p.name = 'default'"
		" WHERE g.id = ?1 AND g.state = 'pending' AND p.hash = ?2"
		" AND p.served_hash IS NOT p.hash",
		APSP_BIND(apsp_bind_id(job->generation),
			apsp_bind_text(job->hash)),
		&one, err);
	if (r > 0)
		r = apsp_generations_give_up(tx, job->generation, NULL, err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE profiles SET job = NULL WHERE job = ?1"
			" AND generation != ?2",
			APSP_BIND(apsp_bind_id(job->id),
				apsp_bind_id(job->generation)),
			err);
	return r;
}

/* If a client has asked to cancel the running job, return 1, and copy the error
   with which the job must end from the job's row to *out; else return 0. */
static int request_read(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, struct apsp_err *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r = apsp_sql_first(tx->db,
		"SELECT error_message FROM jobs WHERE id = ?1"
		" AND error_code IS NOT NULL",
		APSP_BIND(apsp_bind_id(job->id)), &stmt, err);

	if (r > 0) {
		out->code = APSP_ECANCELLED;
		apsp_sql_message(stmt, 0, out);
	}
	return r;
}

static int fail_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	const struct apsp_job_failure *failure = command->failure;
	struct apsp_job_failure request = {0};
	enum apsp_job_state state = APSP_JOB_FAILED;
	int r, tries;

	r = apsp_transaction_begin(&tx, command->store, err);
	if (r < 0)
		return r;
	tries = apsp_job_tries_count(&tx, command->job, err);
	if (tries <= 0)
		return tries;
	if (command->retry)
		r = request_read(&tx, command->job, &request.err, err);
	if (r > 0)
		failure = &request;
	if (failure->err.code == APSP_ECANCELLED)
		state = APSP_JOB_CANCELLED;
	else if (command->retry && tries < APSP_JOB_TRIES)
		state = APSP_JOB_QUEUED;
	tx.jobs_queued = state == APSP_JOB_QUEUED;
	if (r >= 0)
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

	/* if the end of the job cannot be recorded, the next claim puts the job
	   back into the queue, or records that it has failed */
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
			QUEUE_AGAIN ", tries = tries - 1, started_at_ms = 0"
				    " WHERE id = ?2 AND state = 'running'",
			APSP_BIND(apsp_bind_int(apsp_clock_utc_ms()),
				apsp_bind_id(command->job->id)),
			err);
	if (r == 0)
		r = apsp_transaction_touch_job(
			&tx, command->job->id, command->job->graph, err);
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
