/*
 * The memory of searches: one that asks for too much is refused for good, one
 * that others leave no room is told to come back, and nothing is ever lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "storage/search/search_memory.h"

static void test_shares(void **state)
{
	struct apsp_search_memory *memory = NULL;
	struct apsp_search_share a, b, c;
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_search_memory_new(1000, &memory, &err), 0);
	apsp_search_share_open(memory, &a);
	apsp_search_share_open(memory, &b);
	apsp_search_share_open(memory, &c);
	assert_int_equal(memory->n_searches, 3);
	assert_int_equal(apsp_search_share_set(&a, 500, &err), 0);
	assert_int_equal(apsp_search_share_set(&a, 501, &err), APSP_ESEARCH);
	assert_int_equal(memory->bytes, 500);
	assert_int_equal(apsp_search_share_set(&b, 400, &err), 0);
	assert_int_equal(apsp_search_share_set(&c, 101, &err), APSP_EBUSY);
	assert_int_equal(memory->bytes, 900);
	assert_int_equal(apsp_search_share_set(&c, 100, &err), 0);
	assert_int_equal(memory->bytes, 1000);
	/* less is always granted */
	assert_int_equal(apsp_search_share_set(&a, 300, &err), 0);
	assert_int_equal(memory->bytes, 800);
	assert_int_equal(apsp_search_share_set(&c, 300, &err), 0);
	apsp_search_share_close(&a);
	apsp_search_share_close(&a);
	assert_int_equal(memory->bytes, 700);
	apsp_search_share_close(&b);
	apsp_search_share_close(&c);
	assert_int_equal(memory->bytes, 0);
	assert_int_equal(memory->n_searches, 0);
	free(memory);
}

static void test_none(void **state)
{
	struct apsp_search_share share = {0};
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_search_share_set(&share, UINT64_MAX, &err), 0);
	apsp_search_share_close(&share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
