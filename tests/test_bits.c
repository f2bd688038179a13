/*
 * Bit matrices against loops over single bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/bits.h"
#include "tests/random.h"

/* Around the block of 64 and the tile of 512. */
static const uint64_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 511, 512, 513, 700};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void test_zero(void **state)
{
	struct apsp_bits bits;

	(void)state;
	assert_int_equal(apsp_bits_init(&bits, 3, 130, NULL), 0);
	assert_int_equal(bits.row_words, 3);
	for (uint64_t i = 0; i < 9; i++)
		assert_int_equal(bits.words[i], 0);
	apsp_bits_set(&bits, 1, 129);
	assert_int_equal(bits.words[5], 2);
	assert_true(apsp_bits_get(&bits, 1, 129));
	assert_false(apsp_bits_get(&bits, 2, 129));
	apsp_bits_done(&bits);
	assert_null(bits.words);
}

static void test_no_memory(void **state)
{
	struct apsp_bits bits;
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_bits_init(&bits, UINT64_MAX, UINT64_MAX, &err),
		APSP_ENOMEM);
	assert_int_equal(err.code, APSP_ENOMEM);
}

static void test_count(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < N_SIZES; i++)
		for (size_t j = 0; j < N_SIZES; j++) {
			struct apsp_bits bits;
			uint64_t n = 0;

			assert_int_equal(
				apsp_bits_init(&bits, sizes[i], sizes[j], NULL),
				0);
			/* full words, where sums are largest, and others */
			for (uint64_t r = 0; r < sizes[i]; r++)
				for (uint64_t c = 0; c < sizes[j]; c++)
					if (i % 2 || random_below(&seed, 2)) {
						apsp_bits_set(&bits, r, c);
						n++;
					}
			assert_int_equal(apsp_bits_count(&bits), n);
			apsp_bits_done(&bits);
		}
}

static void check_transpose(uint64_t n_rows, uint64_t n_columns)
{
	uint64_t seed = 1 + n_rows * 1000 + n_columns;
	struct apsp_bits in;
	struct apsp_bits out;
	uint64_t wrong = 0;

	assert_int_equal(apsp_bits_init(&in, n_rows, n_columns, NULL), 0);
	for (uint64_t i = 0; i < n_rows; i++)
		for (uint64_t j = 0; j < n_columns; j++)
			if (random_below(&seed, 3) == 0)
				apsp_bits_set(&in, i, j);
	assert_int_equal(apsp_bits_transpose(&in, &out, NULL), 0);
	assert_int_equal(out.n_rows, n_columns);
	assert_int_equal(out.n_columns, n_rows);
	for (uint64_t j = 0; j < n_columns; j++) {
		for (uint64_t i = 0; i < n_rows; i++)
			wrong += apsp_bits_get(&in, i, j) !=
				 apsp_bits_get(&out, j, i);
		/* bits past the last column stay 0 */
		for (uint64_t i = n_rows; i < 64 * out.row_words; i++)
			wrong += apsp_bits_get(&out, j, i);
	}
	assert_int_equal(wrong, 0);
	apsp_bits_done(&in);
	apsp_bits_done(&out);
}

static void test_transpose(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SIZES; i++)
		for (size_t j = 0; j < N_SIZES; j++)
			check_transpose(sizes[i], sizes[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_transpose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
