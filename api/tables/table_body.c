/*
 * A table's body as a stream of JSON events; see table_body.h.
 */
#include "api/tables/table_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body_json.h"
#include "api/body_stream.h"
#include "api/tables/value_names.h"
#include "daemon/base/auto.h"

enum {
	FIRST_LABELS = 64,
	UNKNOWN_MAX = 200, /* bytes of a label that a message shows */
};

enum member {
	SOURCES,
	TARGETS,
	VALUES,
	N_MEMBERS,
};

static const char *const member_names[N_MEMBERS] = {
	"sources", "targets", "values"};

struct apsp_table_body {
	const struct apsp_labels *labels;
	struct apsp_share *share;
	struct apsp_json_reader *json;
	uint32_t max;
	enum member member; /* under way */
	bool seen[N_MEMBERS];
	struct apsp_vertex_list lists[2];
	size_t rooms[2];
	size_t n_items; /* of the list under way */
	unsigned int values;
	bool fed; /* the body has at least one byte */
	char unknown[UNKNOWN_MAX + 1];
	char pointer[APSP_POINTER_SIZE];
};

/* Point to item n_items of the member under way. */
static void point(struct apsp_table_body *body)
{
	snprintf(body->pointer, sizeof(body->pointer), "/%s/%zu",
		member_names[body->member], body->n_items);
}

/* Point to the member under way. */
static void point_member(struct apsp_table_body *body)
{
	snprintf(body->pointer, sizeof(body->pointer), "/%s",
		member_names[body->member]);
}

static int member_begin(struct apsp_table_body *body,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)event->size, event->text);
	for (int m = 0; m < N_MEMBERS; m++) {
		if (strcmp(name, member_names[m]) != 0)
			continue;
		if (body->seen[m])
			return apsp_fail(err, APSP_EMALFORMED,
				"the body has the member '%s' twice", name);
		body->seen[m] = true;
		body->member = (enum member)m;
		body->n_items = 0;
		return 0;
	}
	apsp_body_pointer(event->text, event->size, body->pointer);
	return apsp_fail(err, APSP_EMALFORMED,
		"the body has a member '%s' that is not known; there are "
		"sources, targets and values",
		name);
}

static int vertex_add(
	struct apsp_table_body *body, uint32_t v, struct apsp_err *err)
{
	struct apsp_vertex_list *list = &body->lists[body->member];
	size_t *room = &body->rooms[body->member];
	size_t larger = *room ? 2 * *room : FIRST_LABELS;
	uint32_t *vertices;
	int r;

	if (list->n == body->max) {
		point(body);
		return apsp_fail(err, APSP_ETOOLARGE,
			"%s has more than %u labels, which is the limit; "
			"without %s the table has all vertices",
			member_names[body->member], body->max,
			member_names[body->member]);
	}
	if (list->n == *room) {
		r = apsp_share_grow(body->share, (larger - *room) * sizeof(v),
			"the table", err);
		if (r < 0)
			return r;
		vertices = reallocarray(list->vertices, larger, sizeof(v));
		if (!vertices)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a table");
		list->vertices = vertices;
		*room = larger;
	}
	list->vertices[list->n++] = v;
	return 0;
}

static int item_take(struct apsp_table_body *body,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	char text[UNKNOWN_MAX + 1];
	int64_t v;
	int r;

	if (event->kind != APSP_JSON_STRING) {
		point(body);
		return apsp_fail(err, APSP_EMALFORMED,
			"%s[%zu] is no string; vertices are named by strings, "
			"since a number loses digits",
			member_names[body->member], body->n_items);
	}
	snprintf(text, sizeof(text), "%.*s",
		(int)(event->size < UNKNOWN_MAX ? event->size : UNKNOWN_MAX),
		event->text);
	if (body->member == VALUES) {
		r = apsp_value_names_add(text, &body->values, err);
		if (r < 0)
			point(body);
		body->n_items++;
		return r;
	}
	v = apsp_labels_find(body->labels, event->text, event->size);
	if (v < 0) {
		point(body);
		memcpy(body->unknown, text, sizeof(text));
		return apsp_fail(err, APSP_EBADVERTEX,
			"%s[%zu] '%s' is not in the graph",
			member_names[body->member], body->n_items, text);
	}
	body->n_items++;
	return vertex_add(body, (uint32_t)v, err);
}

static int on_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_table_body *body = ctx;
	bool ends = event->kind == APSP_JSON_OBJECT_END ||
		    event->kind == APSP_JSON_ARRAY_END;

	if (event->depth == 0 || ends)
		return apsp_body_stream_check(event, err);
	if (event->depth == 1 && event->kind == APSP_JSON_KEY)
		return member_begin(body, event, err);
	if (event->depth == 1 && event->kind != APSP_JSON_ARRAY) {
		point_member(body);
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is not a list of strings",
			member_names[body->member]);
	}
	return event->depth == 2 ? item_take(body, event, err) : 0;
}

APSP_AUTO_DEFINE(body_cleanup, struct apsp_table_body, apsp_table_body_free);

int apsp_table_body_new(const struct apsp_labels *labels, uint32_t max,
	struct apsp_share *share, struct apsp_table_body **out,
	struct apsp_err *err)
{
	APSP_AUTO(body_cleanup) struct apsp_table_body *body = NULL;
	int r;

	body = calloc(1, sizeof(*body));
	if (!body)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a table");
	body->labels = labels;
	body->max = max;
	body->share = share;
	r = apsp_json_reader_new(on_event, body, &body->json, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(body);
	return 0;
}

void apsp_table_body_free(struct apsp_table_body *body)
{
	if (!body)
		return;
	apsp_json_reader_free(body->json);
	free(body->lists[SOURCES].vertices);
	free(body->lists[TARGETS].vertices);
	free(body);
}

int apsp_table_body_feed(struct apsp_table_body *body, const char *data,
	size_t size, struct apsp_err *err)
{
	body->fed |= size > 0;
	return apsp_body_stream_feed(body->json, data, size, err);
}

int apsp_table_body_end(struct apsp_table_body *body,
	struct apsp_vertex_list *out_sources,
	struct apsp_vertex_list *out_targets, unsigned int *out_values,
	struct apsp_err *err)
{
	int r = body->fed ? apsp_body_stream_end(body->json, err) : 0;

	if (r < 0)
		return r;
	for (int m = SOURCES; m <= TARGETS; m++) {
		if (body->seen[m])
			continue;
		body->lists[m].all = true;
		body->lists[m].n = apsp_labels_count(body->labels);
	}
	if (body->seen[VALUES] && body->values == 0) {
		body->member = VALUES;
		point_member(body);
		return apsp_fail(err, APSP_EMALFORMED, "values is empty");
	}
	*out_sources = APSP_TAKE(body->lists[SOURCES]);
	*out_targets = APSP_TAKE(body->lists[TARGETS]);
	*out_values = body->values;
	return 0;
}

const char *apsp_table_body_pointer(const struct apsp_table_body *body)
{
	return body->pointer;
}

const char *apsp_table_body_unknown(const struct apsp_table_body *body)
{
	return body->unknown;
}
