/*
 * The format json: an object in one of three forms. Its members may be in any
 * order, except that "nodes" must come before "adjacency".
 *
 *	{"vertices":["a",…],"arcs":[["a","b",2.5],…]}
 *	{"nodes":[{"id":"a"},…],"links":[{"source":"a","target":"b",…},…]}
 *	{"nodes":[{"id":"a"},…],"adjacency":[[{"id":"b","weight":2},…],…]}
 *
 * NetworkX's node_link_data() and adjacency_data() write the last two forms;
 * "edges" is another name of "links". The members "vertices" and "nodes" are
 * optional, except that "adjacency" requires "nodes": row i of "adjacency"
 * belongs to node i. If "vertices" or "nodes" is present, it must name every
 * vertex. A missing weight is 1. Other members are refused, because they may be
 * misspelt.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/edge_columns.h"
#include "storage/ingest/formats/json_item.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"
#include "storage/ingest/json_reader.h"

enum member {
	MEMBER_VERTICES,
	MEMBER_NODES,
	MEMBER_ARCS,
	MEMBER_LINKS,
	MEMBER_EDGES,
	MEMBER_ADJACENCY,
	MEMBER_DIRECTED,
	MEMBER_MULTIGRAPH,
	MEMBER_GRAPH, /* attributes of the graph */
	N_MEMBERS,
};

static const char *const members[N_MEMBERS] = {"vertices", "nodes", "arcs",
	"links", "edges", "adjacency", "directed", "multigraph", "graph"};

#define LISTS_VERTICES (1u << MEMBER_VERTICES | 1u << MEMBER_NODES)
#define LISTS_ARCS                                                             \
	(1u << MEMBER_ARCS | 1u << MEMBER_LINKS | 1u << MEMBER_EDGES |         \
		1u << MEMBER_ADJACENCY)
#define FORMS                                                                  \
	"{\"vertices\":[…],\"arcs\":[…]}, or NetworkX's node-link or "     \
	"adjacency form"

struct json {
	struct apsp_graph_builder *builder;
	struct apsp_json_reader *reader;
	enum member member; /* the member whose value is being read */
	unsigned int seen;  /* a bit for each element of `members`, set when the
			       file's object has this member */
	bool two_ways; /* the file says "directed":false, so each link means two
			  arcs */
	uint32_t n_listed;    /* number of vertices in "vertices" or "nodes" */
	uint32_t row;	      /* current row of "adjacency" */
	unsigned int n_parts; /* number of parts of the current arc (tail, head,
				 weight) that were read */
	uint32_t ends[2];
	double weight;
	bool missing; /* the current arc's weight is missing, so the arc is left
			 out */
	/* position of the part of the current arc (tail, head or weight) that
	   was read last */
	struct apsp_text_position place;
	struct apsp_json_item item; /* the current object */
	/* the vertices that "vertices" or "nodes" lists */
	struct apsp_vertex_marks listed;
};

/* Store the index of a vertex. The event has the vertex's label: a string, or
   the digits of a whole number. */
static int vertex_read(struct json *self, const struct apsp_json_event *event,
	uint32_t *out, struct apsp_err *err)
{
	bool integer = event->kind == APSP_JSON_NUMBER &&
		       !memchr(event->text, '.', event->size) &&
		       !memchr(event->text, 'e', event->size) &&
		       !memchr(event->text, 'E', event->size);

	if (!integer && event->kind != APSP_JSON_STRING)
		return apsp_json_event_refuse(event,
			"a vertex label: a string or a whole number", err);
	return apsp_graph_builder_vertex(self->builder, event->text,
		event->size, event->place, out, err);
}

/* Refuse from_column, to_column and weight_column if they do not apply here. */
static int columns_check(const struct json *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	for (int role = 0; role < APSP_N_ROLES; role++) {
		if (!*self->builder->file.columns[role])
			continue;
		if (self->member == MEMBER_ARCS && role == APSP_ROLE_WEIGHT &&
			strcmp(self->builder->file.columns[role],
				APSP_COLUMN_COUNT) == 0)
			return apsp_refuse(err, event->place,
				"weight_column=count counts the rows of CSV; "
				"an arc of 'arcs' is [from, to, weight]");
		if (self->member == MEMBER_ARCS)
			return apsp_refuse(err, event->place,
				"%s names a member of 'links'; an arc of "
				"'arcs' is [from, to, weight]",
				apsp_column_options[role]);
		if (self->member == MEMBER_ADJACENCY &&
			role != APSP_ROLE_WEIGHT)
			return apsp_refuse(err, event->place,
				"%s names a member of 'links'; a row of "
				"'adjacency' is a node, and its neighbours "
				"have an 'id'",
				apsp_column_options[role]);
	}
	return 0;
}

static int member_parse(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	unsigned int m = 0, bit, others = 0;

	while (m < N_MEMBERS &&
		(strlen(members[m]) != event->size ||
			memcmp(members[m], event->text, event->size) != 0))
		m++;
	if (m == N_MEMBERS)
		return apsp_refuse(err, event->place,
			"found the member '%s', expected " FORMS,
			apsp_excerpt_of(event->text, event->size).text);
	bit = 1u << m;
	if (self->seen & bit)
		return apsp_refuse(err, event->place,
			"found '%s' a second time, expected it once",
			members[m]);
	if (bit & LISTS_VERTICES)
		others = self->seen & LISTS_VERTICES;
	else if (bit & LISTS_ARCS)
		others = self->seen & LISTS_ARCS;
	if (others)
		return apsp_refuse(err, event->place,
			"found '%s' after '%s', expected one of them, once",
			members[m], members[__builtin_ctz(others)]);
	self->member = (enum member)m;
	self->seen |= bit;
	if (m == MEMBER_ADJACENCY && !(self->seen & LISTS_VERTICES))
		return apsp_refuse(err, event->place,
			"found 'adjacency' before 'nodes', which name its "
			"rows");
	/* in an undirected graph, each link also means the reverse arc; but
	   "adjacency" already contains each arc in both directions */
	if (bit & LISTS_ARCS && m != MEMBER_ADJACENCY && self->two_ways)
		self->builder->file.undirected = true;
	return columns_check(self, event, err);
}

static int directed_parse(struct json *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (event->kind != APSP_JSON_WORD || *event->text == 'n')
		return apsp_json_event_refuse(event, "true or false", err);
	self->two_ways = *event->text == 'f';
	if (self->two_ways && self->builder->file.directed)
		return apsp_refuse(err, event->place,
			"found \"directed\":false, but the request says "
			"undirected=false; leave one of them out");
	if (self->two_ways && self->seen & LISTS_ARCS &&
		!(self->seen & 1u << MEMBER_ADJACENCY))
		return apsp_refuse(err, event->place,
			"found 'directed' after the arcs that it is about, "
			"expected it before them");
	return 0;
}

static int listed_add(struct json *self, uint32_t v,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	const char *label;
	size_t size;

	if (apsp_vertex_marks_has(&self->listed, v)) {
		label = apsp_labels_get(self->builder->labels, v, &size);
		return apsp_refuse(err, event->place,
			"found the vertex '%s' a second time, expected it once",
			apsp_excerpt_of(label, size).text);
	}
	self->n_listed++;
	return apsp_vertex_marks_add(&self->listed, v, err);
}

static int part_parse(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const uint32_t before = self->builder->labels->count;
	const unsigned int part = self->n_parts++;
	int r;

	self->place = event->place;
	if (part == 2 && (event->kind == APSP_JSON_NUMBER ||
				 event->kind == APSP_JSON_WORD)) {
		r = apsp_graph_builder_weighted(self->builder,
			APSP_MEANING_UNSAID, NULL, event->place, err);
		if (r == 0)
			r = apsp_graph_builder_weight(self->builder,
				event->text, event->size, event->place,
				&self->weight, err);
		self->missing = r == 1;
		return r < 0 ? r : 0;
	}
	if (part == 2)
		return apsp_json_event_refuse(event, "a number as weight", err);
	if (part > 2)
		return apsp_json_event_refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	r = vertex_read(self, event, &self->ends[part], err);
	if (r == 0 && self->seen & LISTS_VERTICES && self->ends[part] >= before)
		return apsp_refuse(err, event->place,
			"found the vertex '%s', which is not among the "
			"vertices",
			apsp_excerpt_of(event->text, event->size).text);
	return r;
}

/* Parse an event inside "arcs". */
static int arcs_parse(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const bool ends = event->kind == APSP_JSON_ARRAY_END;

	if (event->depth == 3)
		return part_parse(self, event, err);
	if ((!ends && event->kind != APSP_JSON_ARRAY) ||
		(ends && self->n_parts < 2))
		return apsp_json_event_refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	if (ends && self->missing)
		return 0;
	if (ends)
		return apsp_graph_builder_arc(self->builder, self->ends[0],
			self->ends[1], self->weight, self->place, err);
	self->n_parts = 0;
	self->weight = 1;
	self->missing = false;
	return 0;
}

/* The current object is complete: add the vertex of a node, or the arc of a
   link or neighbour. */
static int item_end(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const struct apsp_json_value *values = self->item.values;
	const struct apsp_json_value *weight = &values[APSP_ROLE_WEIGHT];
	const char *wanted = self->builder->file.columns[APSP_ROLE_WEIGHT];
	const bool link = self->item.kind == APSP_JSON_ITEM_LINK;
	uint32_t tail = self->row, head;
	double w;
	int r = apsp_json_item_end(&self->item, self->builder, err);

	if (r < 0)
		return r;
	if (!link && !values[APSP_ROLE_TO].found)
		return apsp_refuse(err, event->place,
			"found an object without 'id', expected one with it");
	if (link &&
		(!values[APSP_ROLE_FROM].found || !values[APSP_ROLE_TO].found))
		return apsp_refuse(err, event->place,
			"found a link without 'source' and 'target' (or the "
			"names of from_column and to_column)");
	if (link)
		r = vertex_read(
			self, &values[APSP_ROLE_FROM].event, &tail, err);
	if (r == 0)
		r = vertex_read(self, &values[APSP_ROLE_TO].event, &head, err);
	if (r < 0)
		return r;
	if (self->item.kind == APSP_JSON_ITEM_NODE)
		return listed_add(self, head, event, err);
	if (*wanted && !weight->found)
		return apsp_refuse(err, event->place,
			"found a link without '%s', which weight_column names",
			wanted);
	r = apsp_json_item_weight(&self->item, self->builder, &w, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return apsp_graph_builder_arc(self->builder, tail, head, w,
		weight->found ? weight->event.place : event->place, err);
}

/* Parse an event inside a list of objects; `depth` is the depth of these
   objects. */
static int objects_parse(struct json *self, unsigned int depth,
	enum apsp_json_item_kind kind, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	if (event->depth > depth + 1)
		return 0; /* ignore values inside an attribute */
	if (event->depth > depth && event->kind == APSP_JSON_KEY)
		return apsp_json_item_key(
			&self->item, event, self->builder, err);
	if (event->depth > depth) {
		apsp_json_item_value(&self->item, event);
		return 0;
	}
	if (event->kind == APSP_JSON_OBJECT) {
		apsp_json_item_begin(&self->item, kind);
		return 0;
	}
	if (event->kind != APSP_JSON_OBJECT_END)
		return apsp_json_event_refuse(event,
			kind == APSP_JSON_ITEM_LINK
				? "a link {\"source\":…,\"target\":…}"
				: "an object {\"id\":…}",
			err);
	return item_end(self, event, err);
}

/* Parse an event inside "adjacency": row i has the neighbours of node i. */
static int adjacency_parse(struct json *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (event->depth > 2)
		return objects_parse(
			self, 3, APSP_JSON_ITEM_NEIGHBOUR, event, err);
	if (event->kind == APSP_JSON_ARRAY_END) {
		self->row++;
		return 0;
	}
	if (event->kind != APSP_JSON_ARRAY)
		return apsp_json_event_refuse(
			event, "an array of a node's neighbours", err);
	if (self->row >= self->n_listed)
		return apsp_json_event_refuse(
			event, "as many arrays as there are nodes", err);
	return 0;
}

static int on_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct json *self = ctx;
	uint32_t v;
	int r;

	if (event->depth == 0)
		return event->kind == APSP_JSON_OBJECT ||
				       event->kind == APSP_JSON_OBJECT_END
			       ? 0
			       : apsp_json_event_refuse(event, FORMS, err);
	if (event->depth == 1 && event->kind == APSP_JSON_KEY)
		return member_parse(self, event, err);
	/* The event belongs to the value of the current member, so the member
	   decides who parses it. An event at depth 1 begins or ends the value,
	   and an event at a greater depth is inside it. */
	if (self->member == MEMBER_DIRECTED)
		return directed_parse(self, event, err);
	if (self->member == MEMBER_MULTIGRAPH || self->member == MEMBER_GRAPH)
		return 0;
	if (event->depth == 1 && event->kind == APSP_JSON_ARRAY_END &&
		self->member == MEMBER_ADJACENCY && self->row < self->n_listed)
		return apsp_json_event_refuse(
			event, "as many arrays as there are nodes", err);
	if (event->depth == 1)
		return event->kind == APSP_JSON_ARRAY ||
				       event->kind == APSP_JSON_ARRAY_END
			       ? 0
			       : apsp_json_event_refuse(event, "an array", err);
	if (self->member == MEMBER_ARCS)
		return arcs_parse(self, event, err);
	if (self->member == MEMBER_ADJACENCY)
		return adjacency_parse(self, event, err);
	if (self->member != MEMBER_VERTICES)
		return objects_parse(self, 2,
			self->member == MEMBER_NODES ? APSP_JSON_ITEM_NODE
						     : APSP_JSON_ITEM_LINK,
			event, err);
	r = vertex_read(self, event, &v, err);
	return r < 0 ? r : listed_add(self, v, event, err);
}

static void json_done(void *parser)
{
	struct json *self = parser;

	free(self->reader);
	free(self->listed.words);
}

static int json_open(void *parser, struct apsp_err *err)
{
	struct json *self = parser;

	return apsp_json_reader_new(on_event, self, &self->reader, err);
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
	if (!(self->seen & LISTS_ARCS))
		return apsp_fail(err, APSP_EDATA,
			"the object has no 'arcs', 'links' or 'adjacency', "
			"expected " FORMS);
	if (!(self->seen & LISTS_VERTICES) || self->n_listed == labels->count)
		return 0;
	/* The list of vertices lacks a label. The label was read in a link, or
	   in an arc that comes before the list in the file. Find the first such
	   label. */
	while (apsp_vertex_marks_has(&self->listed, v))
		v++;
	return apsp_fail(err, APSP_EDATA,
		"an arc names the vertex '%s', which is not among the vertices",
		apsp_excerpt_of(apsp_labels_get(labels, v, NULL),
			strlen(apsp_labels_get(labels, v, NULL)))
			.text);
}

const struct apsp_parser apsp_parser_json = {
	sizeof(struct json), json_open, json_feed, json_end, json_done};
