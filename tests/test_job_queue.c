/*
 * The queue's places: how many jobs may wait, and what is refused then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/store_fixture.h"

/* Whether one more job may be queued. */
static int admit(struct fixture *f)
{
	int r = apsp_job_queue_reserve(f->store, 1, NULL);

	if (r == 0)
		apsp_job_queue_release(f->store, 1);
	return r;
}

static void test_queue_full(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	uint64_t n_arcs;
	char name[16];

	for (unsigned int i = 0; i < FIXTURE_QUEUE; i++) {
		assert_int_equal(admit(f), 0);
		snprintf(name, sizeof(name), "g%u", i);
		fixture_put(f, name, 10 + i, "none");
	}
	assert_int_equal(admit(f), APSP_EQUEUEFULL);
	assert_int_equal(
		fixture_put_if(f, "more", 9, "none", NULL, &result, NULL),
		APSP_EQUEUEFULL);
	assert_int_equal(
		fixture_read(f, "more", "default", &n_arcs), APSP_ENOGRAPH);
	assert_int_equal(fixture_profile_put(f, "g0", "p", "hops", &result),
		APSP_EQUEUEFULL);
	/* a command that needs no new job is not refused */
	assert_int_not_equal(fixture_put(f, "g0", 10, "none"), 0);
	assert_int_equal(fixture_work_all(f), FIXTURE_QUEUE);
	assert_int_equal(admit(f), 0);
}

/* What an upload asks for, a job of each profile, is held to the bound. */
static void test_queue_bound(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_err err;
	char name[16];

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	for (unsigned int i = 1; i < FIXTURE_QUEUE; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		assert_int_equal(
			fixture_profile_put(f, "g", name, "hops", &result), 0);
	}
	/* they share their tables */
	assert_int_equal(fixture_work_all(f), 1);
	for (unsigned int i = 1; i < FIXTURE_QUEUE; i++) {
		struct apsp_profile rule = fixture_profile("inv");
		struct command_wait *wait = command_wait_new();

		rule.has_min_weight = true;
		rule.min_weight = 0.5 / i;
		snprintf(name, sizeof(name), "p%u", i);
		apsp_profiles_put(f->store, "g", name, &rule, NULL, &result,
			command_wait_done(wait));
		assert_int_equal(command_wait_for(wait, NULL), 0);
		apsp_put_result_done(&result);
	}
	assert_int_equal(fixture_work_all(f), FIXTURE_QUEUE - 1);
	assert_int_equal(fixture_profile_put(f, "g", "more", "hops", &result),
		APSP_EDATA);
	/* a profile that is there may be defined anew */
	assert_int_equal(fixture_profile_put(f, "g", "p1", "log", &result), 0);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(
		fixture_put_if(f, "g", 12, "none", NULL, &result, &err), 0);
	assert_int_equal(admit(f), APSP_EQUEUEFULL);
	assert_int_equal(fixture_work_all(f), FIXTURE_QUEUE);
	/* with another graph's job before them they are too many */
	fixture_put(f, "h", 11, "none");
	assert_int_equal(
		fixture_put_if(f, "g", 13, "none", NULL, &result, &err),
		APSP_EQUEUEFULL);
	assert_non_null(strstr(err.message, "delete profiles"));
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(
		fixture_put_if(f, "g", 13, "none", NULL, &result, &err), 0);
	assert_int_equal(fixture_work_all(f), FIXTURE_QUEUE);
}

/* A place that was free when an upload began is there when it ends. */
static void test_queue_reserved(void **state)
{
	struct fixture *f = *state;
	struct apsp_upload *upload = fixture_upload(f, 12, "none");
	struct apsp_put_result result = {0};
	struct command_wait *wait;
	char name[16];

	assert_int_equal(apsp_job_queue_reserve(f->store, 1, NULL), 0);
	/* another upload gets the other places only */
	assert_int_equal(apsp_job_queue_reserve(f->store, FIXTURE_QUEUE, NULL),
		APSP_EQUEUEFULL);
	for (unsigned int i = 0; i + 1 < FIXTURE_QUEUE; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		fixture_put(f, name, 20 + i, "none");
	}
	assert_int_equal(
		fixture_put_if(f, "late", 11, "none", NULL, &result, NULL),
		APSP_EQUEUEFULL);
	assert_int_equal(fixture_profile_put(f, "g0", "p", "hops", &result),
		APSP_EQUEUEFULL);
	wait = command_wait_new();
	apsp_graph_put(f->store, "early", upload, NULL, 1, &result,
		command_wait_done(wait));
	assert_int_equal(command_wait_for(wait, NULL), 0);
	apsp_put_result_done(&result);
	apsp_job_queue_release(f->store, 1);
	assert_int_equal(admit(f), APSP_EQUEUEFULL);
	assert_int_equal(fixture_work_all(f), FIXTURE_QUEUE);
	assert_int_equal(
		apsp_job_queue_reserve(f->store, FIXTURE_QUEUE + 1, NULL),
		APSP_EQUEUEFULL);
	assert_int_equal(
		apsp_job_queue_reserve(f->store, FIXTURE_QUEUE, NULL), 0);
	apsp_job_queue_release(f->store, FIXTURE_QUEUE);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_queue_full),
		TEST(test_queue_bound),
		TEST(test_queue_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
