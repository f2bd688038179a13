/*
 * The format json: {"vertices":["a",…],"arcs":[["a","b",2.5],…]}, with its
 * members in any order. "vertices" may be left out; if it is there, it must
 * name every vertex. A weight that is left out is 1. Other members are ignored.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/json_reader.h"
#include "storage/ingest/graph_builder.h"
#include "storage/ingest/formats/parser.h"

enum member {
	MEMBER_OTHER,
	MEMBER_VERTICES,
	MEMBER_ARCS,
};

struct json {
	struct apsp_graph_builder *builder;
	struct apsp_json_reader *reader;
	enum member member; /* under way */
	bool has_vertices, has_arcs;
	uint32_t n_listed;    /* in "vertices" */
	unsigned int n_parts; /* of the arc under way */
	uint32_t ends[2];
	double weight;
	struct apsp_text_position place;       /* of the arc's last part */
	uint8_t listed[APSP_VERTICES_MAX / 8]; /* a bit for each index */
};

static int refuse(const struct apsp_json_event *event, const char *expected,
	struct apsp_err *err)
{
	static const char *const kinds[] = {"an object", "the end of an object",
		"an array", "the end of an array", "a key", "a string",
		"a number", "a word"};
	struct apsp_excerpt found = apsp_excerpt_of(event->text, event->size);

	return apsp_refuse(err, event->place, "found %s%s%s%s, expected %s",
		kinds[event->kind], event->size ? " '" : "", found.text,
		event->size ? "'" : "", expected);
}

static int member_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	bool *seen = NULL;

	self->member = MEMBER_OTHER;
	if (event->size == 8 && memcmp(event->text, "vertices", 8) == 0) {
		self->member = MEMBER_VERTICES;
		seen = &self->has_vertices;
	} else if (event->size == 4 && memcmp(event->text, "arcs", 4) == 0) {
		self->member = MEMBER_ARCS;
		seen = &self->has_arcs;
	}
	if (seen && *seen)
		return apsp_refuse(err, event->place,
			"found '%s' a second time, expected it once",
			apsp_excerpt_of(event->text, event->size).text);
	if (seen)
		*seen = true;
	return 0;
}

/* The vertex that a string names, or a whole number by its digits. */
static int vertex_take(struct json *self, const struct apsp_json_event *event,
	uint32_t *out, struct apsp_err *err)
{
	bool integer = event->kind == APSP_JSON_NUMBER &&
		       !memchr(event->text, '.', event->size) &&
		       !memchr(event->text, 'e', event->size) &&
		       !memchr(event->text, 'E', event->size);

	if (!integer && event->kind != APSP_JSON_STRING)
		return refuse(event,
			"a vertex label: a string or a whole number", err);
	return apsp_graph_builder_vertex(self->builder, event->text,
		event->size, event->place, out, err);
}

static int listed_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	uint32_t v;
	uint8_t bit;
	int r = vertex_take(self, event, &v, err);

	if (r < 0)
		return r;
	bit = (uint8_t)(1 << (v & 7));
	if (self->listed[v / 8] & bit)
		return apsp_refuse(err, event->place,
			"found the vertex '%s' a second time, expected it once",
			apsp_excerpt_of(event->text, event->size).text);
	self->listed[v / 8] |= bit;
	self->n_listed++;
	return 0;
}

static int part_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const uint32_t before = apsp_labels_count(self->builder->labels);
	const unsigned int part = self->n_parts++;
	int r;

	self->place = event->place;
	if (part == 2 && event->kind == APSP_JSON_NUMBER) {
		r = apsp_graph_builder_weighted(self->builder,
			APSP_MEANING_UNSAID, NULL, event->place, err);
		return r < 0 ? r
			     : apsp_weight_parse(event->text, event->size,
				       event->place, &self->weight, err);
	}
	if (part == 2)
		return refuse(event, "a number as weight", err);
	if (part > 2)
		return refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	r = vertex_take(self, event, &self->ends[part], err);
	if (r == 0 && self->has_vertices && self->ends[part] >= before)
		return apsp_refuse(err, event->place,
			"found the vertex '%s', which is not among the "
			"vertices",
			apsp_excerpt_of(event->text, event->size).text);
	return r;
}

static int arc_end(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	if (self->n_parts < 2)
		return refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	return apsp_graph_builder_arc(self->builder, self->ends[0],
		self->ends[1], self->weight, self->place, err);
}

/* Take an event inside the member under way, whose value has depth 1. */
static int inner_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const bool begins = event->kind == APSP_JSON_ARRAY;
	const bool ends = event->kind == APSP_JSON_ARRAY_END;

	if (self->member == MEMBER_OTHER)
		return 0;
	if (event->depth == 1)
		return begins || ends ? 0 : refuse(event, "an array", err);
	if (self->member == MEMBER_VERTICES)
		return listed_take(self, event, err);
	if (event->depth == 3)
		return part_take(self, event, err);
	if (ends)
		return arc_end(self, event, err);
	if (!begins)
		return refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	self->n_parts = 0;
	self->weight = 1;
	return 0;
}

static int on_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct json *self = ctx;

	if (event->depth == 0)
		return event->kind == APSP_JSON_OBJECT ||
				       event->kind == APSP_JSON_OBJECT_END
			       ? 0
			       : refuse(event,
					 "{\"vertices\":[…],\"arcs\":[…]}",
					 err);
	if (event->depth == 1 && event->kind == APSP_JSON_KEY)
		return member_take(self, event, err);
	return inner_take(self, event, err);
}

static void json_close(void *parser)
{
	struct json *self = parser;

	if (!self)
		return;
	apsp_json_reader_free(self->reader);
	free(self);
}

APSP_AUTO_DEFINE(json_cleanup, struct json, json_close);

static int json_open(
	struct apsp_graph_builder *builder, void **out, struct apsp_err *err)
{
	APSP_AUTO(json_cleanup) struct json *self = NULL;
	int r;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	self->builder = builder;
	r = apsp_json_reader_new(on_event, self, &self->reader, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(self);
	return 0;
}

static int json_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err)
{
	struct json *self = parser;

	return apsp_json_reader_feed(self->reader, data, size, err);
}

static int json_end(void *parser, struct apsp_err *err)
{
	struct json *self = parser;
	const struct apsp_labels *labels = self->builder->labels;
	uint32_t v = 0;
	int r = apsp_json_reader_end(self->reader, err);

	if (r < 0)
		return r;
	if (!self->has_arcs)
		return apsp_fail(err, APSP_EDATA,
			"the object has no 'arcs', expected "
			"{\"vertices\":[…],\"arcs\":[…]}");
	if (!self->has_vertices || self->n_listed == apsp_labels_count(labels))
		return 0;
	/* "vertices" came after the arcs and left some vertex out */
	while (self->listed[v / 8] & 1 << (v & 7))
		v++;
	return apsp_fail(err, APSP_EDATA,
		"an arc names the vertex '%s', which is not among the vertices",
		apsp_excerpt_of(apsp_labels_get(labels, v, NULL),
			strlen(apsp_labels_get(labels, v, NULL)))
			.text);
}

const struct apsp_parser apsp_parser_json = {
	json_open, json_feed, json_end, json_close};
