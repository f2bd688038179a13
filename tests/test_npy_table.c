/*
 * Numbers of hops as NumPy elements: float32, or float64 in a graph whose
 * numbers of hops float32 does not represent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "api/encode/npy_header.h"
#include "api/tables/table.h"
#include "api/tables/table_internal.h"

/* Write a row of three numbers of hops, and check the file's header and
   size. */
static void hops_write(uint32_t n_vertices, const char *descr, size_t size,
	uint32_t hops[3], struct apsp_table *t)
{
	struct apsp_generation generation = {.n_vertices = n_vertices};

	*t = (struct apsp_table){
		.q = {.reading = {.generation = &generation},
			.values = APSP_ROW_HOPS,
			.sources = {.n = 1},
			.targets = {.n = 3}},
		.row = {.hops = hops},
		.written = APSP_ROW_HOPS,
	};
	apsp_table_npy.begin(t);
	apsp_table_npy.cells(t, 3);
	assert_int_equal(t->text.size, APSP_NPY_HEADER_SIZE + size);
	assert_int_equal(apsp_table_npy_size(t), t->text.size);
	assert_non_null(
		memmem(t->text.data, t->text.size, descr, strlen(descr)));
}

static void hops_are_exact(void **state)
{
	uint32_t most = 1 << 24, hops[] = {0, most - 1, APSP_NO_HOPS};
	struct apsp_table t;
	double wide[3];
	float narrow[3];

	(void)state;
	hops_write(most, "'<f4'", sizeof(narrow), hops, &t);
	memcpy(narrow, t.text.data + APSP_NPY_HEADER_SIZE, sizeof(narrow));
	assert_true(narrow[0] == 0 && narrow[1] == (float)(most - 1));
	assert_true(isinf(narrow[2]));
	apsp_text_done(&t.text);
	hops[1] = most + 1;
	hops_write(most + 2, "'<f8'", sizeof(wide), hops, &t);
	memcpy(wide, t.text.data + APSP_NPY_HEADER_SIZE, sizeof(wide));
	assert_true(wide[0] == 0 && wide[1] == most + 1 && isinf(wide[2]));
	apsp_text_done(&t.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
