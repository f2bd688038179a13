/*
 * Nodes, links and neighbours as NetworkX writes them in JSON: objects with an
 * id, or with two ends and a weight. Other members are attributes, which are
 * ignored.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_JSON_LINKS_H
#define APSP_STORAGE_INGEST_FORMATS_JSON_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/ingest/graph_builder.h"
#include "storage/ingest/json_reader.h"

/* The kind of the objects in a list. */
enum apsp_json_part {
	APSP_JSON_NODE,	     /* {"id":"a"} */
	APSP_JSON_LINK,	     /* {"source":"a","target":"b","weight":2} */
	APSP_JSON_NEIGHBOUR, /* {"id":"b","weight":2}, in a node's list */
};

/* The object that is being read. */
struct apsp_json_item {
	unsigned int wanted; /* role of the last key's value, plus 1; or 0 */
	bool has[APSP_N_ROLES];
	int rank[APSP_N_ROLES]; /* position of the name, of several possible */
	uint32_t ends[2];
	double weight;
	bool missing; /* the weight is missing, and the link is left out */
	struct apsp_text_position place;
};

/*
 * Store the index of the vertex whose label is a string or the digits of a
 * whole number. APSP_EDATA: the event is neither. Errors of the builder.
 */
int apsp_json_vertex(struct apsp_graph_builder *builder,
	const struct apsp_json_event *event, uint32_t *out,
	struct apsp_err *err);

/* Fail with APSP_EDATA: "found a number '3', expected <expected>". */
int apsp_json_refuse(const struct apsp_json_event *event, const char *expected,
	struct apsp_err *err);

/*
 * Parse an event inside an object whose members have this depth. APSP_EDATA,
 * APSP_ETRANSFORM; errors of the builder.
 */
int apsp_json_item_take(struct apsp_json_item *object, enum apsp_json_part part,
	unsigned int depth, struct apsp_graph_builder *builder,
	const struct apsp_json_event *event, struct apsp_err *err);

/*
 * Add the arc of a complete object. `from` is the tail of a neighbour's arc.
 * APSP_EDATA: the object lacks an end.
 */
int apsp_json_item_end(const struct apsp_json_item *object,
	enum apsp_json_part part, uint32_t from,
	struct apsp_graph_builder *builder, const struct apsp_json_event *event,
	struct apsp_err *err);

#endif
