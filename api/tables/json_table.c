/*
 * Tables as JSON and NDJSON. Texts that are marked "a line" are lines of
 * NDJSON; the others are JSON:
 *
 *	wide  {"sources":["a"],"targets":["b","c"],"distance":[[1,null]]}
 *	      {"from":"a","distance":[1,null]}                        a line
 *	long  {"pairs":[{"from":"a","to":"b","distance":1},…]}
 *	      {"from":"a","to":"b","distance":1}                      a line
 *
 * An answer about one vertex has one of the following forms. The last form is
 * used if the request asks for no value:
 *
 *	      {"vertex":"a","vertices":["b","c"],"distance":[1,null]}
 *	      {"vertex":"b","distance":1}                             a line
 *	      "b"                                                     a line
 *
 * If the rule leaves out vertices, the wide form of JSON and the JSON about one
 * vertex have the member "left_out":{"sources":["a"],"targets":[]}. In the
 * other forms, the object of a row or a pair with a left-out end has a list,
 * such as "left_out":["from"].
 *
 * A width is null if there is no path. The width of a vertex and itself, which
 * is infinite, is null, too. The value `reachable` distinguishes these cases.
 */
#include <math.h>

#include "api/label_text.h"
#include "api/tables/table_internal.h"

static void value_write(struct apsp_table *t, unsigned int value, size_t j)
{
	const struct apsp_labels *labels = apsp_table_labels(t);
	const struct apsp_row *row = &t->row;

	if (value == APSP_VALUE_VERTEX)
		apsp_label_json(&t->json, labels, apsp_table_target(t, j));
	else if (value == APSP_VALUE_STEPS)
		apsp_json_integer(
			&t->json, t->q.steps[apsp_table_target(t, j)]);
	else if (value == APSP_ROW_DISTANCE)
		apsp_json_real(&t->json, row->distance[j]);
	else if (value ==
		 APSP_ROW_WIDTH) /* the width of a vertex and itself is
				    infinite; this width, and the width of a
				    pair without a path, are written as null */
		apsp_json_real(&t->json,
			row->width[j] > 0 ? row->width[j] : (double)INFINITY);
	else if (value == APSP_ROW_REACHABLE)
		apsp_json_boolean(&t->json, row->reachable[j]);
	else if (value == APSP_ROW_HOPS && row->hops[j] != APSP_NO_HOPS)
		apsp_json_integer(&t->json, row->hops[j]);
	else if (value == APSP_ROW_PREDECESSOR &&
		 row->predecessor[j] != APSP_NO_PREDECESSOR)
		apsp_label_json(&t->json, labels, row->predecessor[j]);
	else
		apsp_json_nothing(&t->json);
}

static void head(struct apsp_table *t)
{
	apsp_json_object(&t->json);
	apsp_reading_head_write(&t->q.reading, &t->json);
}

static void tail(struct apsp_table *t)
{
	apsp_json_object_end(&t->json);
	apsp_json_line_end(&t->json);
}

static void array_begin(struct apsp_table *t)
{
	apsp_json_array(&t->json);
}

static void array_end(struct apsp_table *t)
{
	apsp_json_array_end(&t->json);
}

static void labels_write(struct apsp_table *t, const char *name,
	const struct apsp_vertex_set *list)
{
	apsp_json_key(&t->json, name);
	array_begin(t);
	for (size_t i = 0; i < list->n; i++)
		apsp_label_json(&t->json, apsp_table_labels(t),
			apsp_vertex_set_at(list, i));
	array_end(t);
}

/* Append the label of a vertex if the rule leaves it out. */
static void left_out_label(struct apsp_table *t, uint32_t v)
{
	if (apsp_reading_leaves_out(&t->q.reading, v))
		apsp_label_json(&t->json, apsp_table_labels(t), v);
}

/* Append the sources, or the targets, that the rule leaves out. */
static void left_out_list(struct apsp_table *t, bool targets)
{
	const struct apsp_vertex_set *set =
		targets ? &t->q.targets : &t->q.sources;
	bool in = t->q.direction == APSP_DIRECTION_IN;

	apsp_json_key(&t->json, targets ? "targets" : "sources");
	array_begin(t);
	if (t->q.of_vertex && targets == in)
		left_out_label(t, t->q.vertex);
	else if (t->q.of_vertex)
		for (size_t k = 0; k < t->n; k++)
			left_out_label(t, apsp_table_target(t,
						  apsp_table_position(t, k)));
	else
		for (size_t i = 0; i < set->n; i++)
			left_out_label(t, apsp_vertex_set_at(set, i));
	array_end(t);
}

static void left_out_write(struct apsp_table *t)
{
	if (apsp_reading_n_left_out(&t->q.reading) == 0)
		return;
	apsp_json_key(&t->json, "left_out");
	apsp_json_object(&t->json);
	left_out_list(t, false);
	left_out_list(t, true);
	apsp_json_object_end(&t->json);
}

static void wide_begin(struct apsp_table *t)
{
	head(t);
	labels_write(t, "sources", &t->q.sources);
	labels_write(t, "targets", &t->q.targets);
	left_out_write(t);
}

static void value_begin(struct apsp_table *t)
{
	for (int i = 0; i < APSP_N_VALUES; i++)
		if (t->written & apsp_value_names[i].value)
			apsp_json_key(&t->json, apsp_value_names[i].name);
	array_begin(t);
}

static void value_cells(struct apsp_table *t, size_t end)
{
	for (size_t k = t->at; k < end; k++)
		value_write(t, t->written, apsp_table_position(t, k));
}

/*
 * Write a whole row as a line of NDJSON. The line has a list for each requested
 * kind of value, such as distance or hops.
 */
static void line_row(struct apsp_table *t)
{
	apsp_json_object(&t->json);
	apsp_label_member(&t->json, "from", apsp_table_labels(t),
		apsp_table_source(t, t->next));
	if (apsp_reading_leaves_out(
		    &t->q.reading, apsp_table_source(t, t->next))) {
		apsp_json_key(&t->json, "left_out");
		array_begin(t);
		apsp_json_string(&t->json, "from", 4);
		array_end(t);
	}
	for (int v = 0; v < APSP_N_VALUES; v++) {
		if (!(t->written & apsp_value_names[v].value))
			continue;
		apsp_json_key(&t->json, apsp_value_names[v].name);
		array_begin(t);
		for (size_t j = 0; j < t->n; j++)
			value_write(t, apsp_value_names[v].value, j);
		array_end(t);
	}
	tail(t);
}

/* Write the pair of the current row's source and target j. */
static void pair_write(struct apsp_table *t, size_t j)
{
	const struct apsp_labels *labels = apsp_table_labels(t);
	uint32_t target = apsp_table_target(t, j);

	if (t->q.of_vertex && !t->written) {
		apsp_label_json(&t->json, labels, target);
		return;
	}
	apsp_json_object(&t->json);
	if (!t->q.of_vertex)
		apsp_label_member(&t->json, "from", labels,
			apsp_table_source(t, t->next));
	apsp_label_member(
		&t->json, t->q.of_vertex ? "vertex" : "to", labels, target);
	apsp_reading_pair_write(&t->q.reading, &t->json,
		apsp_table_from(t, t->next, j), apsp_table_to(t, j));
	for (int v = 0; v < APSP_N_VALUES; v++) {
		if (!(t->written & apsp_value_names[v].value))
			continue;
		apsp_json_key(&t->json, apsp_value_names[v].name);
		value_write(t, apsp_value_names[v].value, j);
	}
	apsp_json_object_end(&t->json);
}

static void long_begin(struct apsp_table *t)
{
	head(t);
	apsp_json_key(&t->json, "pairs");
	array_begin(t);
}

static void long_cells(struct apsp_table *t, size_t end)
{
	for (size_t k = t->at; k < end; k++)
		pair_write(t, apsp_table_position(t, k));
}

static void long_end(struct apsp_table *t)
{
	array_end(t);
	tail(t);
}

static void long_lines(struct apsp_table *t, size_t end)
{
	for (size_t k = t->at; k < end; k++) {
		pair_write(t, apsp_table_position(t, k));
		apsp_json_line_end(&t->json);
	}
}

static void vertex_begin(struct apsp_table *t)
{
	bool in = t->q.direction == APSP_DIRECTION_IN;

	head(t);
	apsp_label_member(
		&t->json, "vertex", apsp_table_labels(t), t->q.vertex);
	apsp_json_text_member(&t->json, "direction", in ? "in" : "out");
	if (t->q.is_set)
		apsp_json_boolean_member(&t->json, "on_cycle", t->q.on_cycle);
	apsp_json_integer_member(&t->json, "count", (int64_t)t->n);
	left_out_write(t);
}

const struct apsp_table_format apsp_table_json = {
	.pass_per_value = true,
	.begin = wide_begin,
	.pass_begin = value_begin,
	.row_begin = array_begin,
	.cells = value_cells,
	.row_end = array_end,
	.pass_end = array_end,
	.end = tail,
};

const struct apsp_table_format apsp_table_json_vertex = {
	.pass_per_value = true,
	.begin = vertex_begin,
	.pass_begin = value_begin,
	.cells = value_cells,
	.pass_end = array_end,
	.end = tail,
};

const struct apsp_table_format apsp_table_ndjson = {
	.row_begin = line_row,
};

const struct apsp_table_format apsp_table_json_long = {
	.begin = long_begin,
	.cells = long_cells,
	.end = long_end,
};

const struct apsp_table_format apsp_table_ndjson_long = {
	.cells = long_lines,
};
