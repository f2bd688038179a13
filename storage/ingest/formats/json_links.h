/*
 * Nodes, links and neighbours as NetworkX writes them in JSON: objects with an
 * id, or with two ends and a weight. Members by other names are attributes that
 * nothing is made of.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_JSON_LINKS_H
#define APSP_STORAGE_INGEST_FORMATS_JSON_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/ingest/graph_builder.h"
#include "storage/ingest/json_reader.h"

/* What the objects of a member are. */
enum apsp_json_part {
	APSP_JSON_NODE,	     /* {"id":"a"} */
	APSP_JSON_LINK,	     /* {"source":"a","target":"b","weight":2} */
	APSP_JSON_NEIGHBOUR, /* {"id":"b","weight":2}, of a node */
};

/* One object under way. Zero is none. */
struct apsp_json_item {
	unsigned int wanted; /* what the value of the last key is: a role + 1 */
	bool has[APSP_N_ROLES];
	int rank[APSP_N_ROLES]; /* of the name, where several would do */
	uint32_t ends[2];
	double weight;
	bool missing; /* the weight is, and the link is left out */
	struct apsp_text_position place;
};

/* The vertex that a string names, or a whole number by its digits. APSP_EDATA:
   it is neither; the builder's errors. */
int apsp_json_vertex(struct apsp_graph_builder *builder,
	const struct apsp_json_event *event, uint32_t *out,
	struct apsp_err *err);

/* APSP_EDATA: "found a number '3', expected <expected>". */
int apsp_json_refuse(const struct apsp_json_event *event, const char *expected,
	struct apsp_err *err);

/*
 * Take an event inside an object, whose own members have this depth.
 * APSP_EDATA, APSP_ETRANSFORM; the builder's errors.
 */
int apsp_json_item_take(struct apsp_json_item *object, enum apsp_json_part part,
	unsigned int depth, struct apsp_graph_builder *builder,
	const struct apsp_json_event *event, struct apsp_err *err);

/*
 * The object is complete: add its arc; of a neighbour, `from` is the tail.
 * APSP_EDATA: it lacks an end.
 */
int apsp_json_item_end(const struct apsp_json_item *object,
	enum apsp_json_part part, uint32_t from,
	struct apsp_graph_builder *builder, const struct apsp_json_event *event,
	struct apsp_err *err);

#endif
