/*
 * The daemon plans for a device with the row of the tuning table that the
 * solver will pick on that device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "compute/worker/known_devices.h"
#include "compute/plan/host_room.h"
#include "tests/processors.h"

static const struct apsp_workload work = {
	.n_vertices = 1000,
	.n_arcs = 5000,
	.element = APSP_ELEMENT_I32,
	.distance = APSP_ELEMENT_I32,
	.reachable = 1,
};

static const struct apsp_device_info card = {
	.name = "Card",
	.type = "gpu",
	.memory_bytes = UINT64_C(8000000000),
	.largest_buffer_bytes = UINT64_C(2000000000),
	.compute_units = 16,
	.limits = {1024, 49152},
	.has_double = true,
	.has_wide_atomics = true,
	.chosen = true,
};

static struct apsp_plan estimate_work(
	const struct apsp_device_info *info, const struct apsp_workload *wanted)
{
	const struct apsp_known_devices devices = {.list = {*info}, .n = 1};
	struct apsp_worker_estimate made;

	assert_int_equal(apsp_known_devices_plan(&devices, 0, wanted,
				 UINT64_MAX, "", &made, NULL),
		0);
	assert_false(made.measured);
	assert_string_equal(made.device.name, info->name);
	return made.plan;
}

static struct apsp_plan estimate(
	const struct apsp_device_info *info, enum apsp_element element)
{
	struct apsp_workload wanted = work;

	wanted.element = wanted.distance = element;
	return estimate_work(info, &wanted);
}

/* The plan is made by this row and by the default rates of its kind. */
static void expect_row(
	const struct apsp_device_info *info, const struct apsp_tuning *row)
{
	struct apsp_plan_facts facts = {
		.work = work,
		.device = {.name = info->name,
			.memory_bytes = info->memory_bytes,
			.largest_buffer_bytes = info->largest_buffer_bytes,
			.tuning = row},
		.host_bytes = apsp_host_room_total(),
		.disk_bytes = APSP_PLAN_UNKNOWN,
	};
	struct apsp_plan expected, plan = estimate(info, APSP_ELEMENT_I32);

	apsp_rates_default(row->gpu, &facts.rates);
	apsp_plan_make(&facts, "", &expected);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_estimate *a = &plan.algorithms[i];
		const struct apsp_estimate *b = &expected.algorithms[i];

		assert_true(a->seconds == b->seconds ||
			    (isnan(a->seconds) && isnan(b->seconds)));
		assert_true(a->device_bytes == b->device_bytes);
		assert_true(a->host_bytes == b->host_bytes);
	}
	assert_string_equal(plan.text, expected.text);
}

static void test_row(void **state)
{
	struct apsp_device_info small = card;

	(void)state;
	expect_row(&card, apsp_tuning_find("Card", true, NULL));
	small.limits.local_bytes = 16384;
	expect_row(&small, apsp_tuning_find("", false, NULL));
	small.limits = (struct apsp_tuning_limits){64, 49152};
	expect_row(&small, apsp_tuning_find("", false, NULL));
	/* a row for the name wins over the type, unless it does not fit */
	strcpy(small.name, "NVIDIA H200");
	expect_row(&small, apsp_tuning_find("", false, NULL));
	small.limits = card.limits;
	expect_row(&small, apsp_tuning_find("NVIDIA H200", true, NULL));
}

/*
 * With the CPUs' row a card works as they do, in its own memory: path sums of
 * many arcs take the host no more room than a CPU's.
 */
static void test_memory(void **state)
{
	struct apsp_device_info small = card;
	struct apsp_workload sums = work;
	struct apsp_plan apart, other, shared;
	cpu_set_t all = processors_pin(1);

	(void)state;
	sums.n_arcs = 900 * 1000;
	sums.distance = APSP_ELEMENT_F32;
	small.limits.group_items = 64;
	apart = estimate_work(&small, &sums);
	strcpy(small.type, "other");
	other = estimate_work(&small, &sums);
	strcpy(small.type, "cpu");
	shared = estimate_work(&small, &sums);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_estimate *e = &apart.algorithms[i];

		assert_true(other.algorithms[i].host_bytes == e->host_bytes);
		/* the two peaks may come at different times, and slots that
		   no row reaches are not held */
		assert_in_range(shared.algorithms[i].host_bytes,
			e->host_bytes + e->device_bytes / 3,
			e->host_bytes + e->device_bytes);
	}
	processors_free(&all);
}

/* What the solver that waits holds counts, whatever was measured before, and so
   do its pinned buffers, which are too small here to be used again. */
static void test_held(void **state)
{
	static const struct apsp_held_memory held[] = {{.own_bytes = 10000000},
		{.own_bytes = 900000000, {100, 200}, .n_buffers = 2}};
	uint64_t bytes[2][APSP_N_ALGORITHMS];

	(void)state;
	for (size_t h = 0; h < 2; h++) {
		const struct apsp_known_devices devices = {.list = {card},
			.n = 1,
			.solver_waits = true,
			.held = held[h]};
		struct apsp_worker_estimate made;

		assert_int_equal(apsp_known_devices_plan(&devices, 0, &work,
					 UINT64_MAX, "", &made, NULL),
			0);
		for (int i = 0; i < APSP_N_ALGORITHMS; i++)
			bytes[h][i] = made.plan.algorithms[i].host_bytes;
	}
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		assert_int_equal(bytes[1][i] - bytes[0][i], 890000300);
}

static void test_doubles(void **state)
{
	struct apsp_device_info single = card;
	struct apsp_plan plan = estimate(&single, APSP_ELEMENT_F64);

	(void)state;
	assert_true(plan.algorithms[APSP_ALGORITHM_BLOCKED_FW].feasible);
	single.has_double = false;
	plan = estimate(&single, APSP_ELEMENT_F64);
	assert_false(plan.algorithms[APSP_ALGORITHM_BLOCKED_FW].feasible);
	assert_non_null(
		strstr(plan.algorithms[APSP_ALGORITHM_BLOCKED_FW].reason,
			"64-bit arithmetic"));
	assert_true(plan.algorithms[APSP_ALGORITHM_REFERENCE].feasible);
}

static void test_atomics(void **state)
{
	struct apsp_device_info without = card;
	struct apsp_plan plan = estimate(&without, APSP_ELEMENT_F64);

	(void)state;
	assert_true(plan.algorithms[APSP_ALGORITHM_BF_EDGES].feasible);
	without.has_wide_atomics = false;
	plan = estimate(&without, APSP_ELEMENT_F64);
	assert_false(plan.algorithms[APSP_ALGORITHM_BF_EDGES].feasible);
	/* such a card may tear what blocked-fw reads while it changes */
	assert_false(plan.algorithms[APSP_ALGORITHM_BLOCKED_FW].feasible);
	assert_true(plan.algorithms[APSP_ALGORITHM_FW].feasible);
}

/* The group that solved the last job divides the work of the next one, the
   host's memory and the memory of a device that its processes share. */
static void test_group(void **state)
{
	const struct apsp_plan_group group = {.processes = 4,
		.beside = 2,
		.devices = 2,
		.sharers = 2,
		.hosts = 2};
	char text[APSP_PLAN_GROUP_SIZE];
	struct apsp_known_devices devices = {.list = {card}, .n = 1};
	struct apsp_plan_group parsed;
	struct apsp_worker_estimate made;
	struct apsp_plan alone, shared, tight;
	uint64_t cap;

	(void)state;
	apsp_plan_group_format(&group, text);
	apsp_plan_group_parse(text, &parsed);
	assert_memory_equal(&parsed, &group, sizeof(group));
	assert_int_equal(apsp_known_devices_plan(&devices, 0, &work, UINT64_MAX,
				 "", &made, NULL),
		0);
	alone = made.plan;
	devices.group = parsed;
	assert_int_equal(apsp_known_devices_plan(&devices, 0, &work, UINT64_MAX,
				 "", &made, NULL),
		0);
	shared = made.plan;
	/* half of the memory of a shared device is too little for an algorithm
	   that one process runs */
	cap = alone.algorithms[APSP_ALGORITHM_MINPLUS_SQUARING].device_bytes;
	assert_int_equal(apsp_known_devices_plan(&devices, cap, &work,
				 UINT64_MAX, "", &made, NULL),
		0);
	tight = made.plan;
	assert_true(
		shared.algorithms[APSP_ALGORITHM_MINPLUS_SQUARING].feasible);
	assert_false(
		tight.algorithms[APSP_ALGORITHM_MINPLUS_SQUARING].feasible);
	assert_true(shared.algorithms[APSP_ALGORITHM_MULTI_SOURCE]
			    .cost.seconds[APSP_STAGE_DISTANCE] ==
		    alone.algorithms[APSP_ALGORITHM_MULTI_SOURCE]
				    .cost.seconds[APSP_STAGE_DISTANCE] /
			    2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_row),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_atomics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
