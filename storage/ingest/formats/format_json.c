/*
 * The format json: an object in one of three forms, with members in any order.
 *
 *	{"vertices":["a",…],"arcs":[["a","b",2.5],…]}
 *	{"nodes":[{"id":"a"},…],"links":[{"source":"a","target":"b",…},…]}
 *	{"nodes":[{"id":"a"},…],"adjacency":[[{"id":"b","weight":2},…],…]}
 *
 * The last two are NetworkX's node_link_data() and adjacency_data(); "edges" is
 * another name of "links". "vertices" and "nodes" may be omitted, except before
 * "adjacency", whose rows they name. If present, they must name every vertex. A
 * missing weight is 1. Other members are refused, because they may be misspelt.
 */
#include <string.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/json_links.h"
#include "storage/ingest/formats/parser.h"

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
	enum member member;   /* the current one */
	unsigned int seen;    /* a bit for each member */
	bool two_ways;	      /* "directed":false */
	uint32_t n_listed;    /* vertices in "vertices" or "nodes" */
	uint32_t row;	      /* current row of "adjacency" */
	unsigned int n_parts; /* parts of the current arc so far */
	uint32_t ends[2];
	double weight;
	struct apsp_text_position place;       /* last part of the arc */
	struct apsp_json_item object;	       /* the current one */
	uint8_t listed[APSP_VERTICES_MAX / 8]; /* a bit for each index */
};

/* Whether both members list vertices, or both list arcs. */
static bool alike(enum member a, enum member b)
{
	const unsigned int both = 1u << a | 1u << b;

	return (both & ~LISTS_VERTICES) == 0 || (both & ~LISTS_ARCS) == 0;
}

/* Refuse names of columns that do not apply to this member. */
static int columns_check(const struct json *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	static const char *const options[APSP_N_ROLES] = {
		"from_column", "to_column", "weight_column"};

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
				options[role]);
		if (self->member == MEMBER_ADJACENCY &&
			role != APSP_ROLE_WEIGHT)
			return apsp_refuse(err, event->place,
				"%s names a member of 'links'; a row of "
				"'adjacency' is a node, and its neighbours "
				"have an 'id'",
				options[role]);
	}
	return 0;
}

static int member_begin(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	for (int m = 0; m < N_MEMBERS; m++)
		if (self->seen & 1u << m && alike((enum member)m, self->member))
			return apsp_refuse(err, event->place,
				"found '%s' after '%s', expected one of them, "
				"once",
				members[self->member], members[m]);
	self->seen |= 1u << self->member;
	if (self->member == MEMBER_ADJACENCY && !(self->seen & LISTS_VERTICES))
		return apsp_refuse(err, event->place,
			"found 'adjacency' before 'nodes', which name its "
			"rows");
	/* "adjacency" contains both directions of an undirected graph */
	if (1u << self->member & LISTS_ARCS &&
		self->member != MEMBER_ADJACENCY && self->two_ways)
		self->builder->file.undirected = true;
	return columns_check(self, event, err);
}

static int member_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	for (int m = 0; m < N_MEMBERS; m++) {
		if (strlen(members[m]) != event->size ||
			memcmp(members[m], event->text, event->size) != 0)
			continue;
		self->member = (enum member)m;
		if (self->seen & 1u << m)
			return apsp_refuse(err, event->place,
				"found '%s' a second time, expected it once",
				members[m]);
		return member_begin(self, event, err);
	}
	return apsp_refuse(err, event->place,
		"found the member '%s', expected " FORMS,
		apsp_excerpt_of(event->text, event->size).text);
}

static int directed_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	if (event->kind != APSP_JSON_WORD || *event->text == 'n')
		return apsp_json_refuse(event, "true or false", err);
	self->two_ways = *event->text == 'f';
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
	const uint8_t bit = (uint8_t)(1 << (v & 7));
	const char *label;
	size_t size;

	if (self->listed[v / 8] & bit) {
		label = apsp_labels_get(self->builder->labels, v, &size);
		return apsp_refuse(err, event->place,
			"found the vertex '%s' a second time, expected it once",
			apsp_excerpt_of(label, size).text);
	}
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
		return apsp_json_refuse(event, "a number as weight", err);
	if (part > 2)
		return apsp_json_refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	r = apsp_json_vertex(self->builder, event, &self->ends[part], err);
	if (r == 0 && self->seen & LISTS_VERTICES && self->ends[part] >= before)
		return apsp_refuse(err, event->place,
			"found the vertex '%s', which is not among the "
			"vertices",
			apsp_excerpt_of(event->text, event->size).text);
	return r;
}

/* Parse an event inside "arcs". */
static int arcs_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const bool ends = event->kind == APSP_JSON_ARRAY_END;

	if (event->depth == 3)
		return part_take(self, event, err);
	if ((!ends && event->kind != APSP_JSON_ARRAY) ||
		(ends && self->n_parts < 2))
		return apsp_json_refuse(
			event, "an arc [from, to] or [from, to, weight]", err);
	if (ends)
		return apsp_graph_builder_arc(self->builder, self->ends[0],
			self->ends[1], self->weight, self->place, err);
	self->n_parts = 0;
	self->weight = 1;
	return 0;
}

/* Parse an event in a list of objects at this depth. */
static int objects_take(struct json *self, enum apsp_json_part part,
	unsigned int depth, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	struct apsp_json_item *object = &self->object;
	int r;

	if (event->depth > depth)
		return apsp_json_item_take(
			object, part, depth + 1, self->builder, event, err);
	if (event->kind == APSP_JSON_OBJECT) {
		*object = (struct apsp_json_item){0};
		return 0;
	}
	if (event->kind != APSP_JSON_OBJECT_END)
		return apsp_json_refuse(event,
			part == APSP_JSON_LINK
				? "a link {\"source\":…,\"target\":…}"
				: "an object {\"id\":…}",
			err);
	r = apsp_json_item_end(
		object, part, self->row, self->builder, event, err);
	if (r == 0 && part == APSP_JSON_NODE)
		r = listed_add(self, object->ends[1], event, err);
	return r;
}

/* Parse an event inside "adjacency": row i has the neighbours of node i. */
static int adjacency_take(struct json *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (event->depth > 2)
		return objects_take(self, APSP_JSON_NEIGHBOUR, 3, event, err);
	if (event->kind == APSP_JSON_ARRAY_END) {
		self->row++;
		return 0;
	}
	if (event->kind != APSP_JSON_ARRAY)
		return apsp_json_refuse(
			event, "an array of a node's neighbours", err);
	if (self->row >= self->n_listed)
		return apsp_json_refuse(
			event, "as many arrays as there are nodes", err);
	return 0;
}

/* Parse an event inside the current member, whose value has depth 1. */
static int inner_take(struct json *self, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	uint32_t v;
	int r;

	if (self->member == MEMBER_DIRECTED)
		return directed_take(self, event, err);
	if (self->member == MEMBER_MULTIGRAPH || self->member == MEMBER_GRAPH)
		return 0;
	if (event->depth == 1)
		return event->kind == APSP_JSON_ARRAY ||
				       event->kind == APSP_JSON_ARRAY_END
			       ? 0
			       : apsp_json_refuse(event, "an array", err);
	if (self->member == MEMBER_VERTICES) {
		r = apsp_json_vertex(self->builder, event, &v, err);
		return r < 0 ? r : listed_add(self, v, event, err);
	}
	if (self->member == MEMBER_ARCS)
		return arcs_take(self, event, err);
	if (self->member == MEMBER_ADJACENCY)
		return adjacency_take(self, event, err);
	return objects_take(self,
		self->member == MEMBER_NODES ? APSP_JSON_NODE : APSP_JSON_LINK,
		2, event, err);
}

static int on_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct json *self = ctx;

	if (event->depth == 0)
		return event->kind == APSP_JSON_OBJECT ||
				       event->kind == APSP_JSON_OBJECT_END
			       ? 0
			       : apsp_json_refuse(event, FORMS, err);
	if (event->depth == 1 && event->kind == APSP_JSON_KEY)
		return member_take(self, event, err);
	return inner_take(self, event, err);
}

static void json_done(void *parser)
{
	struct json *self = parser;

	apsp_json_reader_free(self->reader);
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
	if (!(self->seen & LISTS_VERTICES) ||
		self->n_listed == apsp_labels_count(labels))
		return 0;
	/* an arc before the list, or a link, names a vertex that is not in it
	 */
	while (self->listed[v / 8] & 1 << (v & 7))
		v++;
	return apsp_fail(err, APSP_EDATA,
		"an arc names the vertex '%s', which is not among the vertices",
		apsp_excerpt_of(apsp_labels_get(labels, v, NULL),
			strlen(apsp_labels_get(labels, v, NULL)))
			.text);
}

const struct apsp_parser apsp_parser_json = {
	sizeof(struct json), json_open, json_feed, json_end, json_done};
