/*
 * The worker's side of the queue; see worker_jobs.h. Files are written and
 * synced on the worker's thread, rows on the writer's.
 */
#include "storage/worker_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/clock.h"
#include "storage/directories/directory.h"
#include "storage/generations.h"
#include "storage/job_queue.h"
#include "storage/row.h"
#include "storage/served_tables.h"
#include "storage/table_damage.h"
#include "storage/database/sql.h"
#include "storage/tables/table_name.h"
#include "storage/tables/table_seal.h"

APSP_AUTO_DEFINE(tables_unref, struct apsp_tables, apsp_tables_unref);

/* One struct for all commands here; it lies on the waiting caller's stack. */
struct command {
	struct apsp_command base;
	struct apsp_store *store;
	const struct apsp_job_spec *job;
	const struct apsp_job_progress *last;
	const struct apsp_job_failure *failure;
	struct apsp_job_spec *out;
	bool found;
	bool retry;
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
	uint64_t checksum;
	struct apsp_tables *tables; /* taken by publish_run() on success */
};

static void command_free(struct apsp_command *base)
{
	(void)base;
}

static int command_wait(struct command *command,
	int (*run)(struct apsp_command *, struct apsp_err *),
	struct apsp_err *err)
{
	struct apsp_wait *wait = apsp_wait_new(err);

	if (!wait)
		return APSP_ENOMEM;
	command->base.run = run;
	command->base.free = command_free;
	command->base.done = apsp_wait_done(wait);
	apsp_writer_post(command->store->writer, &command->base);
	return apsp_wait_for(wait, err);
}

/* Find the oldest queued job. Returns 1 or 0. */
static int oldest_find(
	sqlite3 *db, struct apsp_job_spec *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(db,
		"SELECT id, generation, graph, profile, rule FROM jobs"
		" WHERE state = 'queued' ORDER BY id LIMIT 1",
		NULL, &stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	out->id = (uint64_t)sqlite3_column_int64(stmt, 0);
	out->generation = (uint64_t)sqlite3_column_int64(stmt, 1);
	r = apsp_sql_text(stmt, 2, out->graph, sizeof(out->graph), err);
	if (r == 0)
		r = apsp_sql_text(stmt, 3, out->profile_name,
			sizeof(out->profile_name), err);
	if (r == 0)
		r = apsp_row_rule(stmt, 4, &out->profile, err);
	return r < 0 ? r : 1;
}

/* End a queued job whose row cannot be read: it shall not block the others. */
static int unreadable_end(struct apsp_transaction *tx, uint64_t id,
	const struct apsp_err *why, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db,
		"UPDATE jobs SET state = 'failed', ended_at_ms = ?2,"
		" error_code = ?3, error_message = ?4 WHERE id = ?1",
		APSP_BIND(apsp_bind_id(id), apsp_bind_int(apsp_clock_now_ms()),
			apsp_bind_text(apsp_code_name(why->code)),
			apsp_bind_text(why->message)),
		err);
	if (r == 0)
		r = apsp_ids_add(&tx->changed_jobs, id, err);
	if (r == 0)
		r = apsp_transaction_touch_each(tx,
			"SELECT graph FROM jobs WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	return r;
}

/* Find the oldest queued job that can be read. Returns 1 or 0. */
static int readable_find(struct apsp_transaction *tx, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct apsp_err why;
	int r;

	while ((r = oldest_find(tx->db, out, &why)) == APSP_EROW) {
		r = unreadable_end(tx, out->id, &why, err);
		if (r < 0)
			return r;
	}
	return r < 0 ? apsp_fail(err, (enum apsp_code)r, "%s", why.message) : r;
}

static int claim_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	struct apsp_job_spec spec = {0};
	bool found = false;
	int64_t any;
	int r;

	r = apsp_sql_int(command->store->db,
		"SELECT 1 FROM jobs WHERE state IN ('queued', 'running')", NULL,
		&any, err);
	if (r <= 0)
		return r;
	r = apsp_transaction_begin(&tx, command->store, err);
	/* the worker asks for a job, so none can be running */
	if (r == 0)
		r = apsp_job_queue_revive(&tx, err);
	if (r == 0)
		r = readable_find(&tx, &spec, err);
	if (r > 0) {
		found = true;
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET state = 'running', tries = tries + 1,"
			" started_at_ms = ?2 WHERE id = ?1",
			APSP_BIND(apsp_bind_id(spec.id),
				apsp_bind_int(apsp_clock_now_ms())),
			err);
	}
	if (r == 0 && found)
		r = apsp_ids_add(&tx.changed_jobs, spec.id, err);
	if (r == 0 && found)
		r = apsp_transaction_touch(&tx, spec.graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	if (r == 0) {
		command->found = found;
		*command->out = spec;
	}
	return r;
}

int apsp_worker_jobs_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct apsp_job_spec spec;
	struct command command = {.store = store, .out = &spec};
	int r;

	r = command_wait(&command, claim_run, err);
	if (r < 0 || !command.found)
		return r;
	*out = spec;
	return 1;
}

/* Record the end of a try and its last progress. */
static int job_end(struct apsp_transaction *tx, const struct command *command,
	enum apsp_job_state state, const struct apsp_job_failure *failure,
	struct apsp_err *err)
{
	static const struct apsp_job_progress nothing;
	const struct apsp_job_progress *last =
		command->last ? command->last : &nothing;
	int64_t now = apsp_clock_now_ms();
	int r;

	r = apsp_sql_run(tx->db,
		"UPDATE jobs SET state = ?2, ended_at_ms = ?3, phase = ?4,"
		" progress = ?5, algorithm = ?6, device = ?7, element = ?8,"
		" error_code = ?9, error_message = ?10, error_line = ?11,"
		" error_column = ?12, error_cycle = ?13, plan = ?14"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(command->job->id),
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
			apsp_bind_text(last->plan)),
		err);
	if (r == 0 && state == APSP_JOB_CANCELLED)
		r = apsp_generations_explain_job(tx, command->job->id, err);
	if (r == 0)
		r = apsp_ids_add(&tx->changed_jobs, command->job->id, err);
	if (r == 0)
		r = apsp_transaction_touch(tx, command->job->graph, err);
	return r;
}

/* Returns the job's tries if it is running, or 0. */
static int running_tries(
	sqlite3 *db, const struct apsp_job_spec *job, struct apsp_err *err)
{
	int64_t tries = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT tries FROM jobs WHERE id = ?1 AND state = 'running'",
		APSP_BIND(apsp_bind_id(job->id)), &tries, err);
	return r <= 0 ? r : (int)tries;
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
	tries = running_tries(tx.db, command->job, err);
	if (tries <= 0)
		return tries;
	if (failure->err.code == APSP_ECANCELLED)
		state = APSP_JOB_CANCELLED;
	else if (command->retry && tries < APSP_JOB_TRIES)
		state = APSP_JOB_QUEUED;
	tx.jobs_queued = state == APSP_JOB_QUEUED;
	r = job_end(&tx, command, state,
		state == APSP_JOB_QUEUED ? NULL : failure, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

void apsp_worker_jobs_fail(struct apsp_store *store,
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

	/* a failure to record this is repaired at the next claim */
	command_wait(&command, fail_run, NULL);
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

void apsp_worker_jobs_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job)
{
	struct command command = {.store = store, .job = job};

	command_wait(&command, put_back_run, NULL);
}

/* Whether some live profile wants the tables that the job makes. */
static int job_wanted(sqlite3 *db, const char *revision, const char *hash,
	struct apsp_err *err)
{
	int64_t one;

	return apsp_sql_int(db,
		"SELECT 1 FROM generations g JOIN profiles p"
		" ON p.generation = g.id"
		" WHERE g.revision = ?1 AND p.hash = ?2",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), &one,
		err);
}

static int tables_record(struct apsp_transaction *tx,
	const struct command *command, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db,
		"INSERT INTO tables (id, revision, hash, checksum, made_at_ms)"
		" VALUES (?1, ?2, ?3, ?4, ?5)",
		APSP_BIND(apsp_bind_id(command->job->id),
			apsp_bind_text(command->revision),
			apsp_bind_text(command->hash),
			apsp_bind_int((int64_t)command->checksum),
			apsp_bind_int(apsp_clock_now_ms())),
		err);
	if (r == 0)
		r = job_end(tx, command, APSP_JOB_SUCCEEDED, NULL, err);
	if (r == 0)
		r = apsp_served_tables_gain(
			tx, command->revision, command->hash, err);
	if (r == 0)
		r = apsp_generations_settle(tx, err);
	return r;
}

/* No profile wants the tables: end the job as cancelled and say so. */
static int unwanted_end(struct apsp_transaction *tx,
	const struct command *command, struct apsp_err *err)
{
	struct apsp_job_failure failure = {0};
	int r;

	apsp_fail(&failure.err, APSP_ECANCELLED,
		"nobody needs these tables any more");
	r = job_end(tx, command, APSP_JOB_CANCELLED, &failure, err);
	if (r == 0)
		r = apsp_generations_commit(tx, err);
	return r < 0 ? r
		     : apsp_fail(
			       err, APSP_ECANCELLED, "%s", failure.err.message);
}

static int publish_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	struct apsp_store *store = command->store;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, store, err);
	if (r < 0)
		return r;
	r = running_tries(tx.db, command->job, err);
	if (r == 0)
		return apsp_fail(err, APSP_ECANCELLED,
			"job %llu is not running any more",
			(unsigned long long)command->job->id);
	if (r > 0)
		r = job_wanted(tx.db, command->revision, command->hash, err);
	if (r < 0)
		return r;
	if (r == 0)
		return unwanted_end(&tx, command, err);
	/* first: the commit builds snapshots, which look for the tables there
	 */
	r = apsp_open_tables_add(&store->open_tables, command->job->id,
		command->revision, command->hash, command->tables, err);
	if (r < 0)
		return r;
	apsp_tables_ref(command->tables);
	r = tables_record(&tx, command, err);
	if (r == 0)
		r = apsp_transaction_commit(&tx, err);
	if (r < 0)
		apsp_tables_unref(apsp_open_tables_take(
			&store->open_tables, command->job->id));
	return r;
}

static int key_read(
	sqlite3 *db, uint64_t id, struct command *command, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(db,
		"SELECT revision, hash FROM jobs WHERE id = ?1",
		APSP_BIND(apsp_bind_id(id)), &stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r == 0)
		return apsp_fail(err, APSP_ENOJOB, "there is no job %llu",
			(unsigned long long)id);
	if (r < 0)
		return r;
	r = apsp_sql_text(
		stmt, 0, command->revision, sizeof(command->revision), err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, 1, command->hash, sizeof(command->hash), err);
	return r;
}

static int key_load(struct apsp_store *store, uint64_t id,
	struct command *command, struct apsp_err *err)
{
	sqlite3 *db = NULL;
	int r;

	r = apsp_readers_take(store->readers, &db, err);
	if (r < 0)
		return r;
	r = key_read(db, id, command, err);
	apsp_readers_give(store->readers, db);
	return r;
}

int apsp_worker_jobs_publish(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const char *path, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *place = NULL;
	APSP_AUTO(tables_unref) struct apsp_tables *tables = NULL;
	struct command command = {.store = store, .job = job, .last = last};
	struct apsp_tables_watch watch = apsp_table_damage_watch(store);
	int r;

	place = apsp_table_name_path(store->tables_dir, job->id);
	if (!place)
		return apsp_fail(err, APSP_ENOMEM, "no memory to publish");
	r = key_load(store, job->id, &command, err);
	if (r == 0)
		r = apsp_table_seal(path, command.revision, command.hash,
			&command.checksum, err);
	/* who empties the cache while we run removes this directory too */
	if (r == 0)
		r = apsp_directory_make(store->tables_dir, err);
	if (r < 0)
		return r;
	if (rename(path, place) < 0)
		return apsp_fail_errno(
			err, errno, "move the tables to '%s'", place);
	r = apsp_directory_sync(store->tables_dir, err);
	if (r == 0)
		r = apsp_tables_open(place, command.revision, command.hash,
			&watch, &tables, err);
	command.tables = tables;
	if (r == 0)
		r = command_wait(&command, publish_run, err);
	if (r < 0)
		unlink(place);
	return r;
}
