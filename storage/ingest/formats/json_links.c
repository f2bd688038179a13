/*
 * Objects of NetworkX's JSON; see json_links.h. Members have the names of
 * columns (edge_columns.h), so an edge list and its JSON are read alike.
 */
#include "storage/ingest/formats/json_links.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/edge_columns.h"

int apsp_json_refuse(const struct apsp_json_event *event, const char *expected,
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

int apsp_json_vertex(struct apsp_graph_builder *builder,
	const struct apsp_json_event *event, uint32_t *out,
	struct apsp_err *err)
{
	bool integer = event->kind == APSP_JSON_NUMBER &&
		       !memchr(event->text, '.', event->size) &&
		       !memchr(event->text, 'e', event->size) &&
		       !memchr(event->text, 'E', event->size);

	if (!integer && event->kind != APSP_JSON_STRING)
		return apsp_json_refuse(event,
			"a vertex label: a string or a whole number", err);
	return apsp_graph_builder_vertex(
		builder, event->text, event->size, event->place, out, err);
}

/* The role of a member with this name, or APSP_N_ROLES. */
static int role_of(const struct apsp_json_event *key, enum apsp_json_part part,
	const struct apsp_file_options *file, int *rank)
{
	*rank = 0;
	if (part != APSP_JSON_LINK && key->size == 2 &&
		memcmp(key->text, "id", 2) == 0)
		return APSP_ROLE_TO;
	for (int role = part == APSP_JSON_LINK ? 0 : APSP_ROLE_WEIGHT;
		part != APSP_JSON_NODE && role < APSP_N_ROLES; role++) {
		*rank = apsp_edge_name_rank((enum apsp_role)role,
			file->columns[role], key->text, key->size);
		if (*rank >= 0)
			return role;
	}
	return APSP_N_ROLES;
}

/* Note in the receipt whether a member is read. */
static void member_report(struct apsp_findings *findings, int role,
	const struct apsp_json_event *key)
{
	if (role < APSP_N_ROLES && !*findings->columns[role])
		snprintf(findings->columns[role], APSP_COLUMN_SIZE, "%s",
			apsp_excerpt_of(key->text, key->size).text);
	else if (role == APSP_N_ROLES)
		apsp_findings_ignore(findings, key->text, key->size);
}

static int key_take(struct apsp_json_item *object, enum apsp_json_part part,
	struct apsp_graph_builder *builder, const struct apsp_json_event *key,
	struct apsp_err *err)
{
	int rank, role = role_of(key, part, &builder->file, &rank);

	object->wanted = 0;
	if (part != APSP_JSON_NODE)
		member_report(&builder->findings, role, key);
	if (role == APSP_N_ROLES)
		return 0;
	if (object->has[role] && object->rank[role] == rank)
		return apsp_refuse(err, key->place,
			"found '%s' a second time, expected it once",
			apsp_excerpt_of(key->text, key->size).text);
	if (object->has[role] && object->rank[role] < rank)
		return 0;
	object->has[role] = true;
	object->rank[role] = rank;
	object->wanted = (unsigned int)role + 1;
	if (role != APSP_ROLE_WEIGHT)
		return 0;
	return apsp_graph_builder_weighted(builder,
		apsp_edge_name_says_lengths(key->text, key->size)
			? APSP_MEANING_LENGTHS
			: APSP_MEANING_UNSAID,
		apsp_excerpt_of(key->text, key->size).text, key->place, err);
}

static int weight_take(struct apsp_json_item *object,
	struct apsp_graph_builder *builder, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	int r;

	if (event->kind != APSP_JSON_NUMBER && event->kind != APSP_JSON_WORD)
		return apsp_json_refuse(event, "a number as weight", err);
	r = apsp_graph_builder_weight(builder, event->text, event->size,
		event->place, &object->weight, err);
	object->missing = r == 1;
	object->place = event->place;
	return r < 0 ? r : 0;
}

int apsp_json_item_take(struct apsp_json_item *object, enum apsp_json_part part,
	unsigned int depth, struct apsp_graph_builder *builder,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	const unsigned int role = object->wanted - 1;

	if (event->depth > depth)
		return 0; /* within an attribute */
	if (event->kind == APSP_JSON_KEY)
		return key_take(object, part, builder, event, err);
	if (!object->wanted)
		return 0;
	object->wanted = 0;
	if (role == APSP_ROLE_WEIGHT)
		return weight_take(object, builder, event, err);
	return apsp_json_vertex(builder, event, &object->ends[role], err);
}

int apsp_json_item_end(const struct apsp_json_item *object,
	enum apsp_json_part part, uint32_t from,
	struct apsp_graph_builder *builder, const struct apsp_json_event *event,
	struct apsp_err *err)
{
	const bool *has = object->has;
	const bool wanted = *builder->file.columns[APSP_ROLE_WEIGHT] != '\0';

	if (part != APSP_JSON_LINK && !has[APSP_ROLE_TO])
		return apsp_refuse(err, event->place,
			"found an object without 'id', expected one with it");
	if (part == APSP_JSON_NODE)
		return 0;
	if (part == APSP_JSON_LINK &&
		(!has[APSP_ROLE_FROM] || !has[APSP_ROLE_TO]))
		return apsp_refuse(err, event->place,
			"found a link without 'source' and 'target' (or the "
			"names of from_column and to_column)");
	if (wanted && !has[APSP_ROLE_WEIGHT])
		return apsp_refuse(err, event->place,
			"found a link without '%s', which weight_column names",
			builder->file.columns[APSP_ROLE_WEIGHT]);
	if (object->missing)
		return 0;
	return apsp_graph_builder_arc(builder,
		part == APSP_JSON_LINK ? object->ends[0] : from,
		object->ends[1], has[APSP_ROLE_WEIGHT] ? object->weight : 1,
		has[APSP_ROLE_WEIGHT] ? object->place : event->place, err);
}
