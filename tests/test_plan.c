/*
 * Plans: obvious choices, the text, windows and chunks of rows, and estimates
 * that never fall when the work grows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "compute/plan/footprint.h"
#include "compute/plan/host_room.h"
#include "compute/plan/plan.h"
#include "compute/plan/algorithm.h"
#include "tests/plan_fixture.h"
#include "tests/processors.h"

/* Each row of the list is complete: a plan without a rate would look free. */
static void test_list(void **state)
{
	struct apsp_rates cpu, gpu;
	int n = 0;

	(void)state;
	apsp_rates_default(false, &cpu);
	apsp_rates_default(true, &gpu);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_algorithm *a = &apsp_algorithms[i];

		assert_int_equal(apsp_algorithm_find(a->name), i);
		assert_true(!a->window == !a->lanes);
		assert_int_equal(a->competes, a->operations && a->steps);
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
			assert_int_equal(
				a->competes, cpu.rows[i][e].operation_s > 0);
			assert_int_equal(
				a->competes, gpu.rows[i][e].operation_s > 0);
		}
	}
	while (apsp_algorithm_names[n])
		n++;
	assert_int_equal(n, APSP_N_ALGORITHMS + APSP_N_CLOSURES);
	for (int i = 0; apsp_algorithm_hops_only[i]; i++)
		assert_true(
			apsp_algorithms[apsp_algorithm_find(
						apsp_algorithm_hops_only[i])]
				.hops_only);
}

static void test_choices(void **state)
{
	struct apsp_plan_facts facts = facts_of(2000, 2000 * 1999);

	(void)state;
	/* every pair is an arc: nothing beats the matrix */
	expect_choice(&facts, "blocked-fw");
	facts = on_cpu(2000, 2000 * 1999);
	expect_choice(&facts, "blocked-fw");
	/* a road network */
	facts = on_cpu(3353, 8870);
	expect_choice(&facts, "multi-source");
	/* where a GPU sweeps over all vertices for each arc of the paths */
	facts = facts_of(3353, 8870);
	facts.work.hops = 108;
	expect_choice(&facts, "blocked-fw");
	facts = facts_of(30000, 600000);
	facts.work.hops = 14;
	expect_choice(&facts, "multi-source");
	/* each arc is looked at forty times instead of a few */
	facts = on_cpu(2000, 80000);
	expect_choice(&facts, "multi-source");
	facts.work.visits = 40;
	expect_choice(&facts, "blocked-fw");
	/* neither the host's algorithm nor one for hops competes */
	facts = on_cpu(3, 2);
	expect_choice(&facts, "multi-source");
	/* the matrix takes 40 GB: with few arcs, windows of it are made */
	facts = facts_of(100000, 1000000);
	facts.device.memory_bytes = 30 * GB;
	expect_choice(&facts, "multi-source");
	facts.work.n_arcs = UINT64_C(3000000000);
	facts.device.memory_bytes = 60 * GB;
	expect_choice(&facts, "streamed-fw");
}

/* An algorithm that is asked for is chosen if it is feasible. */
static void test_named(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 8000);
	struct apsp_plan plan;

	(void)state;
	for (int i = 0; apsp_algorithm_names[i]; i++) {
		const char *name = apsp_algorithm_names[i];

		apsp_plan_make(&facts, name, &plan);
		if (apsp_algorithm_find(name) < 0)
			continue;
		if (estimate_of(&plan, name)->feasible) {
			assert_string_equal(
				apsp_plan_choice(&plan)->name, name);
			assert_non_null(strstr(plan.text, "as asked for"));
		} else {
			assert_null(apsp_plan_choice(&plan));
		}
	}
	apsp_plan_make(&facts, "closure-warshall", &plan);
	assert_non_null(apsp_plan_choice(&plan));
	assert_null(strstr(plan.text, "multi-source, as asked for"));
}

static void test_text(void **state)
{
	struct apsp_plan_facts facts = on_cpu(3353, 8870);
	struct apsp_plan plan;

	(void)state;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	assert_ptr_equal(
		strstr(plan.text, "blocked-fw, as asked for: "), plan.text);
	assert_non_null(strstr(plan.text, " s estimated, "));
	/* nobody knows how fast fw is */
	apsp_plan_make(&facts, "fw", &plan);
	assert_ptr_equal(
		strstr(plan.text, "fw, as asked for: no time estimated, "),
		plan.text);
	assert_true(isnan(apsp_plan_choice(&plan)->seconds));
	assert_non_null(
		strstr(plan.text, "; 8,870 arcs for 3,353 vertices in i32"));
	facts.work.n_vertices = 999;
	facts.work.n_arcs = 1234567;
	apsp_plan_make(&facts, "", &plan);
	assert_non_null(strstr(plan.text, "; 1,234,567 arcs for 999 vertices"));
	facts.work.n_useful = 1234;
	apsp_plan_make(&facts, "", &plan);
	assert_non_null(strstr(plan.text,
		"; 1,234 useful of 1,234,567 arcs for 999 vertices in i32"));
}

/*
 * What makes rows one by one has a few of them on a CPU, and on a GPU that does
 * not hold them all, which then fit.
 */
static void test_windows(void **state)
{
	struct apsp_plan_facts facts = on_cpu(50000, 200000);
	struct apsp_plan plan;
	const struct apsp_estimate *e =
		&plan.algorithms[APSP_ALGORITHM_MULTI_SOURCE];
	cpu_set_t all;

	(void)state;
	/* windows grow with the processors */
	all = processors_pin(1);
	apsp_plan_make(&facts, "", &plan);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		assert_true(
			plan.algorithms[i].rows ==
			(i == APSP_ALGORITHM_MULTI_SOURCE ? e->rows : 50000));
	assert_in_range(e->rows, 1, 50000 - 1);
	assert_int_equal(e->rows % APSP_TILE, 0);
	/* all of V would take 10 GB */
	assert_true(e->host_bytes < 2 * GB);
	facts.host_bytes = e->host_bytes - 1;
	apsp_plan_make(&facts, "", &plan);
	assert_true(e->feasible);
	facts = facts_of(50000, 200000);
	apsp_plan_make(&facts, "", &plan);
	facts.device.memory_bytes = e->device_bytes;
	apsp_plan_make(&facts, "", &plan);
	assert_true(e->rows == 50000);
	facts.device.memory_bytes--;
	apsp_plan_make(&facts, "", &plan);
	assert_in_range(e->rows, 1, 50000 - 1);
	assert_int_equal(e->rows % APSP_TILE, 0);
	assert_true(e->feasible);
	assert_true(e->device_bytes < facts.device.memory_bytes);
	facts.device.memory_bytes = 140 * GB;
	facts.device.largest_buffer_bytes = 90 << 20;
	apsp_plan_make(&facts, "", &plan);
	assert_true(e->feasible);
	assert_in_range(e->rows, 1, 50000 - 1);
	/* so little memory holds no row */
	facts.device.memory_bytes = 1 << 20;
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(e->rows, APSP_TILE);
	assert_false(e->feasible);
	processors_free(&all);
}

/* Without a device only the host's algorithm is feasible. */
static void test_no_device(void **state)
{
	struct apsp_plan_facts facts = on_cpu(1000, 10000);
	struct apsp_plan plan;

	(void)state;
	facts.device = apsp_plan_no_device();
	apsp_plan_make(&facts, "reference", &plan);
	/* the text does not say that there is no device: nobody looked */
	assert_non_null(strstr(plan.text, "reference, as asked for: "));
	assert_non_null(strstr(plan.text, " estimated on the host; 10,000 "));
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_estimate *e = &plan.algorithms[i];

		assert_true(e->feasible == (i == APSP_ALGORITHM_REFERENCE));
		if (!e->feasible && i != APSP_ALGORITHM_BFS_LEVELS)
			assert_string_equal(e->reason, "there is no device");
	}
	assert_true(plan.closures[0].feasible);
	expect_refusal(&facts, "fw", APSP_ELIMIT,
		"there is no device; algorithm=reference can");
}

/* This machine's memory is known, and not 0. */
static void test_host_room(void **state)
{
	(void)state;
	assert_in_range(apsp_host_room_total(), 1 << 24, UINT64_MAX - 1);
	assert_in_range(apsp_host_room_now(), 1 << 20, UINT64_MAX - 1);
}

/* Where the device is the host, its memory counts as the host's, and rows need
   no pinned memory. */
static void test_shared_memory(void **state)
{
	struct apsp_plan_facts facts = facts_of(50000, 500000);
	cpu_set_t all = processors_pin(1);
	const struct apsp_estimate *e;
	struct apsp_plan plan;
	uint64_t apart;

	(void)state;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	e = estimate_of(&plan, "blocked-fw");
	apart = e->host_bytes -
		APSP_READBACK_SLOTS *
			apsp_download_bytes(&facts.work, facts.device.tuning);
	facts.device.host_memory = true;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	/* V is nearly all of it; the closure is written before slots are made
	 */
	assert_in_range(e->host_bytes, apart + e->device_bytes / 100 * 98,
		apart + e->device_bytes);
	assert_true(
		estimate_of(&plan, "reference")->host_bytes < e->host_bytes);
	facts.host_bytes = apart + GB;
	expect_refusal(
		&facts, "blocked-fw", APSP_ENOMEM, "this machine's memory");
	processors_free(&all);
}

/*
 * Arcs whose lengths differ are mostly of no use: a likely host takes less than
 * the most, and the device, which must not be full, what it may take at most.
 */
static void test_likely(void **state)
{
	struct apsp_plan_facts facts = on_cpu(4096, 4096 * 4095);
	cpu_set_t all = processors_pin(1);
	uint64_t arcs = facts.work.n_arcs, most, device, buffer;
	const struct apsp_estimate *e;
	struct apsp_plan plan;

	(void)state;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	e = apsp_plan_choice(&plan);
	most = e->host_bytes;
	device = e->device_bytes;
	buffer = e->buffer_bytes;
	facts.work.likely = true;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	/* a tail and a length of each, before they are of no use and after */
	assert_in_range(most - e->host_bytes, arcs * 4, arcs * 8);
	assert_int_equal(e->device_bytes, device);
	/* the lengths of all arcs are in one buffer if all end paths */
	assert_int_equal(e->buffer_bytes, buffer);
	assert_int_equal(buffer, arcs * sizeof(int32_t));
	/* heads, lengths, and the arcs by head while V is bounded */
	assert_in_range(e->host_bytes - (uint64_t)facts.rates.process_bytes,
		arcs * 20, arcs * 20 + (8 << 20));
	/* all are of use where all are equally long, which is no number */
	facts.work.unit_lengths = true;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	most = e->host_bytes;
	facts.work.likely = false;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	assert_int_equal(e->host_bytes, most);
	/* of 15 planes of bits so short paths reach two */
	facts = on_cpu(50000, 5000000);
	facts.work.element = facts.work.distance = APSP_ELEMENT_U16;
	facts.work.unit_lengths = true;
	facts.work.hops = 3;
	apsp_plan_make(&facts, "multi-source", &plan);
	e = apsp_plan_choice(&plan);
	most = e->host_bytes;
	facts.work.likely = true;
	apsp_plan_make(&facts, "multi-source", &plan);
	assert_in_range(most - e->host_bytes, 50000 * 64 * 13 - (2 << 20),
		50000 * 64 * 13);
	processors_free(&all);
}

/* The host sorts the arcs of multi-source by row beside the closure and its
   transpose. */
static void test_sort_by_row(void **state)
{
	uint64_t n = 100000, arcs = 100 * n, bits = 2 * n * n / 8, known;
	struct apsp_plan_facts facts = facts_of(n, arcs);
	struct apsp_plan plan;

	(void)state;
	apsp_plan_make(&facts, "multi-source", &plan);
	/* heads and lengths; the sort's places and offsets */
	known = bits + arcs * (4 + 8) + arcs * 2 + (n + 1) * (8 + 8 + 4);
	assert_in_range(apsp_plan_choice(&plan)->host_bytes -
				(uint64_t)facts.rates.process_bytes,
		known, known + (32 << 20));
}

/*
 * A CPU's launches look at no more than launch_arcs arcs and vertices. A graph
 * that has as many is planned as one that has one more: each unit still gets a
 * whole batch of rows.
 */
static void test_past_launch(void **state)
{
	const struct apsp_tuning *row = apsp_tuning_find("CPU", false, NULL);
	const uint64_t n = 20000, m = row->launch_arcs - n - 1;
	struct apsp_plan_facts facts[] = {on_cpu(n, m), on_cpu(n, m + 1)};
	struct apsp_plan plans[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		apsp_plan_make(&facts[i], "", &plans[i]);
		assert_int_equal(
			apsp_download_chunk(n, m + i, 1, 16, 5, row), 16 * 5);
	}
	assert_int_equal(apsp_download_chunk(n, 30 * m, 1, 16, 5, row), 16 * 5);
	assert_int_equal(plans[0].choice, plans[1].choice);
	for (int a = 0; a < APSP_N_ALGORITHMS; a++) {
		const struct apsp_estimate *before = &plans[0].algorithms[a];
		const struct apsp_estimate *after = &plans[1].algorithms[a];

		assert_int_equal(before->rows, after->rows);
		assert_true(isnan(after->seconds) ||
			    after->seconds <= before->seconds * 1.001);
		assert_true(after->host_bytes - before->host_bytes < 1000);
		assert_int_equal(before->feasible, after->feasible);
	}
}

/* Rows of a chunk: work for all units, however many arcs there are. */
static void test_chunks(void **state)
{
	const uint64_t many = 1000000, few = 1000, mib = 1 << 20;
	struct apsp_tuning tuning = {
		.launch_arcs = 1000, .staging_bytes = 2 * mib};

	(void)state;
	assert_int_equal(
		apsp_download_rows_least(many, mib, 16, &tuning), 32 * 16);
	assert_int_equal(apsp_download_rows_least(many, mib, 2, &tuning),
		APSP_READBACK_ROWS);
	assert_int_equal(apsp_download_rows_least(2000, mib, 16, &tuning), 250);
	assert_int_equal(apsp_download_rows_least(few, mib, 16, &tuning),
		APSP_READBACK_ROWS);
	/* short rows: a MiB for each processor, or a quarter of the rows */
	assert_int_equal(
		apsp_download_rows_least(many, mib / 1024, 16, &tuning),
		16 * 1024);
	assert_int_equal(apsp_download_rows_least(2000, 8, 16, &tuning), 500);
	assert_int_equal(
		apsp_download_rows_least(many, 0, 2, &tuning), many / 4);
	assert_int_equal(
		apsp_download_chunk(100, 399, 1, 16, 5, &tuning), 2 * 16 * 5);
	assert_int_equal(
		apsp_download_chunk(many, 1, 1, 16, 5, &tuning), 16 * 5);
	tuning.gpu = true;
	assert_int_equal(apsp_download_rows_least(many, 1, 16, &tuning),
		APSP_READBACK_ROWS);
	assert_int_equal(apsp_download_chunk(many, 1, 1, 16, 5, &tuning), 16);
}

static void test_monotonic(void **state)
{
	struct apsp_plan_facts facts;
	struct apsp_plan small, large;

	(void)state;
	for (uint64_t n = 2; n < 200000; n = n * 5 / 3) {
		facts = facts_of(n, n * 4);
		apsp_plan_make(&facts, "", &small);
		facts.work.n_vertices = n * 2;
		apsp_plan_make(&facts, "", &large);
		for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
			const struct apsp_estimate *s = &small.algorithms[i];
			const struct apsp_estimate *l = &large.algorithms[i];

			assert_true(
				isnan(s->seconds) || s->seconds < l->seconds);
			assert_true(s->cost.seconds[APSP_STAGE_DISTANCE] <
				    apsp_job_cost_sum(&s->cost));
			/* what does not fit has a window */
			if (l->rows == 2 * n)
				assert_true(s->device_bytes <= l->device_bytes);
			assert_true(s->host_bytes <= l->host_bytes);
			assert_true(s->disk_bytes <= l->disk_bytes);
		}
		facts.work.n_vertices = n;
		facts.work.n_arcs = n * 8;
		apsp_plan_make(&facts, "", &large);
		for (int i = 0; i < APSP_N_ALGORITHMS; i++)
			assert_true(isnan(small.algorithms[i].seconds) ||
				    small.algorithms[i].seconds <=
					    large.algorithms[i].seconds);
	}
}

/* Of a road's matrix tiles stay empty, which blocked-fw alone passes over. */
static void test_roads(void **state)
{
	struct apsp_plan_facts facts = facts_of(4096, 6 * 4096);
	struct apsp_plan other, road;

	(void)state;
	apsp_plan_make(&facts, "", &other);
	facts.work.n_arcs--;
	apsp_plan_make(&facts, "", &road);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		double share;

		if (!apsp_algorithms[i].competes)
			continue;
		share = road.algorithms[i].cost.seconds[APSP_STAGE_DISTANCE] /
			other.algorithms[i].cost.seconds[APSP_STAGE_DISTANCE];

		if (i == APSP_ALGORITHM_BLOCKED_FW)
			assert_true(share > 0.5 && share < 0.8);
		else
			assert_true(share > 0.99);
	}
}

/*
 * A solver lets multi-source contest with the fastest other algorithm where few
 * looks at each arc would make it the faster one; not once it was given up, nor
 * where another is asked for.
 */
static void test_contest(void **state)
{
	struct apsp_plan_facts facts = on_cpu(4000, 320000);
	struct apsp_plan plan;

	(void)state;
	facts.work.visits = 40;
	facts.may_contest = true;
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.choice, APSP_ALGORITHM_MULTI_SOURCE);
	assert_true(
		plan.rival_s == estimate_of(&plan, "blocked-fw")
					->cost.seconds[APSP_STAGE_DISTANCE]);
	assert_true(plan.give_up_s > 2 * plan.rival_s); /* default rates */
	facts.rates.measured = true;
	apsp_plan_make(&facts, "", &plan);
	assert_true(plan.give_up_s > plan.rival_s &&
		    plan.give_up_s < 1.3 * plan.rival_s);
	assert_non_null(
		strstr(plan.text, " estimated, in contest with blocked-fw "));
	apsp_plan_make(&facts, "blocked-fw", &plan);
	assert_int_equal(plan.choice, APSP_ALGORITHM_BLOCKED_FW);
	assert_true(plan.rival_s == 0);
	/* the contest would cost more than it may save */
	facts.work.n_vertices = 500;
	facts.work.n_arcs = 5000;
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.choice, APSP_ALGORITHM_BLOCKED_FW);
	facts.work.n_vertices = 4000;
	facts.work.n_arcs = 320000;
	facts.lost_s = 0.25;
	facts.work.visits = 0;
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.choice, APSP_ALGORITHM_BLOCKED_FW);
	assert_true(plan.rival_s == 0);
	assert_non_null(
		strstr(plan.text, "multi-source given up after 0.25 s"));
	/* each pair is an arc: more than n³ */
	facts = on_cpu(2000, 2000 * 1999);
	facts.may_contest = true;
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.choice, APSP_ALGORITHM_BLOCKED_FW);
	assert_true(plan.rival_s == 0);
}

/* Half as many processors take twice as long for pairs, and as long to open a
   device and to read arcs. */
static void test_rates_scaled(void **state)
{
	cpu_set_t all = processors_pin(2);
	const int ratio = CPU_COUNT(&all) < 2 ? 1 : 2;
	struct apsp_rates two, one;

	(void)state;
	apsp_rates_default(false, &two);
	processors_free(&all);
	all = processors_pin(1);
	apsp_rates_default(false, &one);
	processors_free(&all);
	assert_true(one.near_s == ratio * two.near_s);
	assert_true(one.pair_s == ratio * two.pair_s);
	assert_true(one.sum_s == ratio * two.sum_s);
	assert_true(one.arc_s == ratio * two.arc_s);
	assert_true(one.start_s == two.start_s);
	assert_true(one.read_arc_s == two.read_arc_s);
}

static void test_rates_text(void **state)
{
	struct apsp_rates rates, back;
	char text[APSP_RATES_TEXT_SIZE];
	struct apsp_err err;

	(void)state;
	apsp_rates_default(false, &rates);
	assert_false(rates.measured);
	apsp_rates_format(&rates, text);
	assert_int_equal(apsp_rates_parse(text, &back, &err), 0);
	assert_true(back.measured);
	back.measured = false;
	assert_memory_equal(&rates, &back, sizeof(rates));

	text[strlen(text) - 1] = 'x';
	assert_int_equal(apsp_rates_parse(text, &back, &err), APSP_EDATA);
	assert_int_equal(apsp_rates_parse("", &back, &err), APSP_EDATA);
	apsp_rates_format(&rates, text);
	*strchr(text, ' ') = '-';
	assert_int_equal(apsp_rates_parse(text, &back, &err), APSP_EDATA);
	rates.pair_s = -1;
	apsp_rates_format(&rates, text);
	assert_int_equal(apsp_rates_parse(text, &back, &err), APSP_EDATA);
}

/* Widest paths: only some algorithms compute them, and their tails take memory.
 */
static void test_widest(void **state)
{
	struct apsp_plan_facts facts = on_cpu(4096, 400000);
	struct apsp_plan plan, sums;

	(void)state;
	apsp_plan_make(&facts, "", &sums);
	facts.work.widest = true;
	apsp_plan_make(&facts, "", &plan);
	assert_non_null(apsp_plan_choice(&plan));
	for (int a = 0; a < APSP_N_ALGORITHMS; a++) {
		const struct apsp_estimate *estimate = &plan.algorithms[a];

		assert_int_equal(estimate->feasible, apsp_algorithms[a].widest);
		if (apsp_algorithms[a].widest)
			assert_true(estimate->host_bytes >
				    sums.algorithms[a].host_bytes);
		else
			assert_non_null(strstr(
				estimate->reason, "the rule says path=widest"));
	}
	apsp_plan_make(&facts, "streamed-fw", &plan);
	assert_int_equal(plan.choice, -1);
	assert_non_null(strstr(plan.text, "algorithm=multi-source can"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_host_room),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_likely),
		cmocka_unit_test(test_sort_by_row),
		cmocka_unit_test(test_past_launch),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_roads),
		cmocka_unit_test(test_contest),
		cmocka_unit_test(test_rates_scaled),
		cmocka_unit_test(test_rates_text),
		cmocka_unit_test(test_widest),
	};

	processors_pin(2); /* default rates were measured on two processors */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
