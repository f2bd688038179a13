/*
 * A graph as JSON; see graph_json.h.
 */
#include "api/graphs/graph_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/encode/json.h"
#include "api/encode/problem.h"
#include "api/job_json.h"
#include "api/rule_json.h"
#include "daemon/job/profile_text.h"
#include "storage/attributes/attributes.h"

/*
 * Return an object about the tables in which the profile's distances are looked
 * up. After a change of the profile's rule, these are the tables of the
 * previous rule until the tables of the new rule are computed.
 */
static json_t *tables_json(const struct apsp_profile_snapshot *profile)
{
	const struct apsp_table_header *header;
	uint32_t element;

	if (!profile->tables)
		return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n}", "table",
			"arcs", "left_out", "element", "holds", "served");
	header = &profile->tables->header;
	element = header->sections[APSP_SECTION_DISTANCE].element;
	return json_pack("{s:s, s:I, s:I, s:s, s:s, s:o}", "table",
		profile->tables->id, "arcs", (json_int_t)header->n_arcs,
		"left_out", (json_int_t)profile->choice.n_left_out, "element",
		apsp_element_name((enum apsp_element)element), "holds",
		apsp_table_on_demand(header) ? "none"
		: apsp_table_holds(header, APSP_SECTION_DISTANCE) &&
				apsp_table_holds(
					header, APSP_SECTION_PREDECESSOR)
			? "all"
			: "distance",
		"served",
		!profile->tables_transform || profile->unreadable.code ||
				apsp_profile_equal(
					&profile->rule, &profile->tables_rule)
			? json_null()
			: apsp_profile_rule_json(&profile->tables_rule));
}

const char *apsp_profile_snapshot_state(
	const struct apsp_profile_snapshot *profile)
{
	if (profile->unreadable.code && !profile->tables)
		return "failed";
	if (apsp_job_state_active(profile->job_state))
		return "computing";
	if (profile->tables_trouble.code)
		return "closed";
	if (profile->tables && profile->tables_newest)
		return "ready";
	if (!profile->job)
		return "waiting";
	return apsp_job_state_names[profile->job_state];
}

/*
 * Return, as JSON, the error that explains why the profile's newest rule has no
 * usable tables. Returns JSON null if there is no such error.
 */
static json_t *error_json(
	const char *base, const struct apsp_profile_snapshot *profile)
{
	const struct apsp_err *all[] = {&profile->unreadable,
		&profile->tables_trouble, &profile->job_error};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i]->code)
			return apsp_problem_json(all[i], base, NULL);
	return json_null();
}

json_t *apsp_profile_snapshot_json(const char *base, const char *weight_unit,
	const struct apsp_profile_snapshot *profile)
{
	json_t *out = apsp_profile_rule_json(
		profile->unreadable.code ? NULL : &profile->rule);
	char unit[APSP_LENGTH_UNIT_SIZE]; /* unit of the lengths in the
					     profile's present answers */
	json_t *job;

	apsp_unit_of_lengths(
		profile->tables ? &profile->tables_rule : &profile->rule,
		weight_unit, unit);
	job = json_pack("{s:s, s:o, s:o, s:o}", "state",
		apsp_profile_snapshot_state(profile), "job",
		apsp_job_id_json(profile->job), "error",
		error_json(base, profile), "length_unit", apsp_json_text(unit));
	return apsp_json_join(apsp_json_join(out, job), tables_json(profile));
}

static json_t *profiles_json(
	const char *base, const struct apsp_generation *generation)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *p =
			&generation->profiles[i];

		out = apsp_json_append(
			out, apsp_json_join(json_pack("{s:s}", "name", p->name),
				     apsp_profile_snapshot_json(base,
					     generation->weight_unit, p)));
	}
	return out;
}

/* Return a list of the names of the vertices' attributes. */
static json_t *attributes_json(const struct apsp_attributes *attributes)
{
	json_t *names = json_array();
	uint32_t n = attributes ? attributes->n_columns : 0;

	for (uint32_t c = 0; names && c < n; c++)
		names = apsp_json_append(
			names, json_string(attributes->columns[c].name));
	return names;
}

json_t *apsp_origin_json(const struct apsp_origin *origin)
{
	json_t *out, *question;

	if (!origin->question)
		return json_null();
	out = json_pack("{s:s, s:s}", "graph", origin->graph, "revision",
		origin->revision);
	/* leave the question out if another program has damaged its text */
	question = json_loads(origin->question, JSON_REJECT_DUPLICATES, NULL);
	if (question)
		json_object_update_missing(out, question);
	json_decref(question);
	return out;
}

static json_t *generation_json(
	const char *base, const struct apsp_generation *generation)
{
	if (!generation)
		return json_pack(
			"{s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:[], s:[]}",
			"revision", "vertices", "arcs", "format", "uploaded_at",
			"weight_unit", "derived_from", "attributes",
			"profiles");
	return json_pack("{s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o}",
		"revision", generation->revision, "vertices",
		(json_int_t)generation->n_vertices, "arcs",
		(json_int_t)generation->n_arcs, "format",
		apsp_formats[generation->format].name, "uploaded_at",
		apsp_json_time(generation->uploaded_at_ms), "weight_unit",
		apsp_json_text(generation->weight_unit), "derived_from",
		apsp_origin_json(&generation->origin), "attributes",
		attributes_json(generation->attributes), "profiles",
		profiles_json(base, generation));
}

/*
 * Returns the pending upload as JSON. An upload is pending until its profile
 * `default` has tables. The member "error" says why the job of this profile
 * failed.
 */
static json_t *pending_json(
	const char *base, const struct apsp_generation *generation)
{
	const struct apsp_profile_snapshot *profile;
	json_t *error;

	if (!generation)
		return json_null();
	profile = apsp_generation_profile(generation, "default");
	error = profile && profile->job_error.code
			? apsp_problem_json(&profile->job_error, base, NULL)
			: json_null();
	return apsp_json_join(generation_json(base, generation),
		json_pack("{s:o}", "error", error));
}

json_t *apsp_graph_json(
	const char *base, const struct apsp_graph_snapshot *snapshot)
{
	char stamp[17];
	json_t *out;

	snprintf(stamp, sizeof(stamp), "%016" PRIx64, snapshot->stamp);
	out = json_pack("{s:s, s:s}", "name", snapshot->name, "stamp", stamp);
	out = apsp_json_join(out, generation_json(base, snapshot->current));
	return apsp_json_join(
		out, json_pack("{s:o}", "pending",
			     pending_json(base, snapshot->pending)));
}
