/*
 * Publishing a job's tables; see job_publish.h. The worker's thread writes the
 * file, the writer thread writes the rows, and the thread of table_sync.h makes
 * both durable.
 */
#include "storage/jobs/job_publish.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/directories/directory.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_part.h"
#include "storage/jobs/job_tries.h"
#include "storage/jobs/table_care.h"
#include "storage/jobs/table_sync.h"
#include "storage/snapshots/transaction.h"
#include "storage/tables/table_name.h"
#include "storage/tables/table_seal.h"

/* The command `publish`, which the writer thread runs. It lies on the stack of
   the calling thread, which waits for the command's end. */
struct publish {
	struct apsp_command base;
	struct apsp_store *store;
	const struct apsp_job_spec *job;
	/* the last progress that the try reported; the seconds of publishing
	   are added to `last.stages` */
	struct apsp_job_progress last;
	uint64_t checksum;
	struct apsp_tables *tables;
};

/* Returns 1 if any profile needs the tables that the job made, else 0.
   APSP_EDAMAGED: they are tables of another graph or another kind of rule.
   Requests would then read beyond the end of the graph's labels. */
static int job_wanted(
	sqlite3 *db, const struct publish *publish, struct apsp_err *err)
{
	const struct apsp_table_header *header = &publish->tables->header;
	const struct apsp_job_spec *job = publish->job;
	int64_t n_vertices;
	int r;

	r = apsp_sql_int(db,
		"SELECT g.n_vertices FROM generations g JOIN profiles p"
		" ON p.generation = g.id"
		" WHERE g.revision = ?1 AND p.hash = ?2"
		" AND NOT " APSP_RULE_GIVEN_UP " AND " APSP_GENERATION_COMPUTES,
		APSP_BIND(apsp_bind_text(job->revision),
			apsp_bind_text(job->hash)),
		&n_vertices, err);
	if (r > 0 && (header->n_vertices != (uint64_t)n_vertices ||
			     apsp_table_has_widths(header) !=
				     (job->profile.path == APSP_PATH_WIDEST)))
		return apsp_fail(err, APSP_EDAMAGED,
			"the solver wrote tables of %" PRIu64
			" vertices with %s, and the job needs tables of "
			"%" PRId64 " vertices with %s",
			header->n_vertices,
			apsp_table_has_widths(header) ? "widths" : "distances",
			n_vertices,
			job->profile.path == APSP_PATH_WIDEST ? "widths"
							      : "distances");
	return r;
}

static int tables_record(struct apsp_transaction *tx, struct publish *publish,
	struct apsp_err *err)
{
	const struct apsp_job_spec *job = publish->job;
	int r;

	apsp_job_stages_end(&publish->last.stages, APSP_STAGE_PUBLISH);
	r = apsp_sql_run(tx->db,
		"INSERT INTO tables (id, revision, hash, checksum, made_at_ms,"
		" durable) VALUES (?1, ?2, ?3, ?4, ?5, 0)",
		APSP_BIND(apsp_bind_id(job->id), apsp_bind_text(job->revision),
			apsp_bind_text(job->hash),
			apsp_bind_int((int64_t)publish->checksum),
			apsp_bind_int(apsp_clock_utc_ms())),
		err);
	if (r == 0)
		r = apsp_job_tries_end(
			tx, job, &publish->last, APSP_JOB_SUCCEEDED, NULL, err);
	if (r == 0)
		r = apsp_table_care_serve(tx, job->revision, job->hash, err);
	return r;
}

/* Called if no profile needs the tables: end the job as cancelled, and fail
   with APSP_ECANCELLED. */
static int unwanted_end(struct apsp_transaction *tx,
	const struct publish *publish, struct apsp_err *err)
{
	struct apsp_job_failure failure = {0};
	int r;

	apsp_fail(&failure.err, APSP_ECANCELLED,
		"nobody needs these tables any more");
	r = apsp_job_tries_end(tx, publish->job, &publish->last,
		APSP_JOB_CANCELLED, &failure, err);
	if (r == 0)
		r = apsp_generations_commit(tx, err);
	return r < 0 ? r
		     : apsp_fail(
			       err, APSP_ECANCELLED, "%s", failure.err.message);
}

static int publish_run(struct apsp_command *base, struct apsp_err *err)
{
	struct publish *publish = (struct publish *)base;
	const struct apsp_job_spec *job = publish->job;
	struct apsp_store *store = publish->store;
	struct apsp_open_tables_entry entry = {
		.id = job->id, .tables = publish->tables};
	/*
	 * With tx.lazy, the commit does not wait for the disk. If a power cut
	 * undoes the commit, the job runs again. Waiting would not help,
	 * because a power cut can still destroy the table file, which is not
	 * durable yet.
	 */
	APSP_AUTO(apsp_transaction_done)
	struct apsp_transaction tx = {.lazy = true};
	int r;

	r = apsp_transaction_begin(&tx, store, err);
	if (r < 0)
		return r;
	r = apsp_job_tries_count(&tx, job, err);
	if (r == 0)
		return apsp_fail(err, APSP_ECANCELLED,
			"job %llu is not running any more",
			(unsigned long long)job->id);
	if (r > 0)
		r = job_wanted(tx.db, publish, err);
	if (r < 0)
		return r;
	if (r == 0)
		return unwanted_end(&tx, publish, err);
	/* add the tables to the list of open tables before the commit, which
	   builds snapshots from this list */
	memcpy(entry.revision, job->revision, sizeof(entry.revision));
	memcpy(entry.hash, job->hash, sizeof(entry.hash));
	r = apsp_open_tables_add(&store->open_tables, &entry, err);
	if (r < 0)
		return r;
	apsp_tables_ref(publish->tables);
	r = tables_record(&tx, publish, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	if (r < 0)
		apsp_open_tables_drop(&store->open_tables, job->id);
	return r;
}

int apsp_job_publish(struct apsp_store *store, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last, const char *path,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *place = NULL;
	APSP_AUTO(apsp_tables_end) struct apsp_tables *tables = NULL;
	struct publish publish = {.store = store, .job = job, .last = *last};
	struct apsp_tables_watch watch = apsp_table_care_watch(store);
	int r;

	place = apsp_table_name_path(store->open_tables.dir, job->id);
	if (!place)
		return apsp_fail(err, APSP_ENOMEM, "no memory to publish");
	r = apsp_table_seal(
		path, job->revision, job->hash, &publish.checksum, err);
	/* make the directory, because a user may have emptied the cache while
	   the daemon ran */
	if (r == 0)
		r = apsp_directory_make(store->open_tables.dir, err);
	if (r < 0)
		return r;
	if (rename(path, place) < 0)
		return apsp_fail_errno(
			err, errno, "move the tables to '%s'", place);
	r = apsp_tables_open(
		place, job->revision, job->hash, &watch, &tables, err);
	publish.tables = tables;
	apsp_job_stages_end(&publish.last.stages, APSP_STAGE_SEAL);
	if (r == 0)
		r = apsp_writer_run(
			store->writer, &publish.base, publish_run, err);
	if (r < 0)
		unlink(place);
	else
		apsp_table_sync_wake(store->jobs->table_sync);
	return r;
}
