/*
 * Tables as JSON and NDJSON:
 *
 *	wide  {"sources":["a"],"targets":["b","c"],"distance":[[1,null]]}
 *	      {"from":"a","distance":[1,null]}                        a line
 *	long  {"pairs":[{"from":"a","to":"b","distance":1},…]}
 *	      {"from":"a","to":"b","distance":1}                      a line
 */
#include <math.h>

#include "api/tables/table_internal.h"
#include "api/tables/value_names.h"

static void labels_write(struct apsp_table *t, const char *name, size_t n,
	const char *(*label)(
		const struct apsp_table *t, size_t i, size_t *size))
{
	size_t size;

	apsp_json_key(&t->json, name);
	apsp_json_array(&t->json);
	for (size_t i = 0; i < n; i++) {
		const char *text = label(t, i, &size);

		apsp_json_string(&t->json, text, size);
	}
	apsp_json_array_end(&t->json);
}

static void label_member(struct apsp_table *t, const char *name,
	const char *(*label)(
		const struct apsp_table *t, size_t i, size_t *size),
	size_t i)
{
	size_t size;
	const char *text = label(t, i, &size);

	apsp_json_key(&t->json, name);
	apsp_json_string(&t->json, text, size);
}

/* The vertex before target j as its label; null for none. */
static void predecessor_write(
	struct apsp_table *t, const struct apsp_row *row, size_t j)
{
	size_t size;
	const char *text;

	if (row->predecessor[j] == APSP_NO_PREDECESSOR) {
		apsp_json_nothing(&t->json);
		return;
	}
	text = apsp_labels_get(
		t->q.reading.generation->labels, row->predecessor[j], &size);
	apsp_json_string(&t->json, text, size);
}

static void value_write(struct apsp_table *t, enum apsp_row_value value,
	const struct apsp_row *row, size_t j)
{
	if (value == APSP_ROW_DISTANCE)
		apsp_json_real(&t->json, row->distance[j]);
	else if (value == APSP_ROW_REACHABLE)
		apsp_json_boolean(&t->json, row->reachable[j]);
	else if (value == APSP_ROW_PREDECESSOR)
		predecessor_write(t, row, j);
	else if (row->hops[j] == APSP_NO_HOPS)
		apsp_json_nothing(&t->json);
	else
		apsp_json_integer(&t->json, row->hops[j]);
}

static void head(struct apsp_table *t)
{
	const struct apsp_reading *reading = &t->q.reading;

	apsp_json_object(&t->json);
	apsp_json_text_member(
		&t->json, "revision", reading->generation->revision);
	apsp_json_text_member(&t->json, "profile", reading->profile->name);
	if (reading->profile->tables_rule_known)
		apsp_json_text_member(&t->json, "transform",
			apsp_transform_name(
				reading->profile->tables_rule.transform));
}

static void tail(struct apsp_table *t)
{
	apsp_json_object_end(&t->json);
	apsp_json_line_end(&t->json);
}

static void nothing(struct apsp_table *t)
{
	(void)t;
}

static void wide_begin(struct apsp_table *t)
{
	head(t);
	labels_write(t, "sources", t->q.sources.n, apsp_table_source);
	labels_write(t, "targets", t->q.targets.n, apsp_table_target);
}

static void wide_pass_begin(struct apsp_table *t)
{
	for (int i = 0; i < APSP_N_ROW_VALUES; i++)
		if (t->told & apsp_value_names[i].value)
			apsp_json_key(&t->json, apsp_value_names[i].name);
	apsp_json_array(&t->json);
}

static void wide_pass_end(struct apsp_table *t)
{
	apsp_json_array_end(&t->json);
}

static void wide_row(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	(void)i;
	apsp_json_array(&t->json);
	for (size_t j = 0; j < n; j++)
		value_write(t, (enum apsp_row_value)t->told, row, j);
	apsp_json_array_end(&t->json);
}

static void line_row(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	apsp_json_object(&t->json);
	label_member(t, "from", apsp_table_source, i);
	for (int v = 0; v < APSP_N_ROW_VALUES; v++) {
		if (!(t->told & apsp_value_names[v].value))
			continue;
		apsp_json_key(&t->json, apsp_value_names[v].name);
		apsp_json_array(&t->json);
		for (size_t j = 0; j < n; j++)
			value_write(t, apsp_value_names[v].value, row, j);
		apsp_json_array_end(&t->json);
	}
	tail(t);
}

/* Pair of source i and target j. */
static void pair_write(
	struct apsp_table *t, size_t i, size_t j, const struct apsp_row *row)
{
	apsp_json_object(&t->json);
	label_member(t, "from", apsp_table_source, i);
	label_member(t, "to", apsp_table_target, j);
	for (int v = 0; v < APSP_N_ROW_VALUES; v++) {
		if (!(t->told & apsp_value_names[v].value))
			continue;
		apsp_json_key(&t->json, apsp_value_names[v].name);
		value_write(t, apsp_value_names[v].value, row, j);
	}
	apsp_json_object_end(&t->json);
}

static void long_begin(struct apsp_table *t)
{
	head(t);
	apsp_json_key(&t->json, "pairs");
	apsp_json_array(&t->json);
}

static void long_row(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	for (size_t k = 0; k < n; k++)
		pair_write(t, i, t->positions[k], row);
}

static void long_end(struct apsp_table *t)
{
	apsp_json_array_end(&t->json);
	tail(t);
}

static void long_lines(
	struct apsp_table *t, size_t i, const struct apsp_row *row, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		pair_write(t, i, t->positions[k], row);
		apsp_json_line_end(&t->json);
	}
}

const struct apsp_table_format apsp_table_json = {
	.pass_per_value = true,
	.begin = wide_begin,
	.pass_begin = wide_pass_begin,
	.row = wide_row,
	.pass_end = wide_pass_end,
	.end = tail,
};

const struct apsp_table_format apsp_table_ndjson = {
	.begin = nothing,
	.pass_begin = nothing,
	.row = line_row,
	.pass_end = nothing,
	.end = nothing,
};

const struct apsp_table_format apsp_table_json_long = {
	.begin = long_begin,
	.pass_begin = nothing,
	.row = long_row,
	.pass_end = nothing,
	.end = long_end,
};

const struct apsp_table_format apsp_table_ndjson_long = {
	.begin = nothing,
	.pass_begin = nothing,
	.row = long_lines,
	.pass_end = nothing,
	.end = nothing,
};
