/*
 * Rules that are given up, because their jobs failed or were cancelled, and the
 * earlier rules to which profiles return.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/store_steps.h"

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

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_given_up),
		TEST(test_given_up_in_both),
		TEST(test_earlier_rule_lost),
		TEST(test_earlier_rule_in_upload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
