/*
 * What a solver holds between jobs: as a text, and in plans of the next job,
 * which uses pinned buffers again that are large enough.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/plan/footprint.h"
#include "compute/plan/held_memory.h"
#include "tests/plan_fixture.h"

static void expect_text(const struct apsp_held_memory *held, const char *text)
{
	char found[APSP_HELD_MEMORY_TEXT_SIZE];
	struct apsp_held_memory back;

	apsp_held_memory_format(held, found);
	assert_string_equal(found, text);
	memset(&back, 1, sizeof(back));
	assert_true(apsp_held_memory_parse(found, &back));
	assert_int_equal(back.own_bytes, held->own_bytes);
	assert_int_equal(back.n_buffers, held->n_buffers);
	for (size_t i = 0; i < back.n_buffers; i++)
		assert_int_equal(back.buffers[i], held->buffers[i]);
}

static void test_text(void **state)
{
	struct apsp_held_memory held = {
		.own_bytes = 200000000, .buffers = {4096, 8388608}};
	char text[APSP_HELD_MEMORY_TEXT_SIZE + 10];

	(void)state;
	expect_text(&held, "own 200000000");
	held.n_buffers = 2;
	expect_text(&held, "own 200000000 buffer 4096 buffer 8388608");
	held.own_bytes = UINT64_MAX;
	held.n_buffers = APSP_HELD_BUFFERS_MAX;
	for (size_t i = 0; i < held.n_buffers; i++)
		held.buffers[i] = UINT64_MAX;
	apsp_held_memory_format(&held, text);
	assert_true(strlen(text) < sizeof(text) - 3);
	expect_text(&held, text);
	strcat(text, " buffer 1");
	assert_false(apsp_held_memory_parse(text, &held));
}

static void test_other_texts(void **state)
{
	static const char *const texts[] = {"", " ", "own", "own x", "own -1",
		" own 1", "own 1 ", "own 1  2", "own 1 x", "own 1 buffer",
		"own 1 buffer 2x", "own 1 buffer -2", "own 1.5",
		"own 1 buffer 2 other 3", "buffer 1",
		"own 99999999999999999999"};
	struct apsp_held_memory held = {.own_bytes = 7};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (apsp_held_memory_parse(texts[i], &held))
			fail_msg("'%s'", texts[i]);
	assert_int_equal(held.own_bytes, 7);
}

/* As the pool gives them (test_pinned_pool.c). */
static void test_take(void **state)
{
	struct apsp_held_memory held = {.buffers = {1, 3, 5}, .n_buffers = 3};

	(void)state;
	assert_int_equal(apsp_held_memory_kept(&held), 9);
	assert_true(apsp_held_memory_take(&held, 2));
	assert_int_equal(apsp_held_memory_kept(&held), 6);
	assert_true(apsp_held_memory_take(&held, 2));
	assert_false(apsp_held_memory_take(&held, 2));
	assert_int_equal(apsp_held_memory_kept(&held), 1);
	assert_true(apsp_held_memory_take(&held, 0));
	assert_false(apsp_held_memory_take(&held, 0));
	assert_int_equal(held.n_buffers, 0);
}

static int sizes_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* What a job with these facts leaves, all of it. */
static struct apsp_held_memory left_by(const struct apsp_plan_facts *facts)
{
	struct apsp_held_memory held = {
		.own_bytes = (uint64_t)facts->rates.process_bytes};

	held.n_buffers = apsp_download_pinned(
		&facts->work, facts->device.tuning, held.buffers);
	qsort(held.buffers, held.n_buffers, sizeof(*held.buffers),
		sizes_compare);
	return held;
}

static uint64_t host_bytes(
	const struct apsp_plan_facts *facts, const char *algorithm)
{
	struct apsp_plan plan;

	apsp_plan_make(facts, algorithm, &plan);
	return estimate_of(&plan, algorithm)->host_bytes;
}

/* More than a plan would say that knows of no buffers. */
static uint64_t more_bytes(const struct apsp_plan_facts *facts,
	const struct apsp_held_memory *held, const char *algorithm)
{
	struct apsp_plan_facts with = *facts;

	with.held = *held;
	return host_bytes(&with, algorithm) - host_bytes(facts, algorithm);
}

/* Where as much is downloaded again, nothing counts twice; what is too small,
   or more than is needed, counts beside. With so few arcs the download is where
   the plan needs most: before it the buffers lie idle. */
static void test_used_again(void **state)
{
	struct apsp_plan_facts facts = facts_of(3000, 1000);
	struct apsp_held_memory held = left_by(&facts);
	uint64_t all = apsp_held_memory_kept(&held);

	(void)state;
	facts.solver_waits = true;
	assert_true(all > 2 * facts.device.tuning->staging_bytes / 10 * 9);
	assert_int_equal(more_bytes(&facts, &held, "blocked-fw"), 0);
	held.buffers[held.n_buffers] = 5 * held.buffers[held.n_buffers - 1];
	held.n_buffers++;
	assert_int_equal(more_bytes(&facts, &held, "blocked-fw"),
		held.buffers[held.n_buffers - 1]);
	held = left_by(&facts);
	for (size_t i = 0; i < held.n_buffers; i++)
		held.buffers[i] = held.buffers[0] - 1;
	assert_int_equal(more_bytes(&facts, &held, "blocked-fw"),
		apsp_held_memory_kept(&held));
}

/* Of a job that downloads narrower rows, whose distances lie in shorter buffers
   and predecessors in longer ones. */
static void test_other_rows(void **state)
{
	struct apsp_plan_facts facts = facts_of(3000, 9000), narrow = facts;
	struct apsp_held_memory held;
	uint64_t more;

	(void)state;
	facts.solver_waits = true;
	narrow.work.element = narrow.work.distance = APSP_ELEMENT_U16;
	held = left_by(&narrow);
	more = more_bytes(&facts, &held, "blocked-fw");
	/* predecessors have room in them, distances of four bytes have none */
	assert_in_range(more, apsp_held_memory_kept(&held) / 10 * 6,
		apsp_held_memory_kept(&held) / 10 * 7);
}

/* Nobody uses them again, and they stay. */
static void test_beside(void **state)
{
	struct apsp_plan_facts facts = facts_of(3000, 9000);
	struct apsp_held_memory held = left_by(&facts);
	uint64_t all = apsp_held_memory_kept(&held);

	(void)state;
	facts.solver_waits = true;
	assert_int_equal(more_bytes(&facts, &held, "reference"), all);
	/* what it holds itself is not known */
	held.own_bytes = 0;
	assert_int_equal(more_bytes(&facts, &held, "reference"), all);
	/* a small job after the large one */
	facts.work.n_vertices = facts.work.n_arcs = 10;
	assert_in_range(
		more_bytes(&facts, &held, "blocked-fw"), all / 100 * 99, all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_other_texts),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_used_again),
		cmocka_unit_test(test_other_rows),
		cmocka_unit_test(test_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
