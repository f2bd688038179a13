/*
 * Tables as NumPy arrays: sources × targets of one value, or values × sources ×
 * targets as float64.
 */
#include "api/encode/npy_header.h"
#include "api/tables/npy_row.h"
#include "api/tables/table_internal.h"

static void nothing(struct apsp_table *t)
{
	(void)t;
}

static void begin(struct apsp_table *t)
{
	enum apsp_npy_cell cell = apsp_npy_cell_of(t->q.values);
	unsigned int n_values = (unsigned int)__builtin_popcount(t->q.values);
	uint64_t dimensions[] = {n_values, t->q.sources.n, t->q.targets.n};
	char header[APSP_NPY_HEADER_SIZE];
	bool several = n_values > 1;

	apsp_npy_header_write(apsp_npy_cell_kind(cell),
		apsp_npy_cell_size(cell), dimensions + !several, 2 + several,
		header);
	apsp_text_append(&t->text, header, sizeof(header));
}

static void row_append(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	(void)i;
	apsp_npy_row_append(&t->text, apsp_npy_cell_of(t->q.values),
		(enum apsp_row_value)t->told, row, n);
}

const struct apsp_table_format apsp_table_npy = {
	.pass_per_value = true,
	.begin = begin,
	.pass_begin = nothing,
	.row = row_append,
	.pass_end = nothing,
	.end = nothing,
};
