/*
 * The values of one vertex as JSON, NDJSON, CSV and a NumPy array:
 *
 *	{"vertex":"a","vertices":["b","c"],"distance":[1,null]}
 *	{"vertex":"b","distance":1}                             a line
 *	vertex,distance                                         CSV
 *	b,1
 */
#include <math.h>

#include "api/encode/npy_header.h"
#include "api/tables/npy_row.h"
#include "api/tables/value_names.h"
#include "api/tables/vertex_formats.h"

enum {
	TURN = 1024, /* values at once */
	/* the members beside labels: the steps, then the values by name */
	MEMBER_STEPS = 0,
	MEMBER_VALUES = 1,
	N_MEMBERS = MEMBER_VALUES + APSP_N_ROW_VALUES,
};

static bool member_is_told(const struct apsp_vertex_values *v, int m)
{
	return m == MEMBER_STEPS
		       ? v->q.steps != NULL
		       : v->q.values &
				 apsp_value_names[m - MEMBER_VALUES].value;
}

static const char *member_name(int m)
{
	return m == MEMBER_STEPS ? "steps"
				 : apsp_value_names[m - MEMBER_VALUES].name;
}

static const char *label(
	const struct apsp_vertex_values *v, uint32_t vertex, size_t *out_size)
{
	return apsp_labels_get(
		v->q.reading.generation->labels, vertex, out_size);
}

static void json_label(struct apsp_vertex_values *v, uint32_t vertex)
{
	size_t size;
	const char *text = label(v, vertex, &size);

	apsp_json_string(&v->json, text, size);
}

static void csv_label(struct apsp_vertex_values *v, uint32_t vertex)
{
	size_t size;
	const char *text = label(v, vertex, &size);

	apsp_csv_string(&v->csv, text, size);
}

static uint32_t vertex_at(const struct apsp_vertex_values *v, size_t position)
{
	return apsp_vertex_list_at(&v->q.others, position);
}

static void json_value(struct apsp_vertex_values *v, int m, size_t i)
{
	const struct apsp_row *row = &v->row;
	enum apsp_row_value value;

	if (m == MEMBER_STEPS) {
		apsp_json_integer(&v->json, v->q.steps[i]);
		return;
	}
	value = apsp_value_names[m - MEMBER_VALUES].value;
	if (value == APSP_ROW_DISTANCE)
		apsp_json_real(&v->json, row->distance[i]);
	else if (value == APSP_ROW_REACHABLE)
		apsp_json_boolean(&v->json, row->reachable[i]);
	else if (value == APSP_ROW_HOPS && row->hops[i] != APSP_NO_HOPS)
		apsp_json_integer(&v->json, row->hops[i]);
	else if (value == APSP_ROW_PREDECESSOR &&
		 row->predecessor[i] != APSP_NO_PREDECESSOR)
		json_label(v, row->predecessor[i]);
	else
		apsp_json_nothing(&v->json);
}

static void csv_value(struct apsp_vertex_values *v, int m, size_t i)
{
	const struct apsp_row *row = &v->row;
	enum apsp_row_value value;

	if (m == MEMBER_STEPS) {
		apsp_csv_integer(&v->csv, v->q.steps[i]);
		return;
	}
	value = apsp_value_names[m - MEMBER_VALUES].value;
	if (value == APSP_ROW_DISTANCE)
		apsp_csv_real(&v->csv, row->distance[i]);
	else if (value == APSP_ROW_REACHABLE)
		apsp_csv_integer(&v->csv, row->reachable[i]);
	else if (value == APSP_ROW_HOPS && row->hops[i] != APSP_NO_HOPS)
		apsp_csv_integer(&v->csv, row->hops[i]);
	else if (value == APSP_ROW_HOPS)
		apsp_csv_real(&v->csv, (double)INFINITY);
	else if (row->predecessor[i] != APSP_NO_PREDECESSOR)
		csv_label(v, row->predecessor[i]);
	else
		apsp_csv_blank(&v->csv);
}

static void json_head(struct apsp_vertex_values *v)
{
	const struct apsp_reading *reading = &v->q.reading;
	bool in = v->q.direction == APSP_DIRECTION_IN;

	apsp_json_object(&v->json);
	apsp_json_text_member(
		&v->json, "revision", reading->generation->revision);
	apsp_json_text_member(&v->json, "profile", reading->profile->name);
	if (reading->profile->tables_rule_known)
		apsp_json_text_member(&v->json, "transform",
			apsp_transform_name(
				reading->profile->tables_rule.transform));
	apsp_json_key(&v->json, "vertex");
	json_label(v, v->q.vertex);
	apsp_json_text_member(&v->json, "direction", in ? "in" : "out");
	if (v->q.is_set) {
		apsp_json_key(&v->json, "on_cycle");
		apsp_json_boolean(&v->json, v->q.on_cycle);
	}
	apsp_json_key(&v->json, "count");
	apsp_json_integer(&v->json, (int64_t)v->n);
}

/* The next member whose array is told; false at the end. */
static bool json_member(struct apsp_vertex_values *v)
{
	if (v->member >= -1)
		apsp_json_array_end(&v->json);
	v->at = 0;
	do {
		v->member++;
	} while (v->member >= 0 && v->member < N_MEMBERS &&
		 !member_is_told(v, v->member));
	if (v->member == N_MEMBERS)
		return false;
	apsp_json_key(
		&v->json, v->member < 0 ? "vertices" : member_name(v->member));
	apsp_json_array(&v->json);
	return true;
}

static void tell_json(struct apsp_vertex_values *v)
{
	if (v->member == -2) {
		json_head(v);
		json_member(v);
	}
	for (int turn = 0; turn < TURN && v->at < v->n; turn++) {
		size_t i = v->positions[v->at++];

		if (v->member < 0)
			json_label(v, vertex_at(v, i));
		else
			json_value(v, v->member, i);
	}
	if (v->at < v->n || json_member(v))
		return;
	apsp_json_object_end(&v->json);
	apsp_json_line_end(&v->json);
	v->ended = true;
}

static void tell_lines(struct apsp_vertex_values *v)
{
	for (int turn = 0; turn < TURN && v->at < v->n; turn++) {
		size_t i = v->positions[v->at++];

		if (v->q.values == 0 && !v->q.steps) { /* labels alone */
			json_label(v, vertex_at(v, i));
			apsp_json_line_end(&v->json);
			continue;
		}
		apsp_json_object(&v->json);
		apsp_json_key(&v->json, "vertex");
		json_label(v, vertex_at(v, i));
		for (int m = 0; m < N_MEMBERS; m++) {
			if (!member_is_told(v, m))
				continue;
			apsp_json_key(&v->json, member_name(m));
			json_value(v, m, i);
		}
		apsp_json_object_end(&v->json);
		apsp_json_line_end(&v->json);
	}
	v->ended = v->at == v->n;
}

static void csv_head(struct apsp_vertex_values *v)
{
	apsp_csv_string(&v->csv, "vertex", 6);
	for (int m = 0; m < N_MEMBERS; m++)
		if (member_is_told(v, m))
			apsp_csv_string(&v->csv, member_name(m),
				strlen(member_name(m)));
	apsp_csv_row_end(&v->csv);
	v->member = -1;
}

static void tell_csv(struct apsp_vertex_values *v)
{
	if (v->member == -2)
		csv_head(v);
	for (int turn = 0; turn < TURN && v->at < v->n; turn++) {
		size_t i = v->positions[v->at++];

		csv_label(v, vertex_at(v, i));
		for (int m = 0; m < N_MEMBERS; m++)
			if (member_is_told(v, m))
				csv_value(v, m, i);
		apsp_csv_row_end(&v->csv);
	}
	v->ended = v->at == v->n;
}

/* One value as a vector, several as rows of a matrix. */
static void tell_npy(struct apsp_vertex_values *v)
{
	unsigned int n_values = (unsigned int)__builtin_popcount(v->q.values);
	enum apsp_npy_cell cell = apsp_npy_cell_of(v->q.values);
	uint64_t dimensions[] = {n_values, v->q.others.n};
	char header[APSP_NPY_HEADER_SIZE];
	bool several = n_values > 1;

	apsp_npy_header_write(apsp_npy_cell_kind(cell),
		apsp_npy_cell_size(cell), dimensions + !several, 1 + several,
		header);
	apsp_text_append(&v->text, header, sizeof(header));
	for (int m = 0; m < APSP_N_ROW_VALUES; m++)
		if (v->q.values & apsp_value_names[m].value)
			apsp_npy_row_append(&v->text, cell,
				apsp_value_names[m].value, &v->row,
				v->q.others.n);
	v->ended = true;
}

void apsp_vertex_formats_tell(struct apsp_vertex_values *v)
{
	switch (v->format) {
	case APSP_REPLY_CSV:
		tell_csv(v);
		return;
	case APSP_REPLY_NDJSON:
		tell_lines(v);
		return;
	case APSP_REPLY_NPY:
		tell_npy(v);
		return;
	default:
		tell_json(v);
	}
}
