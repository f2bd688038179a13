/*
 * What can go wrong around the store: a restart in the middle, files that are
 * gone or damaged, a full disk; and long uploads beside other commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "tests/patience.h"
#include "storage/tables/open_tables.h"
#include "tests/store_fixture.h"

#include "daemon/base/auto.h"

/* How long to wait for what the writer does when it is idle. */
static void becomes(struct fixture *f, const char *sql, int64_t wanted)
{
	for (unsigned int turns = 0;
		fixture_number(f, sql) != wanted && patience_lasts(&turns);)
		;
	assert_int_equal(fixture_number(f, sql), wanted);
}

static void table_path(struct fixture *f, uint64_t id, char out[320])
{
	snprintf(out, 320, "%s/tables/%llu.apsp", f->cache_dir,
		(unsigned long long)id);
}

static void test_running_at_restart(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	struct apsp_job_record record = {0};
	struct apsp_job_spec job;
	uint64_t found;

	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	fixture_reopen(f);
	assert_int_equal(
		fixture_read(f, "g", "default", &found), APSP_ENOTREADY);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.id, id);
	fixture_reopen(f);
	/* it was tried twice, so it is not tried again */
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	assert_int_equal(apsp_jobs_get(f->store, id, &record, NULL), 0);
	assert_int_equal(record.state, APSP_JOB_FAILED);
	assert_int_equal(record.failure.err.code, APSP_ESOLVER);
	apsp_job_record_done(&record);
	assert_int_equal(fixture_read(f, "g", "default", &found), APSP_ETABLES);
}

static void test_files_at_restart(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	uint64_t other = fixture_put(f, "h", 11, "none");
	char path[320];
	uint64_t found;

	assert_int_equal(fixture_work_all(f), 2);
	apsp_store_close(f->store);
	f->store = NULL;
	table_path(f, 12345, path);
	fixture_tables_write(path, 1);
	table_path(f, id, path);
	unlink(path);
	table_path(f, other, path);
	assert_int_equal(truncate(path, 100000), 0);
	fixture_open(f);
	/* the file without a row is gone, and so is the file that was cut */
	assert_int_equal(fixture_n_files(f), 0);
	assert_int_equal(
		atomic_load(
			&apsp_store_parts(f->store)->tables->scrub.n_damaged),
		2);
	assert_int_equal(
		fixture_read(f, "g", "default", &found), APSP_ENOTREADY);
	assert_int_equal(
		fixture_read(f, "h", "default", &found), APSP_ENOTREADY);
	assert_int_equal(fixture_work_all(f), 2);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(fixture_read(f, "h", "default", &found), 0);
}

/* A profile whose newest rule failed loses the tables of the rule before: these
   are computed again, also if the failed job was cancelled instead. */
static void test_lost_before_failed_rule(void **state)
{
	struct fixture *f = *state;
	const enum apsp_code codes[] = {APSP_ENEGCYCLE, APSP_ECANCELLED};
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t id = fixture_put(f, "g", 10, "none"), found;
	char path[320];

	assert_int_equal(fixture_work_all(f), 1);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(
			fixture_profile_put(f, "g", "default", "hops", &result),
			0);
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		fixture_fail(f, &job, codes[i], false);
		assert_int_equal(fixture_read(f, "g", "default", &found), 0);
		table_path(f, id, path);
		assert_int_equal(unlink(path), 0);
		fixture_reopen(f);
		assert_int_equal(fixture_read(f, "g", "default", &found),
			APSP_ENOTREADY);
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		assert_int_equal(job.profile.transform,
			fixture_profile("none").transform);
		assert_int_equal(fixture_work(f, &job, NULL), 0);
		assert_int_equal(fixture_read(f, "g", "default", &found), 0);
		id = job.id;
	}
}

/* Tables with another number of vertices than the graph, or of another kind of
   rule, are refused: questions would read beyond the labels. */
static void test_tables_of_another_job(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_spec job;
	struct apsp_err err;
	uint64_t found;

	/* the tables of this fixture have FIXTURE_N vertices */
	fixture_put(f, "g", FIXTURE_N - 2, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(fixture_work(f, &job, &err), APSP_EDAMAGED);
	assert_non_null(strstr(err.message, "needs tables of 4 vertices"));
	fixture_fail(f, &job, APSP_EDAMAGED, false);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	job.profile.path = APSP_PATH_WIDEST;
	assert_int_equal(fixture_work(f, &job, &err), APSP_EDAMAGED);
	assert_non_null(strstr(err.message, "vertices with widths"));
	assert_int_equal(fixture_n_files(f), 0);
	assert_int_equal(
		fixture_read(f, "g", "default", &found), APSP_ENOTREADY);
}

/* The scrub finds a flipped bit in tables that nobody reads. */
static void test_damage(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	struct apsp_job_spec job;
	char path[320], byte;
	uint64_t found;
	int fd;

	assert_int_equal(fixture_work_all(f), 1);
	table_path(f, id, path);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, 3 * APSP_TABLE_BLOCK), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, 3 * APSP_TABLE_BLOCK), 1);
	close(fd);
	becomes(f, "SELECT count(*) FROM jobs WHERE state = 'queued'", 1);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(
		atomic_load(
			&apsp_store_parts(f->store)->tables->scrub.n_damaged),
		1);
	assert_int_equal(
		fixture_read(f, "g", "default", &found), APSP_ENOTREADY);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
}

struct turn {
	struct apsp_put_result *put; /* that it fills; NULL: none */
	atomic_int *clock;
	int at;
	int result;
};

static void turn_take(void *ctx, int result, const struct apsp_err *err)
{
	struct turn *turn = ctx;

	(void)err;
	turn->at = 1 + atomic_fetch_add(turn->clock, 1);
	turn->result = result;
	if (result == 0 && turn->put)
		apsp_put_result_done(turn->put);
}

/*
 * Commands that a test posts from the writer thread, so that none of them runs
 * before all are posted.
 */
struct script {
	struct fixture *fixture;
	struct apsp_upload *uploads[2];
	const struct apsp_precondition *precondition;
	struct apsp_put_result results[2];
	enum apsp_job_state job;
	atomic_int clock;
	struct turn turns[3];
	struct command_wait *posted;
};

static struct apsp_done script_turn(
	struct script *script, int i, struct apsp_put_result *put)
{
	script->turns[i].clock = &script->clock;
	script->turns[i].put = put;
	return (struct apsp_done){.fn = turn_take, .ctx = &script->turns[i]};
}

static void script_posted(struct script *script)
{
	struct apsp_done done = command_wait_done(script->posted);

	done.fn(done.ctx, 0, NULL);
}

/* Run post on the writer thread and wait until it has run. */
static void script_run(struct script *script,
	void (*post)(void *ctx, int result, const struct apsp_err *err))
{
	script->posted = command_wait_new();
	apsp_jobs_cancel(script->fixture->store, 77, &script->job,
		(struct apsp_done){.fn = post, .ctx = script});
	assert_int_equal(command_wait_for(script->posted, NULL), 0);
}

static void interleaved_post(void *ctx, int result, const struct apsp_err *err)
{
	struct script *script = ctx;
	struct apsp_store *store = script->fixture->store;

	(void)result;
	(void)err;
	for (int i = 0; i < 2; i++)
		apsp_graph_put(store, "g", script->uploads[i], NULL, 0,
			&script->results[i],
			script_turn(script, i, &script->results[i]));
	apsp_jobs_cancel(store, 77, &script->job, script_turn(script, 2, NULL));
	script_posted(script);
}

/*
 * An upload of three chunks and more is stored in steps; a short command runs
 * between them.
 */
static void test_interleaved(void **state)
{
	struct fixture *f = *state;
	struct script script = {.fixture = f,
		.uploads = {fixture_upload(f, 900000, "none"),
			fixture_upload(f, 10, "none")}};
	uint64_t found;

	script_run(&script, interleaved_post);
	/* closing finishes what was posted */
	fixture_reopen(f);
	assert_int_equal(script.turns[2].result, APSP_ENOJOB);
	assert_int_equal(script.turns[2].at, 1);
	/* uploads of one graph keep their order: the newer one wins */
	assert_int_equal(script.turns[0].result, 0);
	assert_int_equal(script.turns[0].at, 2);
	assert_int_equal(script.turns[1].result, 0);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(found, 10);
	becomes(f, "SELECT count(*) FROM generations", 1);
	becomes(f, "SELECT count(*) FROM chunks", 2);
}

/* The graph is deleted after the upload's first step. */
static void delete_post(void *ctx, int result, const struct apsp_err *err)
{
	struct script *script = ctx;

	(void)result;
	(void)err;
	apsp_graphs_delete(script->fixture->store, "g", NULL,
		script_turn(script, 1, NULL));
	script_posted(script);
}

static void given_up_post(void *ctx, int result, const struct apsp_err *err)
{
	struct script *script = ctx;
	struct apsp_store *store = script->fixture->store;

	(void)result;
	(void)err;
	apsp_graph_put(store, "g", script->uploads[0], script->precondition, 0,
		&script->results[0],
		script_turn(script, 0, &script->results[0]));
	apsp_jobs_cancel(store, 77, &script->job,
		(struct apsp_done){.fn = delete_post, .ctx = script});
}

/* The upload's precondition fails between two steps: nothing of it stays. */
static void test_given_up(void **state)
{
	struct fixture *f = *state;
	struct apsp_precondition some = {.must_exist = true};
	struct script script = {.fixture = f,
		.uploads = {fixture_upload(f, 900000, "none")},
		.precondition = &some};

	fixture_put(f, "g", 10, "none");
	script_run(&script, given_up_post);
	/* the writer removes its rows without another command */
	becomes(f, "SELECT count(*) FROM generations", 0);
	assert_int_equal(fixture_number(f, "SELECT count(*) FROM chunks"), 0);
	assert_int_equal(fixture_number(f, "SELECT seq FROM sqlite_sequence"
					   " WHERE name = 'generations'"),
		2);
	fixture_reopen(f);
	assert_int_equal(script.turns[0].result, APSP_EPRECONDITION);
	assert_int_equal(script.turns[1].result, 0);
}

static void test_big_graph(void **state)
{
	struct fixture *f = *state;
	uint64_t found;

	fixture_put(f, "g", 600000, "none");
	assert_int_equal(
		fixture_number(
			f, "SELECT count(*) FROM chunks WHERE kind = 'arcs'"),
		3);
	assert_true(fixture_number(f, "SELECT max(length(data)) FROM chunks") <=
		    4 << 20);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(found, 600000);
	assert_int_equal(fixture_delete(f, "g"), 0);
	becomes(f, "SELECT count(*) FROM generations", 0);
	assert_int_equal(fixture_number(f, "SELECT count(*) FROM chunks"), 0);
	/* and the pages go back to the file system */
	becomes(f, "PRAGMA freelist_count", 0);
	assert_true(fixture_number(f, "PRAGMA page_count") < 200);
}

/* SQLite calls this pwrite, whose disk can be full. */
static atomic_bool disk_full;
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static ssize_t full_pwrite(int fd, const void *data, size_t size, off_t offset)
{
	if (atomic_load(&disk_full)) {
		errno = ENOSPC;
		return -1;
	}
	return real_pwrite(fd, data, size, offset);
}

static void test_disk_full(void **state)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_err err = {0};
	uint64_t found;
	const char *name = "pwrite64";

	if (!vfs->xGetSystemCall(vfs, name))
		name = "pwrite";
	real_pwrite = (ssize_t(*)(int, const void *, size_t,
		off_t))vfs->xGetSystemCall(vfs, name);
	assert_non_null(real_pwrite);
	assert_int_equal(vfs->xSetSystemCall(
				 vfs, name, (sqlite3_syscall_ptr)full_pwrite),
		SQLITE_OK);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	atomic_store(&disk_full, true);
	assert_int_equal(
		fixture_put_if(f, "g", 20, "none", NULL, &result, &err),
		APSP_ESTATEFULL);
	assert_non_null(strstr(err.message, "full"));
	assert_int_equal(fixture_delete(f, "g"), APSP_ESTATEFULL);
	assert_int_equal(apsp_store_check(f->store, NULL), APSP_ESTATEFULL);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	atomic_store(&disk_full, false);
	/*
	 * the store goes on, and finds by itself that the disk has room again
	 */
	for (unsigned int turns = 0;
		apsp_store_check(f->store, NULL) < 0 && patience_lasts(&turns);)
		;
	assert_int_equal(apsp_store_check(f->store, NULL), 0);
	fixture_put(f, "g", 20, "none");
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(found, 20);
	vfs->xSetSystemCall(vfs, name, NULL);
}

static void test_old_jobs(void **state)
{
	struct fixture *f = *state;
	sqlite3 *db = fixture_database_alone(f);

	assert_int_equal(
		sqlite3_exec(db,
			"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
			" SELECT i + 1 FROM n WHERE i < 10300)"
			" INSERT INTO jobs (generation, graph, profile,"
			" revision, rule, hash, state, queued_at_ms) SELECT 1,"
			" 'g', 'p', 'r', 'x', 'h', 'succeeded', 1 FROM n",
			NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	fixture_open(f);
	becomes(f, "SELECT count(*) FROM jobs", 10000);
	assert_int_equal(fixture_number(f, "SELECT min(id) FROM jobs"), 301);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_running_at_restart),
		TEST(test_files_at_restart),
		TEST(test_lost_before_failed_rule),
		TEST(test_tables_of_another_job),
		TEST(test_damage),
		TEST(test_interleaved),
		TEST(test_given_up),
		TEST(test_big_graph),
		TEST(test_disk_full),
		TEST(test_old_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
