/*
 * Records of jobs; see jobs.h.
 */
#include "storage/jobs/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/generations.h"
#include "storage/snapshots/row.h"

#define RECORD_COLUMNS                                                         \
	"id, graph, profile, revision, state, tries, queued_at_ms,"            \
	" started_at_ms, ended_at_ms, phase, progress, algorithm, device,"     \
	" element, error_code, error_message, error_line, error_column,"       \
	" error_cycle, plan, stages, proof_seed"

void apsp_job_record_done(struct apsp_job_record *record)
{
	apsp_job_failure_done(&record->failure);
}

static int failure_read(
	sqlite3_stmt *stmt, struct apsp_job_failure *out, struct apsp_err *err)
{
	size_t size = (size_t)sqlite3_column_bytes(stmt, 18);
	int r = apsp_row_job_error(stmt, 14, &out->err, err);

	if (r < 0 || !out->err.code || size == 0)
		return r;
	out->cycle = malloc(size);
	if (!out->cycle)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a record");
	memcpy(out->cycle, sqlite3_column_blob(stmt, 18), size);
	out->cycle_size = size;
	return 0;
}

/* Read a text that the solver reported. A text that does not fit is read as
   empty. */
static void reported_read(
	sqlite3_stmt *stmt, int column, char *out, size_t size)
{
	if (apsp_sql_text(stmt, column, out, size, NULL) < 0)
		*out = '\0';
}

/*
 * Read a row of RECORD_COLUMNS. `state` is the job's state as requests see it.
 * When a job ends, its row changes first. For a moment after that, requests
 * still see the job as queued or running (active_jobs.h).
 */
static int record_read(sqlite3_stmt *stmt, enum apsp_job_state state,
	struct apsp_job_record *out, struct apsp_err *err)
{
	struct apsp_job_record record = {.state = state};
	struct apsp_job_progress *last = &record.last;
	char stages[APSP_JOB_STAGES_TEXT_SIZE];
	int r;

	record.id = (uint64_t)sqlite3_column_int64(stmt, 0);
	r = apsp_sql_text(stmt, 1, record.graph, sizeof(record.graph), err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, 2, record.profile, sizeof(record.profile), err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, 3, record.revision, sizeof(record.revision), err);
	if (r < 0)
		return r;
	record.tries = (unsigned int)sqlite3_column_int(stmt, 5);
	record.queued_at_ms = sqlite3_column_int64(stmt, 6);
	record.started_at_ms = sqlite3_column_int64(stmt, 7);
	if (!apsp_job_state_active(state))
		record.ended_at_ms = sqlite3_column_int64(stmt, 8);
	reported_read(stmt, 9, last->phase, sizeof(last->phase));
	last->progress = sqlite3_column_double(stmt, 10);
	last->eta_s = -1;
	reported_read(stmt, 11, last->algorithm, sizeof(last->algorithm));
	reported_read(stmt, 12, last->device, sizeof(last->device));
	reported_read(stmt, 13, last->element, sizeof(last->element));
	reported_read(stmt, 19, last->plan, sizeof(last->plan));
	reported_read(stmt, 20, stages, sizeof(stages));
	apsp_job_stages_parse(stages, &last->stages);
	last->proof_seed = (uint32_t)sqlite3_column_int64(stmt, 21);
	if (!apsp_job_state_active(state))
		r = failure_read(stmt, &record.failure, err);
	if (r == 0)
		*out = record;
	return r;
}

/* Read the job's state, as requests see it, from a row whose first column is
   the job's id. */
static int state_read(struct apsp_store *store, sqlite3_stmt *stmt, int column,
	enum apsp_job_state *out, struct apsp_err *err)
{
	int r = apsp_row_job_state(stmt, column, out, err);

	if (r == 0)
		*out = apsp_active_jobs_state(&store->active,
			(uint64_t)sqlite3_column_int64(stmt, 0), *out);
	return r;
}

static int record_get(struct apsp_store *store, sqlite3 *db, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	enum apsp_job_state state;
	int r;

	r = apsp_sql_first(db,
		"SELECT " RECORD_COLUMNS " FROM jobs WHERE id = ?1",
		APSP_BIND(apsp_bind_int((int64_t)id)), &stmt, err);
	if (r == 0)
		return apsp_fail(err, APSP_ENOJOB, "there is no job %llu",
			(unsigned long long)id);
	if (r > 0)
		r = state_read(store, stmt, 4, &state, err);
	return r < 0 ? r : record_read(stmt, state, out, err);
}

int apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_reader_end) struct apsp_reader reader = {0};
	int r = apsp_reader_begin(store->readers, &reader, err);

	return r < 0 ? r : record_get(store, reader.db, id, out, err);
}

int apsp_jobs_list(struct apsp_store *store,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err)
{
	APSP_AUTO(apsp_reader_end) struct apsp_reader reader = {0};
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	enum apsp_job_state state;
	uint64_t before = filter->before_id;
	int64_t limit =
		before && before < INT64_MAX ? (int64_t)before : INT64_MAX;
	size_t n = 0;
	int r;

	r = apsp_reader_begin(store->readers, &reader, err);
	if (r < 0)
		return r;
	r = apsp_sql_prepare(reader.db,
		/* the query has no LIMIT, because the loop below skips some
		   rows, which must not count towards `max` */
		filter->graph ? "SELECT " RECORD_COLUMNS
				" FROM jobs WHERE graph = ?2 AND id < ?1"
				" ORDER BY id DESC"
			      : "SELECT " RECORD_COLUMNS
				" FROM jobs WHERE ?2 IS NULL AND id < ?1"
				" ORDER BY id DESC",
		APSP_BIND(apsp_bind_int(limit), apsp_bind_text(filter->graph)),
		&stmt, err);
	while (r >= 0 && n < max && (r = apsp_sql_step(stmt, err)) > 0) {
		r = state_read(store, stmt, 4, &state, err);
		if (r == 0 && filter->state &&
			strcmp(filter->state, apsp_job_state_names[state]) != 0)
			continue;
		if (r == 0)
			r = record_read(stmt, state, &out[n], err);
		if (r == 0)
			n++;
		else if (r == APSP_EROW)
			r = 0; /* skip a record that cannot be read */
	}
	if (r >= 0)
		return (int)n;
	while (n > 0)
		apsp_job_record_done(&out[--n]);
	return r;
}

int apsp_jobs_count(struct apsp_store *store, uint64_t out[APSP_N_JOB_STATES],
	struct apsp_err *err)
{
	APSP_AUTO(apsp_reader_end) struct apsp_reader reader = {0};
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	enum apsp_job_state state;
	int r;

	memset(out, 0, APSP_N_JOB_STATES * sizeof(*out));
	r = apsp_reader_begin(store->readers, &reader, err);
	if (r == 0)
		r = apsp_sql_prepare(reader.db, "SELECT id, state FROM jobs",
			NULL, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0)
		/* do not count a job with a state that this version of apspd
		   does not know */
		if (state_read(store, stmt, 1, &state, NULL) == 0)
			out[state]++;
	return r;
}

struct cancel {
	struct apsp_command base;
	struct apsp_store *store;
	uint64_t id;
	enum apsp_job_state *out_state;
};

/* SQL: the error of a job that is cancelled on request. */
#define REQUEST                                                                \
	"error_code = 'cancelled', error_message = 'cancelled on request'"

static int queued_cancel(struct cancel *cancel,
	const struct apsp_job_record *record, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, cancel->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET state = 'cancelled',"
			" ended_at_ms = ?2, " REQUEST " WHERE id = ?1",
			APSP_BIND(apsp_bind_int((int64_t)cancel->id),
				apsp_bind_int(apsp_clock_utc_ms())),
			err);
	if (r == 0)
		r = apsp_transaction_touch_job(
			&tx, cancel->id, record->graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

/* Record in the row of a running job that the job is to be cancelled. Then it
   is not tried again if its present try fails or the daemon dies (job_tries.h).
   Errors are ignored, because the job must be cancelled even if the disk is
   full. */
static void running_cancel(const struct cancel *cancel)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r = apsp_transaction_begin(&tx, cancel->store, NULL);

	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET " REQUEST
			" WHERE id = ?1 AND state = 'running'",
			APSP_BIND(apsp_bind_id(cancel->id)), NULL);
	if (r == 0)
		apsp_transaction_commit(&tx, NULL);
}

static int cancel_run(struct apsp_command *base, struct apsp_err *err)
{
	struct cancel *cancel = (struct cancel *)base;
	APSP_AUTO(apsp_job_record_done) struct apsp_job_record record = {0};
	int r;

	r = record_get(
		cancel->store, cancel->store->db, cancel->id, &record, err);
	if (r == 0 && record.state == APSP_JOB_QUEUED) {
		r = queued_cancel(cancel, &record, err);
		record.state = APSP_JOB_CANCELLED;
	} else if (r == 0 && record.state == APSP_JOB_RUNNING) {
		running_cancel(cancel);
	}
	if (r == 0)
		*cancel->out_state = record.state;
	return r;
}

void apsp_jobs_cancel(struct apsp_store *store, uint64_t id,
	enum apsp_job_state *out_state, struct apsp_done done)
{
	struct cancel *cancel =
		apsp_command_new(sizeof(*cancel), cancel_run, done);

	if (!cancel)
		return;
	cancel->store = store;
	cancel->id = id;
	cancel->out_state = out_state;
	apsp_writer_post(store->writer, &cancel->base);
}
