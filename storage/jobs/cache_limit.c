/*
 * Checks the disk space for tables; see cache_limit.h.
 */
#include "storage/jobs/cache_limit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "daemon/job/arc_facts.h"
#include "daemon/base/auto.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/job_files.h"
#include "daemon/base/size.h"
#include "storage/database/sql.h"
#include "storage/directories/own_directory.h"
#include "storage/jobs/job_part.h"
#include "storage/jobs/received_tables.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/transaction.h"

enum {
	STAT_BLOCK = 512, /* size in bytes of one unit of st_blocks, on all
			     systems */
};

/*
 * Add up the sizes of the files in the directory `name` and in its
 * subdirectories, down to `depth` levels. The directory `name` is inside the
 * directory `dir`. A file that is removed meanwhile is not counted. Returns 0
 * or an errno.
 */
static int bytes_add(int dir, const char *name, int depth, uint64_t *sum)
{
	APSP_AUTO(apsp_dir_close) DIR *below = NULL;
	const struct dirent *entry;
	struct stat st;
	int fd, r = 0;

	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : errno;
	below = fdopendir(fd);
	if (!below) {
		apsp_close(&fd);
		return ENOMEM;
	}
	while (r == 0 && (entry = readdir(below))) {
		if (strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0 ||
			fstatat(dirfd(below), entry->d_name, &st,
				AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		/* while a job checks a file that has come in a bundle, the file
		   has two names. Count half of its size for each name */
		if (S_ISREG(st.st_mode))
			*sum += (uint64_t)st.st_blocks * STAT_BLOCK /
				st.st_nlink;
		else if (S_ISDIR(st.st_mode) && depth > 0)
			r = bytes_add(
				dirfd(below), entry->d_name, depth - 1, sum);
	}
	return r;
}

/*
 * Store in *out the disk space that the cache's files use. The measurement
 * takes a microsecond for each file. Compiled kernels are not counted, and a
 * directory that does not exist counts as empty.
 */
static int use_read(const char *cache_dir, struct apsp_cache_room *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	uint64_t tables = 0, jobs = 0;
	int r;

	fd = open(cache_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? errno : bytes_add(fd, APSP_DIRECTORY_TABLES, 0, &tables);
	if (r == 0)
		r = bytes_add(fd, APSP_DIRECTORY_RECEIVED, 0, &tables);
	if (r == 0)
		r = bytes_add(fd, APSP_DIRECTORY_JOBS, 1, &jobs);
	if (r != 0)
		return apsp_fail_errno(
			err, r, "measure the size of '%s'", cache_dir);
	out->used_bytes = tables + jobs;
	out->job_bytes = jobs;
	return 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

/* Store the number of bytes that are free on the cache's disk. */
static int disk_free(
	const struct apsp_store *store, uint64_t *out, struct apsp_err *err)
{
	struct statvfs fs;

	if (statvfs(store->jobs->cache_dir, &fs) < 0)
		return apsp_fail_errno(err, errno,
			"measure the free space of '%s'",
			store->jobs->cache_dir);
	*out = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

int apsp_cache_limit_set(
	struct apsp_store *store, uint64_t wanted, struct apsp_err *err)
{
	struct apsp_cache_room room = {0};
	uint64_t free;
	int r;

	store->jobs->cache_limit = wanted;
	store->jobs->cache_limit_computed = wanted == 0;
	if (wanted)
		return 0;
	/* if the directory cannot be read, it counts as empty, so that the
	   daemon can still start */
	use_read(store->jobs->cache_dir, &room, NULL);
	r = disk_free(store, &room.free_bytes, err);
	if (r < 0)
		return r;
	/* no job runs yet, so the files in jobs/ are left from a daemon that
	   was killed. They count as free, because the worker removes them when
	   it starts */
	free = sum(room.free_bytes, room.job_bytes);
	store->jobs->cache_limit =
		sum(room.used_bytes - room.job_bytes, free - free / 5);
	return 0;
}

int apsp_cache_limit_read(const struct apsp_store *store,
	struct apsp_cache_room *out, struct apsp_err *err)
{
	struct apsp_cache_room space = {
		.limit_bytes = store->jobs->cache_limit};
	uint64_t left;
	int r = disk_free(store, &space.free_bytes, err);

	if (r == 0)
		r = use_read(store->jobs->cache_dir, &space, err);
	if (r < 0)
		return r;
	left = space.limit_bytes > space.used_bytes
		       ? space.limit_bytes - space.used_bytes
		       : 0;
	space.limited = left < space.free_bytes;
	space.left_bytes = space.limited ? left : space.free_bytes;
	*out = space;
	return 0;
}

int apsp_cache_limit_room(const struct apsp_store *store, uint64_t *out_bytes,
	struct apsp_err *err)
{
	struct apsp_cache_room room;
	int r = apsp_cache_limit_read(store, &room, err);

	if (r == 0)
		*out_bytes = room.left_bytes;
	return r;
}

/* Check that at least `needed` bytes are left for the files of one or more
   jobs, of which the largest job needs `largest` bytes. APSP_ENOSPACE: fewer
   bytes are left. */
static int space_check(const struct apsp_store *store,
	const struct apsp_cache_room *space, uint64_t needed, uint64_t largest,
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
		"(--cache-limit), has room for %s; %s%s",
		need, limit, have,
		largest > space->limit_bytes
			? "no deletion frees so much: raise --cache-limit or, "
			  "for shortest paths, choose tables=none"
			: "delete tables that nobody needs",
		store->jobs->cache_limit_computed
			? ". The limit was computed at the start from the "
			  "space that was free then; if more is free now, "
			  "restart apspd or set --cache-limit"
			: "");
}

uint64_t apsp_cache_limit_bytes(const struct apsp_store *store)
{
	return store->jobs->cache_limit;
}

/* Return the smallest size in bytes that a job's files can have. */
static uint64_t files_bytes(const struct apsp_store *store,
	const struct apsp_job_size *size, const struct apsp_profile *rule)
{
	enum apsp_tables_kept tables = rule->tables;
	/* the type of predecessors. For widest paths, whose files have no
	   predecessors, apsp_job_files_bytes() needs this type in order to
	   count the table of widths (compute/plan/plan_files.c) */
	enum apsp_element predecessor = APSP_ELEMENT_U32;

	if (apsp_job_files_on_demand(size->n_vertices, size->n_arcs, rule,
		    store->jobs->cache_limit))
		tables = APSP_TABLES_NONE;
	else if (tables == APSP_TABLES_AUTO && rule->measures != 0)
		tables = APSP_TABLES_ALL; /* measures need all tables */
	if (rule->path != APSP_PATH_WIDEST)
		predecessor = apsp_arc_facts_predecessor(
			size->weights, size->n_vertices, size->n_arcs);
	return apsp_job_files_bytes(size->n_vertices, size->n_arcs,
		apsp_arc_facts_element(size->weights, rule), predecessor,
		tables);
}

/* Return the number of bytes that a job's files still need on the disk:
   files_bytes() minus `received`, the size of tables from a bundle, which are
   on the disk already. The result is at least the size of the arcs in the graph
   file, which every job writes. */
static uint64_t bytes_needed(const struct apsp_store *store,
	const struct apsp_job_size *size, const struct apsp_profile *rule,
	uint64_t received)
{
	uint64_t arcs = size->n_arcs * sizeof(struct apsp_arc);
	uint64_t needed = files_bytes(store, size, rule);

	return needed > sum(received, arcs) ? needed - received : arcs;
}

int apsp_cache_limit_check(const struct apsp_store *store,
	const struct apsp_job_size *size, const struct apsp_profile *rule,
	uint64_t received, struct apsp_err *err)
{
	const uint64_t needed = bytes_needed(store, size, rule, received);
	struct apsp_cache_room space;
	int r = apsp_cache_limit_read(store, &space, err);

	return r < 0 ? r : space_check(store, &space, needed, needed, err);
}

/* The numbers of bytes that the files of jobs need. */
struct needs {
	uint64_t queued;  /* of all queued jobs together */
	uint64_t largest; /* of the queued job that needs most */
	uint64_t running; /* of all running jobs together */
};

static int jobs_needed(const struct apsp_transaction *tx, struct needs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_job_size size;
	struct apsp_profile rule;
	uint64_t received, needed;
	int r;

	r = apsp_sql_prepare(tx->db,
		"SELECT g.n_vertices, g.n_arcs, g.weights, j.rule, j.revision,"
		" j.hash, g.id, j.state = 'queued' FROM jobs j"
		" JOIN generations g ON g.id = j.generation"
		" WHERE j.state IN ('queued', 'running')",
		NULL, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		/* a job whose rule cannot be read needs no space, because it
		   fails when it is claimed */
		if (apsp_row_rule(stmt, 3, 5, &rule, NULL) < 0)
			continue;
		size = apsp_row_job_size(stmt, 0);
		received = apsp_received_tables_bytes(tx->store,
			(const char *)sqlite3_column_text(stmt, 4),
			(const char *)sqlite3_column_text(stmt, 5),
			(uint64_t)sqlite3_column_int64(stmt, 6));
		needed = bytes_needed(tx->store, &size, &rule, received);
		if (!sqlite3_column_int(stmt, 7)) {
			out->running = sum(out->running, needed);
			continue;
		}
		out->queued = sum(out->queued, needed);
		if (needed > out->largest)
			out->largest = needed;
	}
	return r;
}

int apsp_cache_limit_admit(struct apsp_transaction *tx, struct apsp_err *err)
{
	struct apsp_cache_room space;
	struct needs needs = {0};
	uint64_t needed;
	int r = jobs_needed(tx, &needs, err);

	if (r == 0)
		r = apsp_cache_limit_read(tx->store, &space, err);
	if (r < 0)
		return r;
	needed = needs.queued;
	/* add the space that the running job has not reserved yet; a job
	   reserves its space only after it has read its arcs */
	if (needs.running > space.job_bytes)
		needed = sum(needed, needs.running - space.job_bytes);
	return space_check(tx->store, &space, needed, needs.largest, err);
}

int apsp_cache_limit_claim(struct apsp_transaction *tx,
	struct apsp_job_spec *job, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_cache_room space;
	struct apsp_job_size size;
	/* arcs: bytes of the arcs in the graph file; needed: bytes of all files
	   of the job */
	uint64_t arcs = 0, needed = 0;
	int r;

	r = apsp_sql_first(tx->db,
		"SELECT n_vertices, n_arcs, weights FROM generations"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(job->generation)), &stmt, err);
	/* if there is no row, the generation was removed; the job's next step
	   reports the removal */
	if (r > 0) {
		size = apsp_row_job_size(stmt, 0);
		arcs = size.n_arcs * sizeof(struct apsp_arc);
		needed = bytes_needed(tx->store, &size, &job->profile,
			apsp_received_tables_bytes(tx->store, job->revision,
				job->hash, job->generation));
		if (apsp_job_files_on_demand(size.n_vertices, size.n_arcs,
			    &job->profile, tx->store->jobs->cache_limit))
			job->profile.tables = APSP_TABLES_NONE;
	}
	if (r >= 0)
		r = apsp_cache_limit_read(tx->store, &space, err);
	if (r < 0)
		return r;
	/*
	 * room_bytes is set only if the cache's limit leaves less space than is
	 * free on the disk. Otherwise the solver checks the disk when it knows
	 * the true size.
	 */
	job->room_bytes = 0;
	if (!space.limited)
		return 0;
	r = space_check(tx->store, &space, needed, needed, err);
	if (r == 0)
		job->room_bytes = space.left_bytes - arcs;
	return r;
}
