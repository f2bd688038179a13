/*
 * A store in temporary directories, uploads for it, and a worker that makes
 * tables of one known value. For the tests of storage.
 */
#ifndef APSP_TESTS_STORE_FIXTURE_H
#define APSP_TESTS_STORE_FIXTURE_H

#include <dirent.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/tables/table_writer.h"
#include "daemon/job/graph_file.h"
#include "storage/graph_put.h"
#include "storage/graphs.h"
#include "storage/jobs/job_graph.h"
#include "storage/jobs/job_publish.h"
#include "storage/jobs/job_claim.h"
#include "storage/jobs/job_tries.h"
#include "storage/jobs/jobs.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/store.h"
#include "tests/command_wait.h"
#include "tests/ask_table.h"
#include "tests/fixture_check.h"
#include "tests/remove_tree.h"
#include "tests/settings_fixture.h"
#include "tests/upload_write.h"

enum {
	FIXTURE_N = 5,	    /* vertices of each graph */
	FIXTURE_QUEUE = 16, /* jobs that may wait */
};

struct fixture {
	char dir[256];
	char state_dir[280];
	char cache_dir[280];
	uint64_t cache_limit; /* 0: the default */
	struct apsp_store *store;
	atomic_uint n_queued; /* calls of each hook */
	atomic_uint n_changed;
	atomic_ullong last_changed;
	atomic_uint n_unwanted;
	atomic_ullong last_unwanted;
};

static inline void fixture_queued(void *ctx)
{
	atomic_fetch_add(&((struct fixture *)ctx)->n_queued, 1);
}

static inline void fixture_changed(void *ctx, uint64_t id)
{
	struct fixture *fixture = ctx;

	atomic_fetch_add(&fixture->n_changed, 1);
	atomic_store(&fixture->last_changed, id);
}

static inline void fixture_unwanted(void *ctx, uint64_t id)
{
	struct fixture *fixture = ctx;

	atomic_fetch_add(&fixture->n_unwanted, 1);
	atomic_store(&fixture->last_unwanted, id);
}

/* Jobs of a later transform take less time. */
static inline double fixture_seconds(void *ctx,
	const struct apsp_job_size *size, const struct apsp_profile *rule)
{
	(void)ctx;
	return (double)size->n_vertices / (1 + rule->transform);
}

static inline int fixture_try_open(
	struct fixture *fixture, struct apsp_store **out, struct apsp_err *err)
{
	struct apsp_settings settings;
	struct apsp_store_config config = {
		.settings = &settings,
		.max_queued_jobs = FIXTURE_QUEUE,
		.reader_grace_ms = 1,
		.hooks = {.ctx = fixture,
			.jobs_queued = fixture_queued,
			.job_changed = fixture_changed,
			.job_unwanted = fixture_unwanted,
			.job_seconds = fixture_seconds},
	};
	int r;

	settings_fixture_init(
		&settings, fixture->state_dir, fixture->cache_dir);
	settings.cache_limit = fixture->cache_limit;
	r = apsp_store_open(&config, out, err);
	apsp_settings_done(&settings);
	return r;
}

static inline void fixture_open(struct fixture *fixture)
{
	struct apsp_err err = {0};

	if (fixture_try_open(fixture, &fixture->store, &err) < 0) {
		fprintf(stderr, "open: %s\n", err.message);
		abort();
	}
}

static inline void fixture_reopen(struct fixture *fixture)
{
	apsp_store_close(fixture->store);
	fixture->store = NULL;
	fixture_open(fixture);
}

/* Directories only; the store is NULL. */
static inline struct fixture *fixture_new(void)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const char *tmp = getenv("TMPDIR");

	CHECK(fixture);
	snprintf(fixture->dir, sizeof(fixture->dir), "%s/apsp-store-XXXXXX",
		tmp ? tmp : "/tmp");
	CHECK(mkdtemp(fixture->dir));
	snprintf(fixture->state_dir, sizeof(fixture->state_dir), "%s/state",
		fixture->dir);
	snprintf(fixture->cache_dir, sizeof(fixture->cache_dir), "%s/a/cache",
		fixture->dir);
	return fixture;
}

static inline void fixture_free(struct fixture *fixture)
{
	apsp_store_close(fixture->store);
	remove_tree(fixture->dir);
	free(fixture);
}

/* cmocka's set-up and tear-down around an open store. */
static inline int fixture_setup(void **state)
{
	struct fixture *fixture = fixture_new();

	fixture_open(fixture);
	*state = fixture;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	fixture_free(*state);
	return 0;
}

/* A profile by its transform, the rest as by default. */
static inline struct apsp_profile fixture_profile(const char *transform)
{
	struct apsp_profile_texts texts = {
		{[APSP_OPTION_TRANSFORM] = transform}};
	struct apsp_profile profile;

	CHECK(apsp_profile_parse(&texts, &profile, NULL) == 0);
	return profile;
}

/* A graph of FIXTURE_N vertices; graphs differ by n_arcs. */
static inline struct apsp_upload *fixture_upload(
	struct fixture *fixture, unsigned int n_arcs, const char *transform)
{
	struct apsp_upload_options options = {
		.format = APSP_FORMAT_CSV,
		.profile = fixture_profile(transform),
		.limits.max_bytes = 1 << 30,
		.max_arcs = 1 << 26,
	};
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	char lines[16384];
	size_t size = 0;
	int r;

	r = apsp_upload_open(apsp_store_parts(fixture->store)->spool_dir,
		&options, &upload, &err);
	for (unsigned int i = 0; r == 0 && i < n_arcs; i++) {
		size += (size_t)snprintf(lines + size, sizeof(lines) - size,
			"v%u,v%u,%u\n", i % FIXTURE_N, (i + 1) % FIXTURE_N,
			1 + i % 7);
		/* each write reads the thread's clock, a system call */
		if (size < sizeof(lines) - 64 && i + 1 < n_arcs)
			continue;
		r = upload_write(upload, lines, size, &err);
		size = 0;
	}
	if (r == 0)
		r = apsp_upload_end(upload, &err);
	if (r < 0) {
		fprintf(stderr, "upload: %s\n", err.message);
		abort();
	}
	return upload;
}

static inline int fixture_put_if(struct fixture *fixture, const char *name,
	unsigned int n_arcs, const char *transform,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_err *err)
{
	struct apsp_upload *upload = fixture_upload(fixture, n_arcs, transform);
	struct command_wait *wait = command_wait_new();
	int r;

	apsp_graph_put(fixture->store, name, upload, precondition, 0, out,
		command_wait_done(wait));
	r = command_wait_for(wait, err);
	if (r == 0)
		apsp_put_result_done(out);
	return r;
}

/* Asks nothing, but for another rule of `default`. */
static const struct apsp_precondition fixture_consent = {.replaces_rule = true};

/* Returns the job, or 0 if the tables exist. */
static inline uint64_t fixture_put(struct fixture *fixture, const char *name,
	unsigned int n_arcs, const char *transform)
{
	struct apsp_put_result result = {0};
	struct apsp_err err = {0};

	if (fixture_put_if(fixture, name, n_arcs, transform, &fixture_consent,
		    &result, &err) < 0) {
		fprintf(stderr, "put: %s\n", err.message);
		abort();
	}
	return result.job;
}

static inline int fixture_delete(struct fixture *fixture, const char *name)
{
	struct command_wait *wait = command_wait_new();

	apsp_graphs_delete(fixture->store, name, NULL, command_wait_done(wait));
	return command_wait_for(wait, NULL);
}

static inline int fixture_profile_put(struct fixture *fixture,
	const char *graph, const char *name, const char *transform,
	struct apsp_put_result *out)
{
	struct apsp_profile rule = fixture_profile(transform);
	struct command_wait *wait = command_wait_new();
	int r;

	apsp_profiles_put(fixture->store, graph, name, &rule, &fixture_consent,
		out, command_wait_done(wait));
	r = command_wait_for(wait, NULL);
	if (r == 0)
		apsp_put_result_done(out);
	return r;
}

static inline int fixture_profile_delete(
	struct fixture *fixture, const char *graph, const char *name)
{
	struct command_wait *wait = command_wait_new();

	apsp_profiles_delete(
		fixture->store, graph, name, NULL, command_wait_done(wait));
	return command_wait_for(wait, NULL);
}

/* Every distance is `marker`, everything else zeros. */
static inline void fixture_tables_write(const char *path, uint16_t marker)
{
	struct apsp_table_header header = {
		.n_vertices = FIXTURE_N,
		.n_arcs = 1,
		.distance_kind = APSP_DISTANCE_HOPS,
		.scale = 1,
	};
	uint16_t distances[FIXTURE_N * FIXTURE_N];
	struct apsp_table_writer *writer = NULL;
	static const char zeros[APSP_TABLE_BLOCK];

	for (size_t i = 0; i < FIXTURE_N * FIXTURE_N; i++)
		distances[i] = marker;
	strcpy(header.algorithm, "fixture");
	CHECK(apsp_table_header_layout(&header, APSP_ELEMENT_U16, NULL) == 0);
	CHECK(apsp_table_writer_open(path, APSP_WRITER_ALONE, &header, 1, 1,
		      &writer, NULL) == 0);
	for (int i = 0; i < APSP_N_SECTIONS; i++)
		CHECK(apsp_table_writer_append(writer, (enum apsp_section)i,
			      i == APSP_SECTION_DISTANCE
				      ? (const void *)distances
				      : zeros,
			      header.sections[i].size, NULL) == 0);
	CHECK(apsp_table_writer_finish(writer, NULL, NULL) == 0);
	apsp_table_writer_free(writer);
}

/* The marker of a generation's tables with a rule. */
static inline uint16_t fixture_marker(
	uint64_t n_arcs, const struct apsp_profile *rule)
{
	return (uint16_t)(n_arcs * 8 % 4096 + rule->transform);
}

/* Load the job's graph and publish its tables. */
static inline int fixture_work(struct fixture *fixture,
	const struct apsp_job_spec *job, struct apsp_err *err)
{
	struct apsp_job_progress last = {.phase = "write", .progress = 0.5};
	struct apsp_graph graph = {0};
	char graph_path[320], path[320];
	int r;

	snprintf(graph_path, sizeof(graph_path), "%s/graph-%llu",
		fixture->cache_dir, (unsigned long long)job->id);
	snprintf(path, sizeof(path), "%s/result-%llu", fixture->cache_dir,
		(unsigned long long)job->id);
	r = apsp_job_graph_write(fixture->store, job, graph_path, NULL, err);
	if (r < 0) {
		unlink(graph_path);
		return r;
	}
	CHECK(apsp_graph_open(graph_path, &graph, NULL) == 0);
	fixture_tables_write(path, fixture_marker(graph.n_arcs, &job->profile));
	apsp_graph_done(&graph);
	unlink(graph_path);
	r = apsp_job_publish(fixture->store, job, &last, path, err);
	unlink(path);
	return r;
}

/* Run every queued job. Returns how many there were. */
static inline int fixture_work_all(struct fixture *fixture)
{
	struct apsp_job_spec job;
	int n = 0, r;

	while ((r = apsp_job_claim(fixture->store, &job, NULL)) > 0) {
		CHECK(fixture_work(fixture, &job, NULL) == 0);
		n++;
	}
	CHECK(r == 0);
	return n;
}

static inline void fixture_fail(struct fixture *fixture,
	const struct apsp_job_spec *job, enum apsp_code code, bool retry)
{
	struct apsp_job_progress last = {.phase = "distance"};
	struct apsp_job_failure failure = {0};

	apsp_fail(&failure.err, code, "it did not work");
	apsp_job_tries_fail(fixture->store, job, &last, &failure, retry);
}

/* How many files lie in cache_dir/tables. */
static inline int fixture_n_files(const struct fixture *fixture)
{
	char path[320];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/tables", fixture->cache_dir);
	dir = opendir(path);
	CHECK(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/*
 * Read (graph, profile): returns 0 and stores the arcs of the generation that
 * answers, or returns the code of apsp_graph_snapshot_tables(). Aborts unless
 * tables and generation belong together.
 */
static inline int fixture_read(struct fixture *fixture, const char *graph,
	const char *profile, uint64_t *out_arcs)
{
	const struct apsp_graph_snapshot *view = NULL;
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *shown;
	struct apsp_cell cell;
	uint64_t job;
	int r;

	r = apsp_snapshot_map_find(
		apsp_store_parts(fixture->store)->graphs, graph, &view, NULL);
	if (r < 0)
		return r;
	r = apsp_graph_snapshot_tables(
		view, profile, &generation, &shown, &job, NULL);
	if (r == 0)
		r = ask_table_cell(shown->tables, 0, 1, &cell);
	if (r == 0) {
		CHECK(cell.distance == fixture_marker(generation->n_arcs,
					       &shown->tables_rule));
		CHECK(generation->labels->count == FIXTURE_N);
		*out_arcs = generation->n_arcs;
	}
	apsp_graph_snapshot_unref(view);
	return r;
}

/* Open the store's database. The caller closes it. */
static inline sqlite3 *fixture_database(const struct fixture *f, int flags)
{
	sqlite3 *db = NULL;
	char path[400];

	snprintf(path, sizeof(path), "%s/apspd.sqlite", f->state_dir);
	assert_int_equal(sqlite3_open_v2(path, &db, flags, NULL), SQLITE_OK);
	return db;
}

/* Close the store, and open its database for writing. */
static inline sqlite3 *fixture_database_alone(struct fixture *f)
{
	apsp_store_close(f->store);
	f->store = NULL;
	return fixture_database(f, SQLITE_OPEN_READWRITE);
}

/* The first column of a query's first row. The daemon may run meanwhile. */
static inline int64_t fixture_number(const struct fixture *f, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = fixture_database(f, SQLITE_OPEN_READONLY);
	int64_t out;

	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	assert_int_equal(
		sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	out = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return out;
}

#endif
