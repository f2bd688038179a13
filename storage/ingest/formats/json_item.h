/*
 * An object of NetworkX in a JSON graph: a node {"id":"a"}, a link
 * {"source":"a","target":"b","weight":2}, or a neighbour {"id":"b","weight":2}
 * in a node's list. Its other members are attributes, which are ignored.
 *
 * Members may be in any order, and several may have names of one role. So the
 * values are kept, and are read when the object is complete. For each role, the
 * value whose name has the lowest rank is kept.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_JSON_ITEM_H
#define APSP_STORAGE_INGEST_FORMATS_JSON_ITEM_H

#include <stdbool.h>

#include "storage/ingest/graph_builder.h"
#include "storage/ingest/json_reader.h"

enum {
	APSP_JSON_VALUE_SIZE = APSP_LABEL_MAX, /* also fits any number */
};

enum apsp_json_item_kind {
	APSP_JSON_ITEM_NODE,
	APSP_JSON_ITEM_LINK,
	APSP_JSON_ITEM_NEIGHBOUR,
};

/* The value of a member that has a role. */
struct apsp_json_value {
	bool found;
	int rank; /* place of the member's name among the role's names */
	struct apsp_excerpt name;
	bool says_lengths; /* the name says that weights are lengths */
	struct apsp_text_position name_place;
	struct apsp_json_event event;	 /* the value; its text is `text` */
	char text[APSP_JSON_VALUE_SIZE]; /* a longer text is cut */
};

/* The `id` of a node or neighbour has the role `to`. */
struct apsp_json_item {
	enum apsp_json_item_kind kind;
	struct apsp_json_value values[APSP_N_ROLES];
	struct apsp_json_value *wanted; /* where the next value is stored;
					   NULL: the next value is ignored */
};

/* An object begins. */
void apsp_json_item_begin(
	struct apsp_json_item *item, enum apsp_json_item_kind kind);

/* Parse a key of the object. The findings of `builder` record its name if the
   member is ignored. APSP_EDATA: the key was found before. */
int apsp_json_item_key(struct apsp_json_item *item,
	const struct apsp_json_event *key, struct apsp_graph_builder *builder,
	struct apsp_err *err);

/* Keep the value of the member whose key was parsed last. */
void apsp_json_item_value(
	struct apsp_json_item *item, const struct apsp_json_event *event);

/*
 * The object is complete: record the names of its members for the receipt.
 *
 * APSP_EDATA: a value was cut, or the weight has another name than the weights
 * of earlier objects. If names could differ, and a link lacked its weight,
 * another attribute of this link could be read as its weight.
 */
int apsp_json_item_end(const struct apsp_json_item *item,
	struct apsp_graph_builder *builder, struct apsp_err *err);

/* Read the weight of a link or neighbour. If the object has no weight, the
   weight is 1. If the weight is a missing value, and the profile leaves out
   rows without a weight, returns 1; then the caller leaves out the arc.
   APSP_EDATA: the weight cannot be used. */
int apsp_json_item_weight(const struct apsp_json_item *item,
	struct apsp_graph_builder *builder, double *out, struct apsp_err *err);

#endif
