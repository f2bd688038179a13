/*
 * The sort on several processors: numbers of keys on both sides of a block, few
 * and many items, against a sort that scans all items for each key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/graph/split_sort.h"
#include "tests/random.h"

enum {
	SKIPPED = 7, /* items whose index is a multiple are not sorted */
};

struct items {
	const uint32_t *keys;
	uint64_t *sorted; /* indices of items */
};

static void count(void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct items *items = ctx;

	for (uint64_t i = first; i < end; i++)
		if (i % SKIPPED)
			places[items->keys[i]]++;
}

static void place(void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct items *items = ctx;

	for (uint64_t i = first; i < end; i++)
		if (i % SKIPPED)
			items->sorted[places[items->keys[i]]++] = i;
}

static void check(size_t n_keys, uint64_t n_items, uint64_t seed)
{
	uint32_t *keys = malloc((n_items + 1) * sizeof(*keys));
	uint64_t *sorted = malloc((n_items + 1) * sizeof(*sorted));
	uint64_t *offsets = malloc((n_keys + 1) * sizeof(*offsets));
	struct items items = {keys, sorted};
	struct apsp_split_sort sort = {0};
	struct apsp_err err;
	uint64_t at = 0;

	for (uint64_t i = 0; i < n_items; i++)
		keys[i] = random_below(&seed, (uint32_t)n_keys);
	assert_int_equal(apsp_split_sort_count(&sort, n_items, n_keys, count,
				 &items, offsets, &err),
		0);
	apsp_split_sort_visit(&sort, place, &items);
	for (size_t key = 0; key < n_keys; key++) {
		assert_int_equal(offsets[key], at);
		for (; at < offsets[key + 1]; at++) {
			assert_int_equal(keys[sorted[at]], key);
			assert_true(sorted[at] % SKIPPED);
			assert_true(at == offsets[key] ||
				    sorted[at - 1] < sorted[at]);
		}
	}
	assert_int_equal(at, n_items - (n_items + SKIPPED - 1) / SKIPPED);
	apsp_split_sort_done(&sort);
	free(keys);
	free(sorted);
	free(offsets);
}

static void test_sizes(void **state)
{
	static const size_t keys[] = {1, 2, 1023, 1024, 1025, 2048, 2049, 5000};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		check(keys[i], 0, i + 1);
		check(keys[i], 3, i + 1);
		/* enough items for a part on each of several processors */
		check(keys[i], 40 * keys[i] + 100, i + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
