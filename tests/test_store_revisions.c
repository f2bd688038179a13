/*
 * Which upload of a graph answers, and for which one jobs run: profiles, failed
 * and cancelled jobs, newer uploads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "storage/directories/directory.h"
#include "tests/store_steps.h"

static struct apsp_job_record record_of(struct fixture *f, uint64_t id)
{
	struct apsp_job_record record = {0};

	assert_int_equal(apsp_jobs_get(f->store, id, &record, NULL), 0);
	apsp_job_record_done(&record); /* its texts stay */
	return record;
}

static void cancelled_for(struct fixture *f, uint64_t id, const char *reason)
{
	struct apsp_job_record record = record_of(f, id);

	assert_int_equal(record.state, APSP_JOB_CANCELLED);
	assert_non_null(strstr(record.failure.err.message, reason));
}

/* `default` first, the others in order of the seconds that they will take. */
static void test_order(void **state)
{
	static const char *const order[] = {"default", "b", "c", "a"};
	struct fixture *f = *state;

	/* transforms are none, hops, inv, log, …: fixture_seconds() */
	assert_true(APSP_TRANSFORM_LOG > APSP_TRANSFORM_INV &&
		    APSP_TRANSFORM_INV > APSP_TRANSFORM_HOPS);
	profiles_make(f);
	fixture_put(f, "g", 20, "none");
	for (size_t i = 0; i < 4; i++)
		claims(f, order[i]);
	idle(f);
}

/* Questions are of one upload, whichever profiles have their tables. */
static void test_one_revision(void **state)
{
	struct fixture *f = *state;
	uint64_t job;

	profiles_make(f);
	job = fixture_put(f, "g", 20, "none");
	reads(f, "g", "default", 10);
	reads(f, "g", "c", 10);
	claims(f, "default");
	reads(f, "g", "default", 20);
	waits_for(f, "b", job + 1);
	waits_for(f, "c", job + 2);
	waits_for(f, "a", job + 3);
	assert_int_equal(fixture_n_files(f), 1);
	fixture_reopen(f);
	reads(f, "g", "default", 20);
	waits_for(f, "a", job + 3);
	claims(f, "b");
	reads(f, "g", "b", 20);
	waits_for(f, "a", job + 3);
	assert_int_equal(fixture_work_all(f), 2);
	reads(f, "g", "a", 20);
	assert_int_equal(fixture_n_files(f), 4);
}

/* Without `default` the other profiles of an upload are not computed. */
static void test_default_ends_others(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t first;

	profiles_make(f);
	first = fixture_put(f, "g", 20, "none");
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	for (uint64_t id = first + 1; id <= first + 3; id++)
		cancelled_for(f, id, "upload's default profile were not made");
	idle(f);
	reads(f, "g", "default", 10);
	reads(f, "g", "a", 10);
	/* a profile gets its tables where the others have theirs */
	assert_int_equal(
		fixture_profile_put(f, "g", "d", "lognorm", &result), 0);
	assert_int_equal(fixture_work_all(f), 1);
	reads(f, "g", "d", 10);
	/* the same upload asks for all of them again */
	assert_int_not_equal(fixture_put(f, "g", 20, "none"), 0);
	assert_int_equal(fixture_work_all(f), 5);
	reads(f, "g", "default", 20);
	reads(f, "g", "d", 20);
}

/* As if it had failed; the reason that it has itself is the request. */
static void test_default_cancelled(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	uint64_t first;

	profiles_make(f);
	assert_int_equal(
		fixture_profile_put(f, "g", "d", "lognorm", &result), 0);
	cancel(f, result.job);
	first = cancel(f, fixture_put(f, "g", 20, "none"));
	cancelled_for(f, first, "cancelled on request");
	cancelled_for(f, first + 3, "upload's default profile were not made");
	idle(f);
	reads(f, "g", "a", 10);
	/* another rule for `default` gives the upload a future again; the
	   upload has brought the rule of "d" again */
	fixture_reopen(f);
	assert_int_equal(
		fixture_profile_put(f, "g", "default", "hops", &result), 0);
	assert_int_not_equal(result.job, 0);
	assert_int_equal(fixture_work_all(f), 4);
	reads(f, "g", "default", 20);
	reads(f, "g", "a", 20);
	reads(f, "g", "d", 20);
}

/* A pending upload that has tables of a rule keeps this rule if a later rule is
   given up. */
static void test_pending_keeps(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;

	profiles_make(f);
	fixture_put(f, "g", 20, "none");
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	assert_int_equal(
		fixture_profile_put(f, "g", "default", "hops", &result), 0);
	claims(f, "b");
	claims(f, "c");
	claims(f, "a");
	assert_int_equal(fixture_profile_put(f, "g", "a", "none", &result), 0);
	cancel(f, result.job);
	reads(f, "g", "a", 10);
	answers_by(f, "a", "hops");
	claims(f, "default");
	idle(f);
	reads(f, "g", "a", 20);
	answers_by(f, "a", "lognorm");
}

/* A graph that has nothing but a failed upload takes no other profile. */
static void test_first_fails(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	idle(f);
	cancelled_for(f, result.job, "upload's default profile were not made");
	refuses(f, "g", "default", APSP_ETABLES);
	refuses(f, "g", "p", APSP_ETABLES);
	assert_int_equal(
		fixture_profile_put(f, "g", "q", "inv", &result), APSP_ETABLES);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 2);
	reads(f, "g", "p", 10);
}

/* What is left to compute of an upload waits for the next one's `default`. */
static void test_jobs_given_back(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_spec job;
	uint64_t first;

	profiles_make(f);
	first = fixture_put(f, "g", 20, "none");
	claims(f, "default");
	claims(f, "b");
	fixture_put(f, "g", 30, "none");
	cancelled_for(f, first + 2, "replaced by a newer upload");
	cancelled_for(f, first + 3, "replaced by a newer upload");
	reads(f, "g", "b", 20);
	waits_for(f, "c", first + 6);
	job = claim(f);
	assert_string_equal(job.profile_name, "default");
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	waits_for(f, "c", first + 8);
	assert_int_equal(fixture_work_all(f), 2);
	reads(f, "g", "a", 20);
	reads(f, "g", "c", 20);
}

/* Tables that are lost of one profile are made again, of this revision. */
static void test_lost_profile(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_spec job;
	char path[320];

	profiles_make(f);
	snprintf(path, sizeof(path), "%s/tables/2.apsp", f->cache_dir);
	assert_int_equal(unlink(path), 0);
	fixture_reopen(f);
	waits_for(f, "a", 5);
	reads(f, "g", "default", 10);
	/* the next upload takes the job, and gives it back */
	fixture_put(f, "g", 20, "none");
	cancelled_for(f, 5, "replaced by a newer upload");
	reads(f, "g", "default", 10);
	reads(f, "g", "b", 10);
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	assert_int_equal(fixture_work_all(f), 1);
	reads(f, "g", "a", 10);
}

/* Whether a profile is served to a request that waits for the revision. */
static int served(struct fixture *f, const char *profile)
{
	const struct apsp_graph_snapshot *view = NULL;
	uint64_t job;
	int r;

	assert_int_equal(
		apsp_snapshot_map_find(
			apsp_store_parts(f->store)->graphs, "g", &view, NULL),
		0);
	r = apsp_graph_snapshot_serves(view,
		apsp_graph_snapshot_newest(view)->revision, profile, &job,
		NULL);
	apsp_graph_snapshot_unref(view);
	return r;
}

/* Two uploads of one revision share the jobs and the tables of rules that both
   have. */
static void test_rule_of_same_file(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t shared;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	shared = result.job;
	job = claim(f);
	assert_int_equal(job.id, shared);
	assert_int_equal(fixture_put_if(f, "g", 10, "inv", &fixture_consent,
				 &result, NULL),
		0);
	assert_int_equal(f->n_unwanted, 0);
	assert_int_equal(served(f, "p"), APSP_ENOTREADY);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	reads(f, "g", "p", 10);
	assert_int_equal(served(f, "p"), 0);
	assert_int_equal(served(f, "default"), APSP_ENOTREADY);
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	assert_int_equal(served(f, "p"), 0);
	assert_int_equal(served(f, "default"), APSP_ETABLES);
	/* the newest upload failed, and a new rule still gets its tables */
	assert_int_equal(fixture_profile_put(f, "g", "p", "log", &result), 0);
	assert_int_equal(served(f, "p"), APSP_ENOTREADY);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(served(f, "p"), 0);
	/* the same upload again becomes current */
	assert_int_not_equal(fixture_put(f, "g", 10, "inv"), 0);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(served(f, "default"), 0);
	reads(f, "g", "p", 10);
	idle(f);
}

/*
 * While a job proves a table that an upload brought, another upload with the
 * same content comes, which waits for the same job. If the table is refused,
 * the newer upload gets a job of its own.
 */
static void test_refused_of_older_upload(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job, next;
	char path[512];
	FILE *file;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_profile_put(f, "g", "q", "inv", &result), 0);
	assert_int_equal(fixture_work_all(f), 2);
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	job = claim(f);
	snprintf(path, sizeof(path), "%s/received", f->cache_dir);
	assert_int_equal(apsp_directory_make(path, NULL), 0);
	snprintf(path, sizeof(path), "%s/received/%s-%s-%d.all", f->cache_dir,
		job.revision, job.hash, (int)job.generation);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fputs("tables", file) < 0, 0);
	fclose(file);
	/* the tables of this rule exist, so the upload is current at once */
	assert_int_equal(fixture_put(f, "g", 10, "inv"), 0);
	waits_for(f, "p", job.id);
	assert_int_equal(access(path, F_OK), 0);
	fixture_fail(f, &job, APSP_EDATA, false);
	assert_int_equal(access(path, F_OK), -1);
	reads(f, "g", "default", 10);
	next = claim(f);
	assert_int_not_equal(next.id, job.id);
	assert_int_not_equal(next.generation, job.generation);
	assert_string_equal(next.hash, job.hash);
	assert_int_equal(fixture_work(f, &next, NULL), 0);
	reads(f, "g", "p", 10);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_order),
		TEST(test_one_revision),
		TEST(test_default_ends_others),
		TEST(test_default_cancelled),
		TEST(test_pending_keeps),
		TEST(test_first_fails),
		TEST(test_jobs_given_back),
		TEST(test_lost_profile),
		TEST(test_rule_of_same_file),
		TEST(test_refused_of_older_upload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
