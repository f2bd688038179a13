/*
 * The first member of a bundle; see bundle_manifest.h.
 */
#include "api/graphs/bundle_manifest.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/graphs/graph_json.h"
#include "storage/snapshots/rule_text.h"

/* Whether the profile answers by a rule that can be read. */
static bool answers(const struct apsp_profile_snapshot *profile)
{
	return profile->tables && profile->tables_transform;
}

/* Return the rule by which the profile answers. If there is no such rule,
   return the rule that a later upload keeps. Borrowed. */
static const struct apsp_profile *rule_get(
	const struct apsp_profile_snapshot *profile)
{
	return answers(profile) ? &profile->tables_rule
				: apsp_profile_kept_rule(profile);
}

bool apsp_bundle_has_tables(const struct apsp_bundle_choice *choice,
	const struct apsp_profile_snapshot *profile)
{
	return answers(profile) && !choice->no_tables &&
	       (!choice->profile ||
		       strcmp(profile->name, choice->profile) == 0);
}

void apsp_bundle_tables_name(const struct apsp_profile_snapshot *profile,
	char out[APSP_BUNDLE_TABLES_SIZE])
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];

	apsp_rule_text_write(rule_get(profile), NULL, text, hash);
	snprintf(out, APSP_BUNDLE_TABLES_SIZE, "tables/%s.apsp", hash);
}

static const char *byte_order(void)
{
	const uint16_t one = 1;

	return *(const unsigned char *)&one ? "little" : "big";
}

static json_t *tables_json(const struct apsp_bundle_choice *choice,
	const struct apsp_profile_snapshot *profile)
{
	const struct apsp_table_header *header;
	char name[APSP_BUNDLE_TABLES_SIZE], checksum[17];

	if (!apsp_bundle_has_tables(choice, profile))
		return json_null();
	header = &profile->tables->header;
	apsp_bundle_tables_name(profile, name);
	snprintf(checksum, sizeof(checksum), "%016" PRIx64,
		header->header_checksum);
	return json_pack("{s:s, s:I, s:i, s:s}", "member", name, "bytes",
		(json_int_t)header->file_size, "version", (int)header->version,
		"checksum", checksum);
}

static json_t *profile_json(const struct apsp_bundle_choice *choice,
	const struct apsp_profile_snapshot *profile)
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];

	apsp_rule_text_write(rule_get(profile), NULL, text, hash);
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", profile->name,
		"rule", text, "hash", hash, "state",
		answers(profile) ? "ready"
				 : apsp_profile_snapshot_state(profile),
		"tables", tables_json(choice, profile));
}

static json_t *attributes_json(const struct apsp_attributes *attributes)
{
	json_t *names;

	if (!attributes)
		return json_null();
	names = json_array();
	for (uint32_t c = 0; c < attributes->n_columns; c++)
		json_array_append_new(
			names, json_string(attributes->columns[c].name));
	return json_pack(
		"{s:o, s:s}", "columns", names, "sha256", attributes->sha256);
}

int apsp_bundle_manifest(const char *graph,
	const struct apsp_generation *generation,
	const struct apsp_bundle_choice *choice, char **out, size_t *out_size,
	struct apsp_err *err)
{
	const struct apsp_origin *origin = &generation->origin;
	json_t *profiles = json_array(), *all;
	char *text;

	for (size_t i = 0; i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *p =
			&generation->profiles[i];

		if (choice->profile && strcmp(p->name, choice->profile) != 0 &&
			strcmp(p->name, "default") != 0)
			continue;
		if (p->unreadable.code) {
			json_decref(profiles);
			return apsp_fail(err, APSP_EROW,
				"the rule of profile '%s' cannot be read (%s); "
				"delete the profile, or choose another one by "
				"profile=",
				p->name, p->unreadable.message);
		}
		json_array_append_new(profiles, profile_json(choice, p));
	}
	all = json_pack("{s:s, s:i, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}",
		"format", "apspd bundle", "version", (int)APSP_BUNDLE_VERSION,
		"byte_order", byte_order(), "graph", graph, "revision",
		generation->revision, "vertices",
		(json_int_t)generation->n_vertices, "arcs",
		(json_int_t)generation->n_arcs, "derived_from",
		!origin->question
			? json_null()
			: json_pack("{s:s, s:s, s:s}", "graph", origin->graph,
				  "revision", origin->revision, "question",
				  origin->question),
		"attributes", attributes_json(generation->attributes),
		"profiles", profiles);
	if (*generation->weight_unit)
		json_object_set_new(all, "weight_unit",
			json_string(generation->weight_unit));
	text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
	json_decref(all);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a bundle");
	*out = text;
	*out_size = strlen(text);
	return 0;
}
