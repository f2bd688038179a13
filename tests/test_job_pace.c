/*
 * Estimates learn from what jobs took.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "compute/plan/job_pace.h"
#include "compute/plan/plan.h"
#include "tests/plan_fixture.h"

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* A job whose stage was said and took so long. */
static struct apsp_paced_job job_of(
	enum apsp_stage stage, double said_s, double took_s)
{
	struct apsp_paced_job job = {.rate = APSP_ALGORITHM_MULTI_SOURCE,
		.element = APSP_ELEMENT_U16};

	job.said.seconds[stage] = said_s;
	job.took.seconds[stage] = took_s;
	return job;
}

static double paced(const struct apsp_job_pace *pace, int rate,
	enum apsp_element element, enum apsp_stage stage, double said_s)
{
	struct apsp_job_cost cost = {.seconds = {0}};

	cost.seconds[stage] = said_s;
	apsp_job_pace_apply(pace, rate, element, &cost);
	return cost.seconds[stage];
}

static double stored(const struct apsp_job_pace *pace, double said_s)
{
	return paced(pace, 0, 0, APSP_STAGE_STORE, said_s);
}

/* One job moves by half, more by their median, which one outlier is not. */
static void test_median(void **state)
{
	static const double took_s[] = {1.6, 1.4, 40, 1.5};
	static const double expected[] = {1.3, 1.4, 1.5, 1.5};
	struct apsp_job_pace pace = {.n = 0};

	(void)state;
	assert_true(near(stored(&pace, 1), 1));
	for (int i = 0; i < 4; i++) {
		struct apsp_paced_job job =
			job_of(APSP_STAGE_STORE, 1, took_s[i]);

		apsp_job_pace_add(&pace, &job);
		assert_true(near(stored(&pace, 1), expected[i]));
	}
	assert_int_equal(apsp_job_pace_jobs(&pace), 4);
}

/* The last jobs count, within a half and twice. */
static void test_bounds(void **state)
{
	struct apsp_job_pace pace = {.n = 0};
	struct apsp_paced_job slow = job_of(APSP_STAGE_STORE, 1, 9);
	struct apsp_paced_job fast = job_of(APSP_STAGE_STORE, 1, 0.01);

	(void)state;
	for (int i = 0; i < 2 * APSP_JOB_PACE_JOBS; i++)
		apsp_job_pace_add(&pace, &slow);
	assert_int_equal(apsp_job_pace_jobs(&pace), APSP_JOB_PACE_JOBS);
	assert_true(near(stored(&pace, 1), 2));
	for (int i = 0; i < 4; i++)
		apsp_job_pace_add(&pace, &fast);
	assert_true(near(stored(&pace, 1), 0.5));
}

/* What takes far longer or shorter teaches nothing, nor do other rates. */
static void test_alike(void **state)
{
	struct apsp_job_pace pace = {.n = 0};
	struct apsp_paced_job job = job_of(APSP_STAGE_STORE, 1, 1.8);

	(void)state;
	apsp_job_pace_add(&pace, &job);
	assert_true(near(stored(&pace, 4), 1.4 * 4));
	assert_true(near(stored(&pace, 4.1), 4.1));
	assert_true(near(stored(&pace, 0.25), 1.4 * 0.25));
	assert_true(near(stored(&pace, 0.24), 0.24));
	job = job_of(APSP_STAGE_DISTANCE, 1, 1.8);
	apsp_job_pace_add(&pace, &job);
	for (int rate = 0; rate < APSP_RATE_ROWS; rate++)
		for (int e = 0; apsp_rates_name(rate) && e < APSP_RATE_ELEMENTS;
			e++) {
			enum apsp_element element = apsp_rates_element(e);
			bool same = rate == job.rate && element == job.element;

			assert_true(near(paced(&pace, rate, element,
						 APSP_STAGE_DISTANCE, 1),
				same ? 1.4 : 1));
		}
}

/* Stages that hand work to each other are one part. */
static void test_parts(void **state)
{
	struct apsp_job_pace pace = {.n = 0};
	struct apsp_paced_job job = {.rate = 0};
	struct apsp_job_cost cost = {.seconds = {0}};

	(void)state;
	job.said.seconds[APSP_STAGE_PREDECESSOR] = 1;
	job.said.seconds[APSP_STAGE_WRITE] = 1;
	job.took.seconds[APSP_STAGE_DOWNLOAD] = 3;
	apsp_job_pace_add(&pace, &job);
	cost.seconds[APSP_STAGE_DOWNLOAD] = 2;
	cost.seconds[APSP_STAGE_PUBLISH] = 2;
	apsp_job_pace_apply(&pace, 0, 0, &cost);
	assert_true(near(cost.seconds[APSP_STAGE_DOWNLOAD], 2.5));
	assert_true(near(cost.seconds[APSP_STAGE_PUBLISH], 2));
}

static void test_text(void **state)
{
	struct apsp_job_cost said = {.seconds = {0}};
	struct apsp_paced_job job;
	char text[APSP_JOB_PACE_TEXT_SIZE];

	(void)state;
	said.seconds[APSP_STAGE_STORE] = 0.25;
	said.seconds[APSP_STAGE_WRITE] = 1.5;
	for (int rate = 0; rate < APSP_RATE_ROWS; rate++)
		for (int e = 0; apsp_rates_name(rate) && e < APSP_RATE_ELEMENTS;
			e++) {
			enum apsp_element element = apsp_rates_element(e);

			memset(&job, 0, sizeof(job));
			apsp_job_pace_format(rate, element, &said, text);
			apsp_job_pace_parse(text, &job);
			assert_int_equal(job.rate, rate);
			assert_int_equal(job.element, element);
			assert_int_equal(job.n_told, 1);
			assert_memory_equal(&job.said, &said, sizeof(said));
		}
	apsp_job_pace_parse("rate multi-source", &job);
	apsp_job_pace_parse("store 1.0 rate slow element u16", &job);
	apsp_job_pace_parse("store 1.0 rate fw element u16", &job);
	apsp_job_pace_parse("rate multi-source element u32", &job);
	apsp_job_pace_parse("", &job);
	assert_int_equal(job.n_told, 1);
}

/* A job took its distances twice as long as e says; plans of facts follow. */
static void learn_slow(struct apsp_plan_facts *facts,
	const struct apsp_estimate *e, struct apsp_paced_job *job,
	struct apsp_job_pace *pace)
{
	job->element = facts->work.element;
	job->said = job->took = e->cost;
	job->took.seconds[APSP_STAGE_DISTANCE] *= 2;
	apsp_job_pace_add(pace, job);
	facts->pace = pace;
}

/* A plan follows, and says of how many jobs. */
static void test_plan(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 80000);
	struct apsp_job_pace pace = {.n = 0};
	struct apsp_paced_job job = {.rate = APSP_ALGORITHM_BLOCKED_FW};
	struct apsp_plan plan, after;
	const struct apsp_estimate *e;

	(void)state;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	assert_int_equal(plan.learnt_from, 0);
	e = apsp_plan_choice(&plan);
	learn_slow(&facts, e, &job, &pace);
	apsp_plan_make(&facts, "blocked-fw", &after);
	assert_int_equal(after.learnt_from, 1);
	assert_true(near(apsp_plan_choice(&after)->seconds,
		e->seconds + 0.5 * e->cost.seconds[APSP_STAGE_DISTANCE]));
	assert_true(after.host_bytes == plan.host_bytes);
}

/*
 * multi-source is chosen by rates, and jobs say that it takes longer than
 * blocked-fw: the text compares what the choice compared.
 */
static void test_explanation(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 80000);
	struct apsp_job_pace pace = {.n = 0};
	struct apsp_paced_job job = {.rate = APSP_ALGORITHM_MULTI_SOURCE};
	struct apsp_plan plan, after;
	const struct apsp_estimate *e, *other;
	struct apsp_rate *multi =
		&facts.rates.rows[APSP_ALGORITHM_MULTI_SOURCE][1];
	char compared[64];

	(void)state;
	facts.rates.rows[APSP_ALGORITHM_BLOCKED_FW][1] =
		facts.rates.rows[APSP_ALGORITHM_BLOCKED_FW][0] =
			(struct apsp_rate){.operation_s = 5e-9};
	/* by rates, multi-source's distances take 0.8 of blocked-fw's */
	multi->step_s = 0;
	apsp_plan_make(&facts, "", &plan);
	multi->operation_s *= 0.8 *
			      estimate_of(&plan, "blocked-fw")
				      ->cost.seconds[APSP_STAGE_DISTANCE] /
			      estimate_of(&plan, "multi-source")
				      ->cost.seconds[APSP_STAGE_DISTANCE];
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.choice, APSP_ALGORITHM_MULTI_SOURCE);
	assert_null(strstr(plan.text, "by rates alone"));
	e = apsp_plan_choice(&plan);
	learn_slow(&facts, e, &job, &pace);
	apsp_plan_make(&facts, "", &after);
	assert_int_equal(after.choice, APSP_ALGORITHM_MULTI_SOURCE);
	other = estimate_of(&after, "blocked-fw");
	assert_true(apsp_plan_choice(&after)->seconds > 1.1 * other->seconds);
	assert_true(near(apsp_plan_choice(&after)->rated_s, e->seconds));
	snprintf(compared, sizeof(compared),
		" s estimated; %.0f s by rates alone, blocked-fw %.0f s; ",
		e->seconds, other->seconds);
	if (!strstr(after.text, compared))
		fail_msg("'%s' lacks '%s'", after.text, compared);
}

/* Kernels are compiled for an algorithm and a width. */
static void test_compiled(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 80000);
	struct apsp_job_pace pace = {.n = 0};
	struct apsp_paced_job job = {.rate = APSP_ALGORITHM_MULTI_SOURCE,
		.element = facts.work.element};
	struct apsp_plan plan;

	(void)state;
	apsp_plan_make(&facts, "multi-source", &plan);
	assert_false(plan.compiled);
	facts.pace = &pace;
	apsp_job_pace_add(&pace, &job);
	apsp_plan_make(&facts, "multi-source", &plan);
	assert_true(plan.compiled);
	apsp_plan_make(&facts, "blocked-fw", &plan);
	assert_false(plan.compiled);
	facts.work.element = APSP_ELEMENT_U16;
	apsp_plan_make(&facts, "multi-source", &plan);
	assert_false(plan.compiled);
	/* the host has none */
	apsp_plan_make(&facts, "reference", &plan);
	assert_true(plan.compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_explanation),
		cmocka_unit_test(test_compiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
