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
#include "tests/command_wait.h"
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

/* A graph of 10 arcs with three profiles more, all served. */
static void profiles_make(struct fixture *f)
{
	static const char *const transforms[] = {"hops", "log", "inv"};
	static const char *const names[] = {"a", "b", "c"};
	struct apsp_put_result result;

	fixture_put(f, "g", 10, "none");
	for (int i = 0; i < 3; i++)
		assert_int_equal(fixture_profile_put(f, "g", names[i],
					 transforms[i], &result),
			0);
	assert_int_equal(fixture_work_all(f), 4);
}

static void claims(struct fixture *f, const char *profile)
{
	struct apsp_job_spec job = claim(f);

	assert_string_equal(job.profile_name, profile);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
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

static uint64_t cancel(struct fixture *f, uint64_t id)
{
	struct command_wait *wait = command_wait_new();
	enum apsp_job_state job;

	apsp_jobs_cancel(f->store, id, &job, command_wait_done(wait));
	assert_int_equal(command_wait_for(wait, NULL), 0);
	return id;
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

static void answers_by(
	struct fixture *f, const char *profile, const char *transform)
{
	const struct apsp_graph_snapshot *view =
		apsp_snapshot_map_get(apsp_store_parts(f->store)->graphs, "g");

	assert_int_equal(apsp_generation_profile(view->current, profile)
				 ->tables_rule.transform,
		fixture_profile(transform).transform);
	apsp_graph_snapshot_unref(view);
}

/* A rule or an upload whose job was cancelled takes effect only if a client
   asks for it again. */
static void test_given_up(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;

	profiles_make(f);
	assert_int_equal(
		fixture_profile_put(f, "g", "default", "lognorm", &result), 0);
	cancel(f, result.job);
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	cancel(f, result.job);
	/* its tables are made for another graph */
	fixture_put(f, "twin", 10, "lognorm");
	assert_int_equal(fixture_work_all(f), 1);
	answers_by(f, "default", "none");
	/* it needs no tables */
	assert_int_equal(fixture_delete(f, "twin"), 0);
	assert_int_equal(fixture_n_files(f), 4);
	assert_int_equal(
		fixture_profile_put(f, "g", "d", "lognorm", &result), 0);
	job = claim(f);
	assert_int_equal(fixture_profile_delete(f, "g", "d"), 0);
	assert_int_equal(f->last_unwanted, job.id);
	assert_int_equal(fixture_work(f, &job, NULL), APSP_ECANCELLED);
	/* the same for an upload */
	cancel(f, fixture_put(f, "g", 20, "none"));
	fixture_put(f, "twin", 20, "none");
	assert_int_equal(fixture_work_all(f), 1);
	reads(f, "g", "default", 10);
	assert_int_equal(fixture_put(f, "g", 20, "none"), 0);
	reads(f, "g", "default", 20);
	assert_int_equal(fixture_work_all(f), 3);
	answers_by(f, "a", "hops");
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	assert_int_equal(fixture_work_all(f), 1);
	answers_by(f, "a", "lognorm");
}

/* A rule that is sent while an upload is pending, and whose job fails or is
   cancelled, takes effect in neither upload. */
static void test_given_up_in_both(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t upload;

	profiles_make(f);
	/* another rule of `default` comes before the upload has tables */
	fixture_put(f, "g", 20, "none");
	assert_int_equal(
		fixture_profile_put(f, "g", "default", "lognorm", &result), 0);
	cancel(f, result.job);
	idle(f);
	assert_int_equal(
		fixture_profile_put(f, "g", "default", "inv", &result), 0);
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	idle(f);
	answers_by(f, "default", "none");
	/* the upload has failed: later uploads keep the rule that answers */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			fixture_profile_put(f, "g", "a", "lognorm", &result),
			0);
		if (i == 0) {
			cancel(f, result.job);
		} else {
			job = claim(f);
			fixture_fail(f, &job, APSP_EDATA, false);
		}
		answers_by(f, "a", "hops");
		cancel(f, fixture_put(f, "g", i ? 20 : 30, "none"));
	}
	fixture_put(f, "g", 20, "none");
	assert_int_equal(fixture_work_all(f), 4);
	reads(f, "g", "a", 20);
	answers_by(f, "a", "hops");
	/* the upload succeeds: it has tables of the rule that it found */
	fixture_put(f, "g", 30, "none");
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	cancel(f, result.job);
	answers_by(f, "a", "hops");
	assert_int_equal(fixture_work_all(f), 4);
	reads(f, "g", "a", 30);
	answers_by(f, "a", "hops");
	/* the upload fails */
	upload = fixture_put(f, "g", 40, "none");
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	cancel(f, result.job);
	assert_int_equal(
		fixture_profile_put(f, "g", "d", "lognorm", &result), 0);
	cancel(f, result.job);
	cancel(f, upload);
	idle(f);
	answers_by(f, "a", "hops");
	refuses(f, "g", "d", APSP_ETABLES);
	/* both rules come back if they are sent again */
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	assert_int_equal(
		fixture_profile_put(f, "g", "d", "lognorm", &result), 0);
	assert_int_equal(fixture_work_all(f), 1);
	answers_by(f, "a", "lognorm");
	reads(f, "g", "d", 30);
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

/* Give the profile "a" the rule lognorm, and remove the tables of the rule
   before, `earlier`, while the job of lognorm waits. Returns this job. */
static uint64_t earlier_lose(struct fixture *f, const char *earlier)
{
	struct apsp_put_result result;
	char path[320];

	answers_by(f, "a", earlier);
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	snprintf(path, sizeof(path), "%s/tables/%d.apsp", f->cache_dir,
		(int)fixture_number(f,
			"SELECT t.id FROM tables t JOIN profiles p"
			" ON t.hash = p.served_hash WHERE p.name = 'a'"));
	assert_int_equal(unlink(path), 0);
	fixture_reopen(f);
	waits_for(f, "a", result.job);
	return result.job;
}

static uint64_t queued_of(struct fixture *f, const char *profile)
{
	char sql[128];

	snprintf(sql, sizeof(sql),
		"SELECT id FROM jobs WHERE profile = '%s' AND state = 'queued'",
		profile);
	return (uint64_t)fixture_number(f, sql);
}

/* The tables of a profile are lost while the job of a new rule waits. If this
   job fails or is cancelled, the profile returns to the rule of these tables,
   also in an upload that comes between. */
static void test_earlier_rule_lost(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;

	profiles_make(f);
	earlier_lose(f, "hops");
	job = claim(f);
	fixture_fail(f, &job, APSP_ENEGCYCLE, false);
	claims(f, "a");
	cancel(f, earlier_lose(f, "hops"));
	claims(f, "a");
	/* the new rule makes its tables */
	earlier_lose(f, "hops");
	claims(f, "a");
	answers_by(f, "a", "lognorm");
	assert_int_equal(fixture_profile_put(f, "g", "a", "hops", &result), 0);
	claims(f, "a");
	/* a client defines the earlier rule again */
	earlier_lose(f, "hops");
	assert_int_equal(fixture_profile_put(f, "g", "a", "hops", &result), 0);
	waits_for(f, "a", result.job);
	claims(f, "a");
	earlier_lose(f, "hops");
	fixture_put(f, "g", 20, "none");
	cancel(f, queued_of(f, "a"));
	assert_int_equal(fixture_work_all(f), 4);
	reads(f, "g", "a", 20);
	answers_by(f, "a", "hops");
}

/* An upload comes while the job of a new rule waits. If the job of this rule
   fails or is cancelled for the upload, the profile has its earlier rule. */
static void test_earlier_rule_in_upload(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;

	profiles_make(f);
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	cancel(f, fixture_put(f, "g", 20, "none"));
	fixture_put(f, "g", 30, "none");
	claims(f, "default");
	cancel(f, queued_of(f, "a"));
	assert_int_equal(fixture_work_all(f), 3);
	reads(f, "g", "a", 30);
	answers_by(f, "a", "hops");
	/* the profile has no tables of its earlier rule in this upload */
	assert_int_equal(fixture_profile_put(f, "g", "b", "none", &result), 0);
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	fixture_put(f, "g", 10, "none");
	claims(f, "default");
	claims(f, "a");
	fixture_put(f, "g", 20, "none");
	assert_int_equal(fixture_work_all(f), 3);
	answers_by(f, "a", "lognorm");
	answers_by(f, "b", "none");
	/* the rule comes after the upload, and fails after the switch */
	fixture_put(f, "g", 30, "none");
	assert_int_equal(
		fixture_profile_put(f, "g", "a", "lognorm", &result), 0);
	assert_int_equal(fixture_profile_put(f, "g", "a", "log", &result), 0);
	claims(f, "default");
	cancel(f, result.job);
	assert_int_equal(fixture_work_all(f), 2);
	reads(f, "g", "a", 30);
	answers_by(f, "a", "lognorm");
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
		TEST(test_given_up),
		TEST(test_given_up_in_both),
		TEST(test_pending_keeps),
		TEST(test_first_fails),
		TEST(test_jobs_given_back),
		TEST(test_lost_profile),
		TEST(test_earlier_rule_lost),
		TEST(test_earlier_rule_in_upload),
		TEST(test_rule_of_same_file),
		TEST(test_refused_of_older_upload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
