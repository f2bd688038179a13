/*
 * For tests of plans: facts to plan with, and expectations.
 */
#ifndef APSP_TESTS_PLAN_FIXTURE_H
#define APSP_TESTS_PLAN_FIXTURE_H

#include <stdint.h>
#include <string.h>

#include "compute/plan/plan.h"

#define GB UINT64_C(1000000000)

static inline struct apsp_plan_facts facts_of(uint64_t n, uint64_t n_arcs)
{
	struct apsp_plan_facts facts = {
		.work = {.n_vertices = n,
			.n_arcs = n_arcs,
			.element = APSP_ELEMENT_I32,
			.distance = APSP_ELEMENT_I32,
			.reachable = 1},
		.device = {.name = "Card",
			.memory_bytes = 140 * GB,
			.largest_buffer_bytes = 35 * GB,
			.tuning = apsp_tuning_find("Card", true, NULL)},
		.host_bytes = 500 * GB,
		.disk_bytes = 5000 * GB,
	};

	apsp_rates_default(true, &facts.rates);
	return facts;
}

static inline struct apsp_plan_facts on_cpu(uint64_t n, uint64_t n_arcs)
{
	struct apsp_plan_facts facts = facts_of(n, n_arcs);

	facts.device.host_memory = true;
	facts.device.tuning = apsp_tuning_find("CPU", false, NULL);
	apsp_rates_default(false, &facts.rates);
	return facts;
}

static inline const struct apsp_estimate *estimate_of(
	const struct apsp_plan *plan, const char *name)
{
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		if (strcmp(plan->algorithms[i].name, name) == 0)
			return &plan->algorithms[i];
	fail_msg("no estimate of %s", name);
	return NULL;
}

static inline void expect_choice(
	const struct apsp_plan_facts *facts, const char *name)
{
	struct apsp_plan plan;

	apsp_plan_make(facts, "", &plan);
	assert_non_null(apsp_plan_choice(&plan));
	assert_string_equal(apsp_plan_choice(&plan)->name, name);
	assert_int_equal(apsp_plan_check(&plan, NULL), 0);
}

static inline void expect_feasible(
	const struct apsp_plan_facts *facts, const char *name)
{
	struct apsp_plan plan;

	apsp_plan_make(facts, name, &plan);
	if (!apsp_plan_choice(&plan))
		fail_msg("%s", plan.text);
}

static inline void expect_refusal(const struct apsp_plan_facts *facts,
	const char *algorithm, int code, const char *part)
{
	struct apsp_plan plan;
	struct apsp_err err;

	apsp_plan_make(facts, algorithm, &plan);
	assert_null(apsp_plan_choice(&plan));
	assert_int_equal(apsp_plan_check(&plan, &err), code);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

#endif
