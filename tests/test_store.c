/*
 * The life of table sets: uploads, profiles, overwrites, deletions, and what a
 * restart finds.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/store_steps.h"

#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

static void test_life(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result = {0};
	struct apsp_job_spec job;

	refuses(f, "g", "default", APSP_ENOGRAPH);
	assert_int_equal(
		fixture_put_if(f, "g", 10, "none", NULL, &result, NULL), 0);
	assert_int_equal(result.job_state, APSP_JOB_QUEUED);
	assert_int_equal(f->n_queued, 1);
	refuses(f, "g", "default", APSP_ENOTREADY);
	refuses(f, "g", "other", APSP_ENOPROFILE);
	job = claim(f);
	assert_int_equal(job.id, result.job);
	assert_string_equal(job.graph, "g");
	assert_string_equal(job.profile_name, "default");
	assert_int_equal(job_state(f, job.id), APSP_JOB_RUNNING);
	refuses(f, "g", "default", APSP_ENOTREADY);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	assert_int_equal(job_state(f, job.id), APSP_JOB_SUCCEEDED);
	reads(f, "g", "default", 10);
	assert_int_equal(fixture_n_files(f), 1);
	fixture_reopen(f);
	reads(f, "g", "default", 10);
	idle(f);
}

/* A read before the first tables is told which job to wait for. */
static void test_awaited(void **state)
{
	struct fixture *f = *state;
	uint64_t base = fixture_put(f, "g", 10, "none");
	struct apsp_put_result result;
	struct apsp_job_spec job;

	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	waits_for(f, "default", base);
	waits_for(f, "p", result.job);
	job = claim(f);
	waits_for(f, "default", base);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	reads(f, "g", "default", 10);
	waits_for(f, "p", result.job);
	assert_int_equal(fixture_work_all(f), 1);
	reads(f, "g", "p", 10);
}

/* Emptying the cache loses time, and no data. */
static void test_emptied_cache(void **state)
{
	struct fixture *f = *state;
	char dir[320];

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	snprintf(dir, sizeof(dir), "%s/tables/1.apsp", f->cache_dir);
	assert_int_equal(unlink(dir), 0);
	*strrchr(dir, '/') = '\0';
	assert_int_equal(rmdir(dir), 0);
	reads(f, "g", "default", 10);
	fixture_put(f, "h", 20, "none");
	assert_int_equal(fixture_work_all(f), 1);
	reads(f, "h", "default", 20);
}

static void test_same_upload(void **state)
{
	struct fixture *f = *state;
	uint64_t first = fixture_put(f, "g", 10, "none");
	struct apsp_job_spec job;
	uint64_t second;

	assert_int_equal(fixture_put(f, "g", 10, "none"), first);
	job = claim(f);
	assert_int_equal(fixture_put(f, "g", 10, "none"), first);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	refuses(f, "g", "default", APSP_ETABLES);
	second = fixture_put(f, "g", 10, "none");
	assert_int_not_equal(second, first);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_put(f, "g", 10, "none"), 0);
	reads(f, "g", "default", 10);
	/*
	 * another rule makes another generation; the first rule's tables exist
	 */
	assert_int_not_equal(fixture_put(f, "g", 10, "inv"), 0);
	assert_int_equal(fixture_put(f, "g", 10, "none"), 0);
	idle(f);
	reads(f, "g", "default", 10);
}

static void test_overwrite(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t pending;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_profile_put(f, "g", "h", "hops", &result), 0);
	assert_int_equal(fixture_work_all(f), 2);
	reads(f, "g", "h", 10);
	pending = fixture_put(f, "g", 20, "none");
	/* the newer upload cancels the pending one, its copied profile too */
	fixture_put(f, "g", 30, "none");
	assert_int_equal(job_state(f, pending), APSP_JOB_CANCELLED);
	assert_int_equal(job_state(f, pending + 1), APSP_JOB_CANCELLED);
	reads(f, "g", "default", 10);
	reads(f, "g", "h", 10);
	job = claim(f);
	assert_string_equal(job.profile_name, "default");
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	/* it switches, and nothing is answered from the upload before */
	reads(f, "g", "default", 30);
	waits_for(f, "h", job.id + 1);
	assert_int_equal(fixture_n_files(f), 1);
	job = claim(f);
	assert_string_equal(job.profile_name, "h");
	/* a newer upload comes first: the job that runs is given up */
	pending = fixture_put(f, "g", 40, "none");
	assert_int_equal(f->n_unwanted, 1);
	assert_int_equal(f->last_unwanted, job.id);
	assert_int_equal(fixture_work(f, &job, NULL), APSP_ECANCELLED);
	fixture_fail(f, &job, APSP_ECANCELLED, false);
	assert_int_equal(job_state(f, job.id), APSP_JOB_CANCELLED);
	waits_for(f, "h", pending + 1);
	reads(f, "g", "default", 30);
	job = claim(f);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	/* a copied profile that fails is failed alone */
	job = claim(f);
	fixture_fail(f, &job, APSP_EOVERFLOW, true);
	assert_int_equal(job_state(f, job.id), APSP_JOB_QUEUED);
	job = claim(f);
	fixture_fail(f, &job, APSP_EOVERFLOW, true);
	assert_int_equal(job_state(f, job.id), APSP_JOB_FAILED);
	reads(f, "g", "default", 40);
	refuses(f, "g", "h", APSP_ETABLES);
	/* the files of the others are gone */
	assert_int_equal(fixture_n_files(f), 1);
}

static void test_default_fails(void **state)
{
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *view = NULL;
	struct apsp_job_spec job;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	fixture_put(f, "g", 20, "none");
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	reads(f, "g", "default", 10);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(apsp_snapshot_map_find(
					 apsp_store_parts(f->store)->graphs,
					 "g", &view, NULL),
			0);
		assert_non_null(view->pending);
		assert_int_equal(view->pending->n_arcs, 20);
		assert_int_equal(view->pending->profiles[0].job_error.code,
			APSP_ENEGCYCLE);
		assert_string_equal(
			view->pending->profiles[0].job_error.message,
			"it did not work");
		apsp_graph_snapshot_unref(view);
		fixture_reopen(f);
	}
	reads(f, "g", "default", 10);
}

static void test_profiles(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;

	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result),
		APSP_ENOGRAPH);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	/* the rule of `default`, whose tables exist */
	assert_int_equal(fixture_profile_put(f, "g", "p", "none", &result), 0);
	assert_int_equal(result.job, 0);
	reads(f, "g", "p", 10);
	assert_int_equal(fixture_n_files(f), 1);
	/* a profile defined anew serves its old tables until the new exist */
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	assert_int_not_equal(result.job, 0);
	reads(f, "g", "p", 10);
	job = claim(f);
	assert_int_equal(fixture_profile_put(f, "g", "p", "inv", &result), 0);
	assert_int_equal(f->last_unwanted, job.id);
	assert_int_equal(fixture_work(f, &job, NULL), APSP_ECANCELLED);
	assert_int_equal(job_state(f, job.id), APSP_JOB_CANCELLED);
	reads(f, "g", "p", 10);
	assert_int_equal(fixture_work_all(f), 1);
	reads(f, "g", "p", 10);
	assert_int_equal(fixture_n_files(f), 2);
	assert_int_equal(fixture_profile_delete(f, "g", "default"), APSP_EDATA);
	assert_int_equal(fixture_profile_delete(f, "g", "x"), APSP_ENOPROFILE);
	assert_int_equal(fixture_profile_delete(f, "g", "p"), 0);
	refuses(f, "g", "p", APSP_ENOPROFILE);
	assert_int_equal(fixture_n_files(f), 1);
}

static void test_profile_of_pending(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	fixture_put(f, "g", 20, "none");
	assert_int_equal(fixture_profile_put(f, "g", "h", "hops", &result), 0);
	/*
	 * `default` and h of the new upload; then no profile needs h of the old
	 * one
	 */
	assert_int_equal(fixture_work_all(f), 2);
	reads(f, "g", "h", 20);
	assert_int_equal(fixture_n_files(f), 2);
}

static void test_shared(void **state)
{
	struct fixture *f = *state;
	uint64_t second;

	fixture_put(f, "a", 10, "none");
	second = fixture_put(f, "b", 10, "none");
	assert_int_not_equal(second, 0);
	/* one job makes the tables of both profiles */
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(job_state(f, second), APSP_JOB_SUCCEEDED);
	reads(f, "a", "default", 10);
	reads(f, "b", "default", 10);
	assert_int_equal(fixture_n_files(f), 1);
	assert_int_equal(fixture_put(f, "c", 10, "none"), 0);
	reads(f, "c", "default", 10);
	assert_int_equal(fixture_delete(f, "a"), 0);
	reads(f, "b", "default", 10);
	assert_int_equal(fixture_delete(f, "b"), 0);
	assert_int_equal(fixture_delete(f, "c"), 0);
	assert_int_equal(fixture_n_files(f), 0);
}

static void test_delete(void **state)
{
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *view = NULL;
	struct apsp_tables *tables;
	struct apsp_cell cell;

	assert_int_equal(fixture_delete(f, "g"), APSP_ENOGRAPH);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(
		apsp_snapshot_map_find(
			apsp_store_parts(f->store)->graphs, "g", &view, NULL),
		0);
	assert_int_equal(fixture_delete(f, "g"), 0);
	refuses(f, "g", "default", APSP_ENOGRAPH);
	assert_int_equal(fixture_n_files(f), 0);
	/* a reader that holds the snapshot finishes with its tables */
	tables = view->current->profiles[0].tables;
	assert_int_equal(ask_table_cell(tables, 0, 1, &cell), 0);
	assert_int_equal(apsp_labels_find(view->current->labels, "v3", 2), 3);
	apsp_graph_snapshot_unref(view);
	fixture_reopen(f);
	refuses(f, "g", "default", APSP_ENOGRAPH);
}

static void test_preconditions(void **state)
{
	struct fixture *f = *state;
	struct apsp_precondition none = {.must_not_exist = true};
	struct apsp_precondition some = {.must_exist = true};
	struct apsp_precondition match = {.has_tag = true, .tag = "another"};
	const struct apsp_graph_snapshot *view = NULL;
	struct apsp_put_result result;

	assert_int_equal(
		fixture_put_if(f, "g", 10, "none", &some, &result, NULL),
		APSP_EPRECONDITION);
	assert_int_equal(
		fixture_put_if(f, "g", 10, "none", &none, &result, NULL), 0);
	assert_int_equal(
		fixture_put_if(f, "g", 10, "none", &none, &result, NULL),
		APSP_EPRECONDITION);
	assert_int_equal(apsp_graphs_precondition(f->store, "g", &match, NULL),
		APSP_EPRECONDITION);
	assert_int_equal(
		fixture_put_if(f, "g", 20, "none", &match, &result, NULL),
		APSP_EPRECONDITION);
	assert_int_equal(
		apsp_snapshot_map_find(
			apsp_store_parts(f->store)->graphs, "g", &view, NULL),
		0);
	strcpy(match.tag, view->pending->revision);
	assert_int_equal(
		fixture_put_if(f, "g", 20, "none", &match, &result, NULL), 0);
	apsp_graph_snapshot_unref(view);
}

static void test_list(void **state)
{
	static const char *const names[] = {"m", "a", "z", "k"};
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *views[8];

	for (unsigned int i = 0; i < 4; i++)
		fixture_put(f, names[i], 10 + i, "none");
	assert_int_equal(
		apsp_snapshot_map_list(
			apsp_store_parts(f->store)->graphs, "", views, 8),
		4);
	assert_string_equal(views[0]->name, "a");
	assert_string_equal(views[3]->name, "z");
	for (int i = 0; i < 4; i++)
		apsp_graph_snapshot_unref(views[i]);
	assert_int_equal(
		apsp_snapshot_map_list(
			apsp_store_parts(f->store)->graphs, "a", views, 2),
		2);
	assert_string_equal(views[0]->name, "k");
	assert_string_equal(views[1]->name, "m");
	apsp_graph_snapshot_unref(views[0]);
	apsp_graph_snapshot_unref(views[1]);
	assert_int_equal(
		apsp_snapshot_map_list(
			apsp_store_parts(f->store)->graphs, "l", views, 1),
		1);
	assert_string_equal(views[0]->name, "m");
	apsp_graph_snapshot_unref(views[0]);
}

/* A database that is gone takes no more writes, and says so. */
static void test_database_removed(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_err err = {0};
	char path[320], away[320];
	uint64_t found;
	FILE *file;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	snprintf(path, sizeof(path), "%s/apspd.sqlite", f->state_dir);
	snprintf(away, sizeof(away), "%s/away", f->state_dir);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(apsp_store_check(f->store, &err), APSP_EUNUSABLE);
	assert_non_null(strstr(err.message, "removed or replaced"));
	assert_int_equal(
		fixture_put_if(f, "h", 11, "none", NULL, &result, &err),
		APSP_EUNUSABLE);
	assert_int_equal(fixture_delete(f, "g"), APSP_EUNUSABLE);
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result),
		APSP_EUNUSABLE);
	/* another file in its place is not the database either */
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(fixture_delete(f, "g"), APSP_EUNUSABLE);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(rename(away, path), 0);
	assert_int_equal(apsp_store_check(f->store, &err), 0);
	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_work_all(f), 1);
	fixture_reopen(f);
	assert_int_equal(fixture_read(f, "h", "default", &found), 0);
}

/* the number of calls of flock() that fail, as if a directory were locked */
static int n_locked;

int flock(int fd, int operation)
{
	if (n_locked == 0)
		return (int)syscall(SYS_flock, fd, operation);
	n_locked--;
	errno = EWOULDBLOCK;
	return -1;
}

/* apspd --check locks a directory for a moment. */
static void test_check_meanwhile(void **state)
{
	n_locked = 3;
	fixture_reopen(*state);
	assert_int_equal(n_locked, 0);
}

static void test_second_daemon(void **state)
{
	struct fixture *f = *state;
	struct apsp_store *other = NULL;
	struct apsp_err err = {0};

	assert_int_equal(fixture_try_open(f, &other, &err), APSP_EIO);
	assert_non_null(strstr(err.message, "another apspd is using"));
	assert_null(other);
	assert_int_equal(apsp_store_check(f->store, NULL), 0);
}

static void test_impossible_directory(void **state)
{
	struct fixture *f = *state;
	struct fixture other = *f;
	struct apsp_store *store = NULL;
	struct apsp_err err = {0};

	strcpy(other.state_dir, "/proc/nowhere/x");
	assert_int_equal(fixture_try_open(&other, &store, &err), APSP_EIO);
	assert_non_null(strstr(err.message, "'/proc/nowhere'"));
	assert_null(store);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_life),
		TEST(test_awaited),
		TEST(test_emptied_cache),
		TEST(test_same_upload),
		TEST(test_overwrite),
		TEST(test_default_fails),
		TEST(test_profiles),
		TEST(test_profile_of_pending),
		TEST(test_shared),
		TEST(test_delete),
		TEST(test_preconditions),
		TEST(test_list),
		TEST(test_database_removed),
		TEST(test_check_meanwhile),
		TEST(test_second_daemon),
		TEST(test_impossible_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
