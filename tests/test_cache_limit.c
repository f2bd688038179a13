/*
 * Tables that do not fit the cache's disk are refused before their job is
 * queued.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/job/arc_facts.h"
#include "daemon/job/job_files.h"
#include "daemon/base/limits.h"
#include "storage/directories/directory.h"
#include "storage/jobs/cache_limit.h"
#include "tests/disk_fixture.h"
#include "tests/store_fixture.h"

/* The disk is what binds, but where a test says otherwise. */
static int setup(void **state)
{
	struct fixture *f = fixture_new();

	f->cache_limit = UINT64_MAX;
	fixture_open(f);
	*state = f;
	return 0;
}

static uint64_t needed(unsigned int n_arcs)
{
	return apsp_job_files_bytes(FIXTURE_N, n_arcs, APSP_ELEMENT_U16,
		APSP_ELEMENT_NONE, APSP_TABLES_AUTO);
}

static int put(struct fixture *f, const char *name, unsigned int n_arcs,
	struct apsp_err *err)
{
	struct apsp_put_result result;

	return fixture_put_if(f, name, n_arcs, "none", NULL, &result, err);
}

static void test_needed(void **state)
{
	const uint64_t n = 139255, cells = n * n;

	(void)state;
	/* distance, predecessor, two closures of bits */
	assert_true(
		apsp_job_files_bytes(n, 0, APSP_ELEMENT_U16, APSP_ELEMENT_NONE,
			APSP_TABLES_ALL) >= cells * (2 + 4) + cells / 4);
	assert_true(
		apsp_job_files_bytes(n, 0, APSP_ELEMENT_U16, APSP_ELEMENT_NONE,
			APSP_TABLES_ALL) < cells * 13 / 2);
	assert_true(apsp_job_files_bytes(n, 1 << 20, APSP_ELEMENT_U16,
			    APSP_ELEMENT_NONE, APSP_TABLES_ALL) >=
		    apsp_job_files_bytes(n, 0, APSP_ELEMENT_U16,
			    APSP_ELEMENT_NONE, APSP_TABLES_ALL) +
			    (UINT64_C(1) << 20) * (4 + 8 + 8 + 16));
	assert_true(apsp_job_files_bytes(n, 0, APSP_ELEMENT_F64,
			    APSP_ELEMENT_NONE, APSP_TABLES_ALL) >=
		    apsp_job_files_bytes(n, 0, APSP_ELEMENT_U16,
			    APSP_ELEMENT_NONE, APSP_TABLES_ALL) +
			    cells * 6);
	assert_true(apsp_job_files_bytes(UINT32_MAX, 0, APSP_ELEMENT_U16,
			    APSP_ELEMENT_NONE, APSP_TABLES_ALL) == UINT64_MAX);
}

/* Check the room for all tables of 4,000 vertices and 60,000 arcs, of which so
   many bytes came in a bundle. */
static int check_4000(
	const struct fixture *f, uint64_t received, struct apsp_err *err)
{
	const struct apsp_job_size size = {.n_vertices = 4000, .n_arcs = 60000};
	const struct apsp_profile rule = {.tables = APSP_TABLES_ALL};

	return apsp_cache_limit_check(f->store, &size, &rule, received, err);
}

/* Without a word about tables, no tables are computed if they would exceed the
   limit of an empty cache. */
static void test_on_demand(void **state)
{
	struct apsp_profile rule = {.tables = APSP_TABLES_AUTO};
	const uint64_t n = 300, m = 5000;
	const uint64_t least = apsp_job_files_least(n, m);

	(void)state;
	assert_false(apsp_job_files_on_demand(n, m, &rule, least));
	assert_true(apsp_job_files_on_demand(n, m, &rule, least - 1));
	assert_true(apsp_job_files_on_demand(
		APSP_TABLE_VERTICES_MAX + 1, m, &rule, UINT64_MAX - 1));
	rule.measures = APSP_MEASURE_BETWEENNESS;
	assert_false(apsp_job_files_on_demand(n, m, &rule, least - 1));
	rule = (struct apsp_profile){.tables = APSP_TABLES_DISTANCE};
	assert_false(apsp_job_files_on_demand(n, m, &rule, least - 1));
	rule.tables = APSP_TABLES_NONE;
	assert_true(apsp_job_files_on_demand(n, m, &rule, UINT64_MAX));
}

/*
 * With room for tables in 16 bits the job is queued; with less it is refused,
 * and the message tells both sizes in MB.
 */
static void test_narrow(void **state)
{
	struct fixture *f = *state;
	const uint64_t narrow = apsp_job_files_bytes(4000, 60000,
		APSP_ELEMENT_U16, APSP_ELEMENT_NONE, APSP_TABLES_ALL);
	struct apsp_err err = {0};

	/* the tables; the graph's file, but for labels */
	assert_int_equal(narrow, 70066536 + sizeof(struct apsp_graph_header) +
					 60000 * sizeof(struct apsp_arc) +
					 4001 * sizeof(uint64_t));
	atomic_store(&n_free, narrow);
	assert_int_equal(check_4000(f, 0, &err), 0);
	atomic_store(&n_free, narrow - 1);
	assert_int_equal(check_4000(f, 0, &err), APSP_ENOSPACE);
	atomic_store(&n_free, 60000000);
	assert_int_equal(check_4000(f, 0, &err), APSP_ENOSPACE);
	assert_string_equal(err.message,
		"the tables need at least 71.1 MB on the cache's disk and 60 "
		"MB are free");
	/* what came in a bundle is on the disk already, but the arcs are not */
	assert_int_equal(check_4000(f, narrow - 60000000, &err), 0);
	assert_int_equal(check_4000(f, narrow - 60000001, &err), APSP_ENOSPACE);
	atomic_store(&n_free, 60000 * sizeof(struct apsp_arc) - 1);
	assert_int_equal(check_4000(f, 2 * narrow, &err), APSP_ENOSPACE);
	atomic_store(&n_free, 60000 * sizeof(struct apsp_arc));
	assert_int_equal(check_4000(f, 2 * narrow, &err), 0);
}

enum { RULED_N = 1400, RULED_ARCS = 6991 };

static uint64_t ruled_bytes(
	enum apsp_element predecessor, enum apsp_tables_kept tables)
{
	return apsp_job_files_bytes(
		RULED_N, RULED_ARCS, APSP_ELEMENT_U16, predecessor, tables);
}

/* With `bytes` free, the rule has room; with one byte less, it has none. */
static void check_needs(const struct fixture *f,
	const struct apsp_profile *rule, uint64_t bytes)
{
	const struct apsp_job_size size = {.n_vertices = RULED_N,
		.n_arcs = RULED_ARCS,
		.weights = APSP_ARC_IN_255};
	struct apsp_err err = {0};

	atomic_store(&n_free, bytes);
	assert_int_equal(
		apsp_cache_limit_check(f->store, &size, rule, 0, &err), 0);
	atomic_store(&n_free, bytes - 1);
	assert_int_equal(apsp_cache_limit_check(f->store, &size, rule, 0, &err),
		APSP_ENOSPACE);
}

/* Betweenness needs all tables, and widest paths need the table of widths, even
   if predecessors of one byte would be smaller. */
static void test_tables_of_the_rule(void **state)
{
	const struct apsp_profile any = {.tables = APSP_TABLES_AUTO};
	const struct apsp_profile measures = {.tables = APSP_TABLES_AUTO,
		.measures = APSP_MEASURE_BETWEENNESS};
	const struct apsp_profile widest = {
		.tables = APSP_TABLES_DISTANCE, .path = APSP_PATH_WIDEST};
	const uint64_t least = ruled_bytes(APSP_ELEMENT_U8, APSP_TABLES_AUTO);

	assert_true(least + RULED_N * RULED_N / 2 <
		    ruled_bytes(APSP_ELEMENT_U32, APSP_TABLES_DISTANCE));
	check_needs(*state, &any, least);
	check_needs(*state, &measures,
		ruled_bytes(APSP_ELEMENT_U8, APSP_TABLES_ALL));
	check_needs(*state, &widest,
		ruled_bytes(APSP_ELEMENT_U32, APSP_TABLES_DISTANCE));
}

static void test_upload(void **state)
{
	struct fixture *f = *state;
	struct apsp_err err = {0};
	uint64_t n_arcs;
	char size[32];

	atomic_store(&n_free, needed(10) - 1);
	assert_int_equal(put(f, "g", 10, &err), APSP_ENOSPACE);
	snprintf(size, sizeof(size), "%llu bytes",
		(unsigned long long)needed(10));
	assert_non_null(strstr(err.message, size));
	snprintf(size, sizeof(size), "%llu bytes are free",
		(unsigned long long)needed(10) - 1);
	assert_non_null(strstr(err.message, size));
	assert_int_equal(
		fixture_read(f, "g", "default", &n_arcs), APSP_ENOGRAPH);
	assert_int_equal(atomic_load(&f->n_queued), 0);

	atomic_store(&n_free, needed(10));
	assert_int_equal(put(f, "g", 10, &err), 0);
	/* tables that exist need no room, nor does a job that runs */
	atomic_store(&n_free, 0);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(fixture_read(f, "g", "default", &n_arcs), 0);
}

enum {
	PATH_N = 400, /* tables in 16 and 32 bits differ by more than a block */
};

static int path_put(struct fixture *f, const char *name, const char *weight,
	const char *transform, struct apsp_err *err)
{
	struct apsp_upload_options options = {
		.format = APSP_FORMAT_CSV,
		.profile = fixture_profile(transform),
		.limits.max_bytes = 1 << 20,
		.max_arcs = 1 << 20,
	};
	struct command_wait *wait = command_wait_new();
	struct apsp_upload *upload = NULL;
	struct apsp_put_result result;
	char line[64];
	int r;

	options.profile.tables = APSP_TABLES_ALL;
	assert_int_equal(apsp_upload_open(apsp_store_parts(f->store)->spool_dir,
				 &options, &upload, err),
		0);
	for (int v = 0; v + 1 < PATH_N; v++) {
		int size = snprintf(
			line, sizeof(line), "%d,%d,%s\n", v, v + 1, weight);

		assert_int_equal(
			upload_write(upload, line, (size_t)size, err), 0);
	}
	assert_int_equal(apsp_upload_end(upload, err), 0);
	apsp_graph_put(f->store, name, upload, NULL, 0, &result,
		command_wait_done(wait));
	r = command_wait_for(wait, err);
	if (r == 0)
		apsp_put_result_done(&result);
	return r;
}

/*
 * Tables of reals are never of 16 bits: 32 bits must fit before the job is
 * queued.
 */
static void test_reals(void **state)
{
	struct fixture *f = *state;
	const uint64_t narrow = apsp_job_files_bytes(PATH_N, PATH_N - 1,
		APSP_ELEMENT_U16, APSP_ELEMENT_NONE, APSP_TABLES_ALL);
	const uint64_t wide = apsp_job_files_bytes(PATH_N, PATH_N - 1,
		APSP_ELEMENT_F32, APSP_ELEMENT_NONE, APSP_TABLES_ALL);
	struct apsp_put_result result;
	struct apsp_err err = {0};
	char size[64];

	assert_true(narrow < wide);
	atomic_store(&n_free, wide - 1);
	snprintf(size, sizeof(size), "at least %llu bytes",
		(unsigned long long)wide);
	assert_int_equal(path_put(f, "g", "5", "inv", &err), APSP_ENOSPACE);
	assert_non_null(strstr(err.message, size));
	assert_int_equal(path_put(f, "g", "0.5", "none", &err), APSP_ENOSPACE);
	assert_int_equal(path_put(f, "g", "-5", "none", &err), APSP_ENOSPACE);
	/* weights that may be whole may also give short distances */
	atomic_store(&n_free, narrow);
	assert_int_equal(path_put(f, "g", "1", "inv", &err), 0);
	assert_int_equal(path_put(f, "g", "5", "none", &err), 0);
	assert_int_equal(fixture_delete(f, "g"), 0);
	atomic_store(&n_free, wide);
	assert_int_equal(path_put(f, "g", "5", "inv", &err), 0);
	/*
	 * profiles over the same weights; a queued job counts by its own rule
	 */
	assert_int_equal(fixture_delete(f, "g"), 0);
	atomic_store(&n_free, 2 * narrow);
	assert_int_equal(path_put(f, "g", "5", "none", &err), 0);
	/* the second profile may store fewer tables, so it has room; then the
	   third one has none */
	assert_int_equal(fixture_profile_put(f, "g", "p", "inv", &result), 0);
	assert_int_equal(fixture_profile_put(f, "g", "q", "hops", &result),
		APSP_ENOSPACE);
	/* and after a restart */
	fixture_reopen(f);
	assert_int_equal(fixture_profile_put(f, "g", "q", "hops", &result),
		APSP_ENOSPACE);
}

/* Queued jobs count; finished ones do not, as their files use space already. */
static void test_together(void **state)
{
	struct fixture *f = *state;
	struct apsp_err err = {0};
	uint64_t n_arcs;

	atomic_store(&n_free, needed(10) + needed(20) - 1);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(put(f, "h", 20, &err), APSP_ENOSPACE);
	assert_int_equal(
		fixture_read(f, "h", "default", &n_arcs), APSP_ENOGRAPH);
	/* a newer upload cancels the queued job */
	assert_int_equal(put(f, "g", 20, &err), 0);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(put(f, "h", 20, &err), 0);
}

static void test_profile(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_err err = {0};
	uint64_t n_arcs;

	atomic_store(&n_free, PLENTY);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(fixture_work_all(f), 1);
	atomic_store(&n_free, 1 << 16);
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result),
		APSP_ENOSPACE);
	assert_int_equal(fixture_read(f, "g", "p", &n_arcs), APSP_ENOPROFILE);
}

/* With a full disk the store still opens, and queues lost tables again. */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct apsp_err err = {0};
	char command[400];

	atomic_store(&n_free, PLENTY);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(fixture_work_all(f), 1);
	atomic_store(&n_free, 0);
	snprintf(command, sizeof(command), "rm '%s'/tables/*", f->cache_dir);
	assert_int_equal(system(command), 0);
	fixture_reopen(f);
	assert_int_equal(fixture_work_all(f), 1);
}

static void limit_set(struct fixture *f, uint64_t limit)
{
	apsp_store_close(f->store);
	f->store = NULL;
	f->cache_limit = limit;
	fixture_open(f);
}

/* Write a file of 4,096 bytes to a directory of the cache. If the directory is
   missing, it is made. */
static void block_write(
	const struct fixture *f, const char *dir, const char *name)
{
	char path[400], junk[4096] = {1};
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->cache_dir, dir);
	assert_int_equal(apsp_directory_make(path, NULL), 0);
	snprintf(path, sizeof(path), "%s/%s/%s", f->cache_dir, dir, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(junk, sizeof(junk), 1, file), 1);
	fclose(file);
}

/* Four fifths of what is free at the start, beside the tables that are there;
   what becomes free later does not count. */
static void test_limit_default(void **state)
{
	struct fixture *f = *state;
	struct apsp_cache_room space;
	struct apsp_err err = {0};

	atomic_store(&n_free, 1000000);
	limit_set(f, 0);
	assert_int_equal(apsp_cache_limit_read(f->store, &space, NULL), 0);
	assert_int_equal(space.limit_bytes, 800000);
	assert_int_equal(space.used_bytes, 0);
	assert_int_equal(space.left_bytes, 800000);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(fixture_work_all(f), 1);
	atomic_store(&n_free, 2000000);
	assert_int_equal(apsp_cache_limit_read(f->store, &space, NULL), 0);
	assert_int_equal(space.limit_bytes, 800000);
	assert_true(space.used_bytes > 0);
	assert_int_equal(space.left_bytes, 800000 - space.used_bytes);
	assert_true(space.limited);
	limit_set(f, 0);
	assert_int_equal(apsp_cache_limit_read(f->store, &space, NULL), 0);
	assert_int_equal(space.left_bytes, 1600000);
	assert_int_equal(check_4000(f, 0, &err), APSP_ENOSPACE);
	assert_non_null(strstr(err.message,
		"(--cache-limit), has room for 1.6 MB; no deletion frees so "
		"much: raise --cache-limit or, for shortest paths, choose "
		"tables=none. The limit was computed at the start"));
	assert_non_null(strstr(err.message, "restart apspd or set"));
}

/* The message says that no deletion helps only if the tables alone exceed the
   limit. If they exceed it together with another job's tables, a deletion of
   the other graph helps. */
static void test_limit_together(void **state)
{
	struct fixture *f = *state;
	struct apsp_err err = {0};

	atomic_store(&n_free, PLENTY);
	limit_set(f, needed(10) + needed(20) - 1);
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(put(f, "h", 20, &err), APSP_ENOSPACE);
	assert_non_null(strstr(err.message, "; delete tables that nobody"));
	assert_int_equal(fixture_delete(f, "g"), 0);
	assert_int_equal(put(f, "h", 20, &err), 0);
}

/* The files of a job whose daemon was killed are removed at the start, so their
   space counts as free. Tables that came in a bundle count as tables. */
static void test_limit_after_kill(void **state)
{
	struct fixture *f = *state;
	struct apsp_cache_room space;

	atomic_store(&n_free, 1000000);
	block_write(f, "jobs/1", "tables");
	block_write(f, "received", "other");
	limit_set(f, 0);
	assert_int_equal(apsp_cache_limit_read(f->store, &space, NULL), 0);
	assert_int_equal(space.limit_bytes, 4096 + 1004096 - 1004096 / 5);
}

/*
 * A queued job counts; one that runs counts until it has taken its room, which
 * is used from then on.
 */
static void test_limit_jobs(void **state)
{
	struct fixture *f = *state;
	struct apsp_cache_room space;
	struct apsp_job_spec job;
	struct apsp_err err = {0};
	char dir[32];

	atomic_store(&n_free, PLENTY);
	limit_set(f, needed(10) + needed(20));
	assert_int_equal(put(f, "g", 10, &err), 0);
	assert_int_equal(put(f, "h", 900, &err), APSP_ENOSPACE);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.room_bytes,
		needed(10) + needed(20) - 10 * sizeof(struct apsp_arc));
	assert_int_equal(put(f, "h", 900, &err), APSP_ENOSPACE);
	snprintf(dir, sizeof(dir), "jobs/%d", (int)job.id);
	block_write(f, dir, "tables");
	assert_int_equal(apsp_cache_limit_read(f->store, &space, NULL), 0);
	assert_int_equal(space.used_bytes, 4096);
	assert_int_equal(space.job_bytes, 4096);
	/* of its own need, a block is used already: counted once */
	assert_int_equal(put(f, "h", 20, &err), 0);
}

/* The limit was lowered while a job waited, and other tables use a part of it:
   it fails, and the next one runs. */
static void test_limit_claim(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record record = {0};
	struct apsp_job_spec job;
	struct apsp_err err = {0};
	uint64_t large;

	atomic_store(&n_free, PLENTY);
	large = fixture_put(f, "g", 5000, "none");
	assert_int_equal(put(f, "h", 10, &err), 0);
	limit_set(f, needed(5000));
	block_write(f, "tables", "other");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_string_equal(job.graph, "h");
	assert_int_equal(apsp_jobs_get(f->store, large, &record, NULL), 0);
	assert_int_equal(record.state, APSP_JOB_FAILED);
	assert_int_equal(record.failure.err.code, APSP_ENOSPACE);
	assert_non_null(strstr(record.failure.err.message, "--cache-limit"));
	apsp_job_record_done(&record);
}

/* A queued job whose upload was replaced by one with the same arcs belongs to
   the new upload, so its room is checked when it is claimed. */
static void test_limit_replaced(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record record = {0};
	struct apsp_put_result result;
	struct apsp_job_spec job;

	atomic_store(&n_free, PLENTY);
	fixture_put(f, "g", 5000, "none");
	assert_int_equal(fixture_profile_put(f, "g", "q", "inv", &result), 0);
	assert_int_equal(fixture_work_all(f), 2);
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	/* the tables of this rule exist, so the upload is current at once */
	assert_int_equal(fixture_put(f, "g", 5000, "inv"), 0);
	assert_int_equal(
		fixture_number(f, "SELECT count(*) FROM jobs j JOIN generations"
				  " g ON g.id = j.generation WHERE j.state ="
				  " 'queued' AND g.state = 'current'"),
		1);
	limit_set(f, 4096);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	assert_int_equal(apsp_jobs_get(f->store, result.job, &record, NULL), 0);
	assert_int_equal(record.failure.err.code, APSP_ENOSPACE);
	apsp_job_record_done(&record);
}

/* A job that proves a bundle's tables writes no tables, but it writes the graph
   file: it fails if the limit leaves too little space for the arcs. */
static void test_limit_received(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record record = {0};
	struct apsp_job_spec job;
	char path[512];
	uint64_t id;
	FILE *file;

	atomic_store(&n_free, PLENTY);
	id = fixture_put(f, "g", 5000, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	apsp_job_tries_put_back(f->store, &job);
	snprintf(path, sizeof(path), "%s/received", f->cache_dir);
	assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
	snprintf(path, sizeof(path), "%s/received/%s-%s-%d.all", f->cache_dir,
		job.revision, job.hash, (int)job.generation);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 1 << 24), 0);
	fclose(file);
	limit_set(f, 4096);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	assert_int_equal(apsp_jobs_get(f->store, id, &record, NULL), 0);
	assert_int_equal(record.failure.err.code, APSP_ENOSPACE);
	apsp_job_record_done(&record);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_on_demand),
		TEST(test_narrow),
		TEST(test_tables_of_the_rule),
		TEST(test_upload),
		TEST(test_reals),
		TEST(test_together),
		TEST(test_profile),
		TEST(test_lost),
		TEST(test_limit_default),
		TEST(test_limit_together),
		TEST(test_limit_after_kill),
		TEST(test_limit_jobs),
		TEST(test_limit_claim),
		TEST(test_limit_replaced),
		TEST(test_limit_received),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
