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
	char code[32];
	size_t size;
	int r;

	r = apsp_sql_text(stmt, 14, code, sizeof(code), err);
	if (r < 0 || !*code)
		return r;
	out->err.code = apsp_code_from_name(code);
	apsp_sql_message(stmt, 15, &out->err);
	out->err.line = (uint64_t)sqlite3_column_int64(stmt, 16);
	out->err.column = (uint64_t)sqlite3_column_int64(stmt, 17);
	size = (size_t)sqlite3_column_bytes(stmt, 18);
	if (size == 0)
		return 0;
	out->cycle = malloc(size);
	if (!out->cycle)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a record");
	memcpy(out->cycle, sqlite3_column_blob(stmt, 18), size);
	out->cycle_size = size;
	return 0;
}

/* What the solver told; a text that does not fit counts as not told. */
static void told_read(sqlite3_stmt *stmt, int column, char *out, size_t size)
{
	if (apsp_sql_text(stmt, column, out, size, NULL) < 0)
		*out = '\0';
}

static int record_read(
	sqlite3_stmt *stmt, struct apsp_job_record *out, struct apsp_err *err)
{
	struct apsp_job_record record = {0};
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
	if (r == 0)
		r = apsp_row_job_state(stmt, 4, &record.state, err);
	if (r < 0)
		return r;
	record.tries = (unsigned int)sqlite3_column_int(stmt, 5);
	record.queued_at_ms = sqlite3_column_int64(stmt, 6);
	record.started_at_ms = sqlite3_column_int64(stmt, 7);
	record.ended_at_ms = sqlite3_column_int64(stmt, 8);
	told_read(stmt, 9, last->phase, sizeof(last->phase));
	last->progress = sqlite3_column_double(stmt, 10);
	last->eta_s = -1;
	told_read(stmt, 11, last->algorithm, sizeof(last->algorithm));
	told_read(stmt, 12, last->device, sizeof(last->device));
	told_read(stmt, 13, last->element, sizeof(last->element));
	told_read(stmt, 19, last->plan, sizeof(last->plan));
	told_read(stmt, 20, stages, sizeof(stages));
	apsp_job_stages_parse(stages, &last->stages);
	last->proof_seed = (uint32_t)sqlite3_column_int64(stmt, 21);
	r = failure_read(stmt, &record.failure, err);
	if (r == 0)
		*out = record;
	return r;
}

static int record_get(sqlite3 *db, uint64_t id, struct apsp_job_record *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(db,
		"SELECT " RECORD_COLUMNS " FROM jobs WHERE id = ?1",
		APSP_BIND(apsp_bind_int((int64_t)id)), &stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r == 0)
		return apsp_fail(err, APSP_ENOJOB, "there is no job %llu",
			(unsigned long long)id);
	return r < 0 ? r : record_read(stmt, out, err);
}

int apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err)
{
	sqlite3 *db = NULL;
	int r;

	r = apsp_readers_take(store->readers, &db, err);
	if (r < 0)
		return r;
	r = record_get(db, id, out, err);
	apsp_readers_give(store->readers, db);
	/* who is told that a job has ended finds its tables */
	if (r == 0 && out->state > APSP_JOB_RUNNING)
		apsp_unshown_jobs_await(&store->unshown, id);
	return r;
}

/*
 * A job whose end the rows tell already and the snapshots do not; 0: none. Jobs
 * whose commit waits for the disk have not ended yet.
 */
static uint64_t ended_unshown(struct apsp_store *store, sqlite3 *db)
{
	uint64_t id = 0;

	while ((id = apsp_unshown_jobs_next(&store->unshown, id))) {
		int64_t ended = 0;
		int r = apsp_sql_int(db,
			"SELECT state NOT IN ('queued', 'running') FROM jobs"
			" WHERE id = ?1",
			APSP_BIND(apsp_bind_int((int64_t)id)), &ended, NULL);

		if (r < 0 || ended)
			break;
	}
	return id;
}

/*
 * End a read of many jobs: a job that is absent from a list or a count may tell
 * its end, too. One job stands for all that its commit has ended.
 */
static void many_end(struct apsp_store *store, sqlite3 *db)
{
	uint64_t id = ended_unshown(store, db);

	apsp_readers_give(store->readers, db);
	if (id)
		apsp_unshown_jobs_await(&store->unshown, id);
}

static int records_list(sqlite3 *db, const struct apsp_job_filter *filter,
	struct apsp_job_record *out, size_t max, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	uint64_t before = filter->before_id;
	int64_t limit =
		before && before < INT64_MAX ? (int64_t)before : INT64_MAX;
	size_t n = 0;
	int r;

	r = apsp_sql_prepare(db,
		/* without LIMIT: rows that are left out count for nothing */
		filter->graph ? "SELECT " RECORD_COLUMNS
				" FROM jobs WHERE graph = ?2 AND id < ?1"
				" AND (?3 IS NULL OR state = ?3)"
				" ORDER BY id DESC"
			      : "SELECT " RECORD_COLUMNS
				" FROM jobs WHERE ?2 IS NULL AND id < ?1"
				" AND (?3 IS NULL OR state = ?3)"
				" ORDER BY id DESC",
		APSP_BIND(apsp_bind_int(limit), apsp_bind_text(filter->graph),
			apsp_bind_text(filter->state)),
		&stmt, err);
	while (r >= 0 && n < max && (r = apsp_sql_step(stmt, err)) > 0) {
		r = record_read(stmt, &out[n], err);
		if (r == 0)
			n++;
		else if (r == APSP_EROW)
			r = 0; /* the others are listed */
	}
	if (r >= 0)
		return (int)n;
	while (n > 0)
		apsp_job_record_done(&out[--n]);
	return r;
}

int apsp_jobs_list(struct apsp_store *store,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err)
{
	static const struct apsp_job_filter all = {0};
	sqlite3 *db = NULL;
	int r;

	r = apsp_readers_take(store->readers, &db, err);
	if (r < 0)
		return r;
	r = records_list(db, filter ? filter : &all, out, max, err);
	many_end(store, db);
	return r;
}

static int records_count(
	sqlite3 *db, uint64_t out[APSP_N_JOB_STATES], struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	memset(out, 0, APSP_N_JOB_STATES * sizeof(*out));
	r = apsp_sql_prepare(db,
		"SELECT state, COUNT(*) FROM jobs GROUP BY state", NULL, &stmt,
		err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		int state = name ? apsp_job_state_from_name(name) : -1;

		if (state >= 0) /* others cannot be read: /readyz tells */
			out[state] = (uint64_t)sqlite3_column_int64(stmt, 1);
	}
	return r;
}

int apsp_jobs_count(struct apsp_store *store, uint64_t out[APSP_N_JOB_STATES],
	struct apsp_err *err)
{
	sqlite3 *db = NULL;
	int r;

	r = apsp_readers_take(store->readers, &db, err);
	if (r < 0)
		return r;
	r = records_count(db, out, err);
	many_end(store, db);
	return r;
}

struct cancel {
	struct apsp_command base;
	struct apsp_store *store;
	uint64_t id;
	enum apsp_job_state *out_state;
};

static int queued_cancel(struct cancel *cancel,
	const struct apsp_job_record *record, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, cancel->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE jobs SET state = 'cancelled',"
			" ended_at_ms = ?2, error_code = 'cancelled',"
			" error_message = 'cancelled on request'"
			" WHERE id = ?1",
			APSP_BIND(apsp_bind_int((int64_t)cancel->id),
				apsp_bind_int(apsp_clock_utc_ms())),
			err);
	if (r == 0)
		r = apsp_ids_add(&tx.changed_jobs, cancel->id, err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, record->graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

static int cancel_run(struct apsp_command *base, struct apsp_err *err)
{
	struct cancel *cancel = (struct cancel *)base;
	APSP_AUTO(apsp_job_record_done) struct apsp_job_record record = {0};
	int r;

	r = record_get(cancel->store->db, cancel->id, &record, err);
	if (r == 0 && record.state == APSP_JOB_QUEUED) {
		r = queued_cancel(cancel, &record, err);
		record.state = APSP_JOB_CANCELLED;
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
