/*
 * Room on disk; see disk_space.h.
 */
#include "storage/jobs/disk_space.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "daemon/base/auto.h"
#include "daemon/base/graph_file.h"
#include "daemon/base/job_files.h"
#include "daemon/base/size.h"
#include "daemon/base/weights.h"
#include "storage/database/sql.h"
#include "storage/directories/cache_use.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/transaction.h"

static uint64_t sum(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

/* Bytes that are free on the cache's disk. */
static int disk_free(
	const struct apsp_store *store, uint64_t *out, struct apsp_err *err)
{
	struct statvfs fs;

	if (statvfs(store->cache_dir, &fs) < 0)
		return apsp_fail_errno(err, errno,
			"measure the free space of '%s'", store->cache_dir);
	*out = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

int apsp_disk_space_limit(
	struct apsp_store *store, uint64_t wanted, struct apsp_err *err)
{
	struct apsp_cache_use use = {0};
	uint64_t free = 0;
	int r;

	store->cache_limit = wanted;
	if (wanted)
		return 0;
	/* tables that cannot be looked at count as none, and end no start */
	if (apsp_cache_use_read(store->cache_dir, &use, NULL) < 0)
		use.tables = 0;
	r = disk_free(store, &free, err);
	if (r == 0)
		store->cache_limit = sum(use.tables, free - free / 5);
	return r;
}

int apsp_disk_space_read(const struct apsp_store *store,
	struct apsp_disk_space *out, struct apsp_err *err)
{
	struct apsp_disk_space space = {.limit_bytes = store->cache_limit};
	struct apsp_cache_use use = {0};
	uint64_t left;
	int r = disk_free(store, &space.free_bytes, err);

	if (r == 0)
		r = apsp_cache_use_read(store->cache_dir, &use, err);
	if (r < 0)
		return r;
	space.used_bytes = sum(use.tables, use.jobs);
	space.job_bytes = use.jobs;
	left = space.limit_bytes > space.used_bytes
		       ? space.limit_bytes - space.used_bytes
		       : 0;
	space.limited = left < space.free_bytes;
	space.left_bytes = space.limited ? left : space.free_bytes;
	*out = space;
	return 0;
}

/* Whether `needed` bytes are left. */
static int space_check(const struct apsp_disk_space *space, uint64_t needed,
	struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	char limit[APSP_SIZE_TEXT_SIZE];

	if (needed <= space->left_bytes)
		return 0;
	apsp_sizes_format(needed, space->left_bytes, need, have);
	if (!space->limited)
		return apsp_fail(err, APSP_ENOSPACE,
			"the tables need at least %s on the cache's disk and "
			"%s are free",
			need, have);
	apsp_size_format(space->limit_bytes, limit);
	return apsp_fail(err, APSP_ENOSPACE,
		"the tables need at least %s and the cache, which may hold %s "
		"(--cache-limit), has room for %s; delete tables that nobody "
		"needs",
		need, limit, have);
}

int apsp_disk_space_check(
	const struct apsp_store *store, uint64_t needed, struct apsp_err *err)
{
	struct apsp_disk_space space;
	int r = apsp_disk_space_read(store, &space, err);

	return r < 0 ? r : space_check(&space, needed, err);
}

/* The bytes that one row of apsp_disk_space_admit()'s query needs. */
static void row_needed(sqlite3_stmt *stmt, uint64_t *out)
{
	struct apsp_profile rule;

	/* a job whose rule cannot be read fails when its turn comes */
	*out = 0;
	if (apsp_row_rule(stmt, 3, &rule, NULL) < 0)
		return;
	*out = apsp_job_files_bytes((uint64_t)sqlite3_column_int64(stmt, 0),
		(uint64_t)sqlite3_column_int64(stmt, 1),
		apsp_weights_least(
			(unsigned int)sqlite3_column_int(stmt, 2), &rule));
}

/* The jobs in a state: the sum of what they need. */
static int jobs_needed(
	sqlite3 *db, const char *state, uint64_t *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	uint64_t needed = 0, one;
	int r;

	r = apsp_sql_prepare(db,
		"SELECT g.n_vertices, g.n_arcs, g.weights, j.rule FROM jobs j"
		" JOIN generations g ON g.id = j.generation"
		" WHERE j.state = ?1",
		APSP_BIND(apsp_bind_text(state)), &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		row_needed(stmt, &one);
		needed = sum(needed, one);
	}
	if (r == 0)
		*out = needed;
	return r;
}

int apsp_disk_space_admit(struct apsp_transaction *tx, struct apsp_err *err)
{
	struct apsp_disk_space space;
	uint64_t queued = 0, running = 0;
	int r;

	if (tx->n_new_jobs == 0)
		return 0;
	r = jobs_needed(tx->db, "queued", &queued, err);
	if (r == 0)
		r = jobs_needed(tx->db, "running", &running, err);
	if (r == 0)
		r = apsp_disk_space_read(tx->store, &space, err);
	if (r < 0)
		return r;
	/* it reserves its room only when its arcs are read */
	if (running > space.job_bytes)
		queued = sum(queued, running - space.job_bytes);
	return space_check(&space, queued, err);
}

/* The bytes of the arcs that the solver reads, and of all the job needs. */
static int job_needed(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, uint64_t *arcs, uint64_t *all,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(tx->db,
		"SELECT n_vertices, n_arcs, weights FROM generations"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(job->generation)), &stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	*arcs = *all = 0;
	if (r <= 0) /* gone: the job's next step says so */
		return r;
	*arcs = (uint64_t)sqlite3_column_int64(stmt, 1) *
		sizeof(struct apsp_arc);
	*all = apsp_job_files_bytes((uint64_t)sqlite3_column_int64(stmt, 0),
		(uint64_t)sqlite3_column_int64(stmt, 1),
		apsp_weights_least((unsigned int)sqlite3_column_int(stmt, 2),
			&job->profile));
	return 0;
}

int apsp_disk_space_claim(struct apsp_transaction *tx,
	struct apsp_job_spec *job, struct apsp_err *err)
{
	struct apsp_disk_space space;
	uint64_t arcs, needed;
	int r = job_needed(tx, job, &arcs, &needed, err);

	if (r == 0)
		r = apsp_disk_space_read(tx->store, &space, err);
	if (r < 0)
		return r;
	/* the solver looks at the disk itself, once it knows the true size */
	job->room_bytes = 0;
	if (!space.limited)
		return 0;
	r = space_check(&space, needed, err);
	if (r == 0)
		job->room_bytes = space.left_bytes - arcs;
	return r;
}
