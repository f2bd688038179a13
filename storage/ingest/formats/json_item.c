/*
 * An object of NetworkX in a JSON graph (json_item.h).
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/edge_columns.h"
#include "storage/ingest/formats/json_item.h"

void apsp_json_item_begin(
	struct apsp_json_item *item, enum apsp_json_item_kind kind)
{
	item->kind = kind;
	for (int role = 0; role < APSP_N_ROLES; role++)
		item->values[role].found = false;
	item->wanted = NULL;
}

/*
 * Return the role of the object's member `key`; APSP_N_ROLES: it has no role. A
 * member of a link may have any name that a column of an edge list may have
 * (edge_columns.h).
 */
static int role_of(const struct apsp_json_item *item,
	const struct apsp_file_options *file, const struct apsp_json_event *key,
	int *rank)
{
	const bool link = item->kind == APSP_JSON_ITEM_LINK;

	*rank = 0;
	if (!link && key->size == 2 && memcmp(key->text, "id", 2) == 0)
		return APSP_ROLE_TO;
	if (item->kind == APSP_JSON_ITEM_NODE)
		return APSP_N_ROLES;
	for (int role = link ? 0 : APSP_ROLE_WEIGHT; role < APSP_N_ROLES;
		role++) {
		*rank = apsp_edge_name_rank((enum apsp_role)role,
			file->columns[role], key->text, key->size);
		if (*rank >= 0)
			return role;
	}
	return APSP_N_ROLES;
}

int apsp_json_item_key(struct apsp_json_item *item,
	const struct apsp_json_event *key, struct apsp_graph_builder *builder,
	struct apsp_err *err)
{
	struct apsp_findings *findings = &builder->findings;
	int rank, role = role_of(item, &builder->file, key, &rank);
	struct apsp_json_value *value;

	item->wanted = NULL;
	if (role == APSP_N_ROLES) {
		if (item->kind == APSP_JSON_ITEM_NODE)
			apsp_findings_ignore_node(
				findings, key->text, key->size);
		else
			apsp_findings_ignore(findings, key->text, key->size);
		return 0;
	}
	value = &item->values[role];
	if (value->found && value->rank == rank)
		return apsp_refuse(err, key->place,
			"found '%s' a second time, expected it once",
			apsp_excerpt_of(key->text, key->size).text);
	if (value->found && value->rank < rank) {
		apsp_findings_ignore(findings, key->text, key->size);
		return 0;
	}
	if (value->found)
		apsp_findings_ignore(
			findings, value->name.text, strlen(value->name.text));
	value->found = true;
	value->rank = rank;
	value->name = apsp_excerpt_of(key->text, key->size);
	value->says_lengths = apsp_edge_name_says_lengths(key->text, key->size);
	value->name_place = key->place;
	item->wanted = value;
	return 0;
}

void apsp_json_item_value(
	struct apsp_json_item *item, const struct apsp_json_event *event)
{
	struct apsp_json_value *value = item->wanted;

	if (!value)
		return;
	item->wanted = NULL;
	value->event = *event;
	value->event.text = value->text;
	if (event->size > 0)
		memcpy(value->text, event->text,
			event->size < APSP_JSON_VALUE_SIZE
				? event->size
				: APSP_JSON_VALUE_SIZE);
}

int apsp_json_item_end(const struct apsp_json_item *item,
	struct apsp_graph_builder *builder, struct apsp_err *err)
{
	char(*columns)[APSP_COLUMN_SIZE] = builder->findings.columns;

	for (int role = 0; role < APSP_N_ROLES; role++) {
		const struct apsp_json_value *value = &item->values[role];

		if (!value->found)
			continue;
		if (value->event.size > APSP_JSON_VALUE_SIZE)
			return apsp_refuse(err, value->event.place,
				"'%s' has %zu bytes, expected at most %d",
				apsp_excerpt_of(
					value->text, APSP_JSON_VALUE_SIZE)
					.text,
				value->event.size, APSP_JSON_VALUE_SIZE);
		if (item->kind != APSP_JSON_ITEM_NODE && !*columns[role])
			snprintf(columns[role], APSP_COLUMN_SIZE, "%s",
				value->name.text);
		if (role == APSP_ROLE_WEIGHT &&
			strcasecmp(columns[role], value->name.text) != 0)
			return apsp_refuse(err, value->name_place,
				"found the weight '%s', but an earlier weight "
				"is called '%s'; weight_column names one",
				value->name.text, columns[role]);
	}
	return 0;
}

int apsp_json_item_weight(const struct apsp_json_item *item,
	struct apsp_graph_builder *builder, double *out, struct apsp_err *err)
{
	const struct apsp_json_value *value = &item->values[APSP_ROLE_WEIGHT];
	const struct apsp_json_event *event = &value->event;
	int r;

	*out = 1;
	if (!value->found)
		return 0;
	r = apsp_graph_builder_weighted(builder,
		value->says_lengths ? APSP_MEANING_LENGTHS
				    : APSP_MEANING_UNSAID,
		value->name.text, value->name_place, err);
	if (r < 0)
		return r;
	if (event->kind != APSP_JSON_NUMBER && event->kind != APSP_JSON_WORD)
		return apsp_json_event_refuse(event, "a number as weight", err);
	return apsp_graph_builder_weight(
		builder, event->text, event->size, event->place, out, err);
}
