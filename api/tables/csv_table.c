/*
 * Tables as CSV:
 *
 *	wide         ,b,c
 *	             a,1,inf
 *	long         from,to,distance,hops
 *	             a,b,1,1
 *	of a vertex  vertex,distance
 *	             b,1
 *
 * If the rule leaves out vertices, the long form and the form of a vertex have
 * a last column left_out, with "from", "to" or "from to".
 *
 * If a pair has no path, its distance and its hops are inf, which NumPy, pandas
 * and R read, and its width is 0. The width of a vertex and itself is inf. So a
 * comparison of any width with a threshold gives the right result. If a pair
 * has no predecessor, the cell is blank.
 */
#include <math.h>

#include "api/label_text.h"
#include "api/tables/table_internal.h"

static void source_write(struct apsp_table *t)
{
	apsp_label_csv(
		&t->csv, apsp_table_labels(t), apsp_table_source(t, t->next));
}

static void target_write(struct apsp_table *t, size_t j)
{
	apsp_label_csv(&t->csv, apsp_table_labels(t), apsp_table_target(t, j));
}

static void value_write(struct apsp_table *t, unsigned int value, size_t j)
{
	const struct apsp_row *row = &t->row;

	if (value == APSP_VALUE_STEPS)
		apsp_csv_integer(&t->csv, t->q.steps[apsp_table_target(t, j)]);
	else if (value == APSP_ROW_DISTANCE)
		apsp_csv_real(&t->csv, row->distance[j]);
	else if (value == APSP_ROW_WIDTH)
		apsp_csv_real(&t->csv, row->width[j]);
	else if (value == APSP_ROW_REACHABLE)
		apsp_csv_integer(&t->csv, row->reachable[j]);
	else if (value == APSP_ROW_HOPS && row->hops[j] == APSP_NO_HOPS)
		apsp_csv_real(&t->csv, (double)INFINITY);
	else if (value == APSP_ROW_HOPS)
		apsp_csv_integer(&t->csv, row->hops[j]);
	else if (row->predecessor[j] == APSP_NO_PREDECESSOR)
		apsp_csv_text(&t->csv, "");
	else
		apsp_label_csv(
			&t->csv, apsp_table_labels(t), row->predecessor[j]);
}

static void wide_begin(struct apsp_table *t)
{
	apsp_csv_text(&t->csv, "");
	for (size_t j = 0; j < t->q.targets.n; j++)
		target_write(t, j);
	apsp_csv_row_end(&t->csv);
}

static void wide_cells(struct apsp_table *t, size_t end)
{
	for (size_t j = t->at; j < end; j++)
		value_write(t, t->written, j);
}

static void wide_row_end(struct apsp_table *t)
{
	apsp_csv_row_end(&t->csv);
}

static void long_begin(struct apsp_table *t)
{
	if (t->q.of_vertex) {
		apsp_csv_text(&t->csv, "vertex");
	} else {
		apsp_csv_text(&t->csv, "from");
		apsp_csv_text(&t->csv, "to");
	}
	for (int v = 0; v < APSP_N_VALUES; v++)
		if (t->undone & apsp_value_names[v].value)
			apsp_csv_text(&t->csv, apsp_value_names[v].name);
	if (apsp_reading_n_left_out(&t->q.reading) > 0)
		apsp_csv_text(&t->csv, "left_out");
	apsp_csv_row_end(&t->csv);
}

static void long_cells(struct apsp_table *t, size_t end)
{
	for (size_t k = t->at; k < end; k++) {
		size_t j = apsp_table_position(t, k);

		if (!t->q.of_vertex)
			source_write(t);
		target_write(t, j);
		for (int v = 0; v < APSP_N_VALUES; v++)
			if (t->written & apsp_value_names[v].value)
				value_write(t, apsp_value_names[v].value, j);
		if (apsp_reading_n_left_out(&t->q.reading) > 0)
			apsp_csv_text(
				&t->csv, apsp_reading_pair_text(&t->q.reading,
						 apsp_table_from(t, t->next, j),
						 apsp_table_to(t, j)));
		apsp_csv_row_end(&t->csv);
	}
}

const struct apsp_table_format apsp_table_csv = {
	.begin = wide_begin,
	.row_begin = source_write,
	.cells = wide_cells,
	.row_end = wide_row_end,
};

const struct apsp_table_format apsp_table_csv_long = {
	.begin = long_begin,
	.cells = long_cells,
};
