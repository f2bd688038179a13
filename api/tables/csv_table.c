/*
 * Tables as CSV:
 *
 *	wide  ,b,c        long  from,to,distance,hops
 *	      a,1,inf           a,b,1,1
 *
 * No path is inf, which NumPy, pandas and R read as a number; no predecessor is
 * blank.
 */
#include <math.h>

#include "api/tables/table_internal.h"
#include "api/tables/value_names.h"

static void nothing(struct apsp_table *t)
{
	(void)t;
}

static void label_write(struct apsp_table *t,
	const char *(*label)(
		const struct apsp_table *t, size_t i, size_t *size),
	size_t i)
{
	size_t size;
	const char *text = label(t, i, &size);

	apsp_csv_string(&t->csv, text, size);
}

static void predecessor_write(
	struct apsp_table *t, const struct apsp_row *row, size_t j)
{
	size_t size;
	const char *text;

	if (row->predecessor[j] == APSP_NO_PREDECESSOR) {
		apsp_csv_blank(&t->csv);
		return;
	}
	text = apsp_labels_get(
		t->q.reading.generation->labels, row->predecessor[j], &size);
	apsp_csv_string(&t->csv, text, size);
}

static void value_write(struct apsp_table *t, enum apsp_row_value value,
	const struct apsp_row *row, size_t j)
{
	if (value == APSP_ROW_DISTANCE)
		apsp_csv_real(&t->csv, row->distance[j]);
	else if (value == APSP_ROW_REACHABLE)
		apsp_csv_integer(&t->csv, row->reachable[j]);
	else if (value == APSP_ROW_PREDECESSOR)
		predecessor_write(t, row, j);
	else if (row->hops[j] == APSP_NO_HOPS)
		apsp_csv_real(&t->csv, (double)INFINITY);
	else
		apsp_csv_integer(&t->csv, row->hops[j]);
}

static void wide_begin(struct apsp_table *t)
{
	apsp_csv_blank(&t->csv);
	for (size_t j = 0; j < t->q.targets.n; j++)
		label_write(t, apsp_table_target, j);
	apsp_csv_row_end(&t->csv);
}

static void wide_row(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	label_write(t, apsp_table_source, i);
	for (size_t j = 0; j < n; j++)
		value_write(t, (enum apsp_row_value)t->told, row, j);
	apsp_csv_row_end(&t->csv);
}

static void long_begin(struct apsp_table *t)
{
	apsp_csv_string(&t->csv, "from", 4);
	apsp_csv_string(&t->csv, "to", 2);
	for (int v = 0; v < APSP_N_ROW_VALUES; v++)
		if (t->q.values & apsp_value_names[v].value)
			apsp_csv_string(&t->csv, apsp_value_names[v].name,
				strlen(apsp_value_names[v].name));
	apsp_csv_row_end(&t->csv);
}

static void long_row(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		size_t j = t->positions[k];

		label_write(t, apsp_table_source, i);
		label_write(t, apsp_table_target, j);
		for (int v = 0; v < APSP_N_ROW_VALUES; v++)
			if (t->told & apsp_value_names[v].value)
				value_write(
					t, apsp_value_names[v].value, row, j);
		apsp_csv_row_end(&t->csv);
	}
}

const struct apsp_table_format apsp_table_csv = {
	.begin = wide_begin,
	.pass_begin = nothing,
	.row = wide_row,
	.pass_end = nothing,
	.end = nothing,
};

const struct apsp_table_format apsp_table_csv_long = {
	.begin = long_begin,
	.pass_begin = nothing,
	.row = long_row,
	.pass_end = nothing,
	.end = nothing,
};
