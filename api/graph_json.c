/*
 * A graph, its generations and profiles as JSON: one snapshot, read once.
 */
#include "api/graph_json.h"

#include <string.h>

#include "api/job_json.h"
#include "api/reply.h"

static json_t *rule_json(const struct apsp_profile *rule)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "transform",
		apsp_transform_name(rule->transform), "duplicates",
		apsp_duplicates_name(rule->duplicates), "invalid",
		apsp_invalid_name(rule->invalid), "precision",
		apsp_precision_name(rule->precision), "min_weight",
		rule->has_min_weight ? apsp_json_number(rule->min_weight)
				     : json_null(),
		"algorithm",
		*rule->algorithm ? json_string(rule->algorithm) : json_null());
}

static bool rule_equal(
	const struct apsp_profile *a, const struct apsp_profile *b)
{
	char text_a[APSP_PROFILE_TEXT_SIZE], text_b[APSP_PROFILE_TEXT_SIZE];

	apsp_profile_format(a, text_a);
	apsp_profile_format(b, text_b);
	return strcmp(text_a, text_b) == 0;
}

/* The tables that are served, whatever the newest definition's job does. */
static json_t *tables_json(const struct apsp_profile_view *profile)
{
	const struct apsp_table_header *header;
	uint32_t element;

	if (!profile->tables)
		return json_pack("{s:n, s:n, s:n, s:n}", "table", "arcs",
			"element", "served");
	header = apsp_tables_header(profile->tables);
	element = header->sections[APSP_SECTION_DISTANCE].element;
	return json_pack("{s:s, s:I, s:s, s:o}", "table",
		apsp_tables_id(profile->tables), "arcs",
		(json_int_t)header->n_arcs, "element",
		apsp_element_name((enum apsp_element)element), "served",
		rule_equal(&profile->rule, &profile->tables_rule)
			? json_null()
			: rule_json(&profile->tables_rule));
}

static const char *profile_state(const struct apsp_profile_view *profile)
{
	if (!profile->job && profile->tables)
		return apsp_job_state_name(APSP_JOB_SUCCEEDED);
	return apsp_job_state_name(profile->job_state);
}

/* Move the members of *from, which is taken over, to the end of to. */
static int object_merge(json_t *to, json_t *from)
{
	int r = to && from ? json_object_update(to, from) : -1;

	json_decref(from);
	return r;
}

json_t *apsp_profile_view_json(const struct apsp_profile_view *profile)
{
	json_t *out = rule_json(&profile->rule);
	json_t *job =
		json_pack("{s:s, s:o, s:o}", "state", profile_state(profile),
			"job", apsp_job_id_json(profile->job), "error",
			profile->job_error.code
				? apsp_problem_json(&profile->job_error, NULL)
				: json_null());

	if (object_merge(out, job) < 0 ||
		object_merge(out, tables_json(profile)) < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *profiles_json(const struct apsp_generation *generation)
{
	json_t *out = json_object();

	for (size_t i = 0; out && i < generation->n_profiles; i++) {
		const struct apsp_profile_view *p = &generation->profiles[i];

		if (json_object_set_new(
			    out, p->name, apsp_profile_view_json(p)) < 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *generation_json(const struct apsp_generation *generation)
{
	if (!generation)
		return json_pack("{s:n, s:n, s:n, s:n, s:n, s:{}}", "revision",
			"vertices", "arcs", "format", "uploaded_at",
			"profiles");
	return json_pack("{s:s, s:I, s:I, s:s, s:o, s:o}", "revision",
		generation->revision, "vertices",
		(json_int_t)generation->n_vertices, "arcs",
		(json_int_t)generation->n_arcs, "format",
		apsp_format_name(generation->format), "uploaded_at",
		apsp_json_time(generation->uploaded_at_ms), "profiles",
		profiles_json(generation));
}

/* Why a pending generation does not become the current one: `default` failed.
 */
static json_t *pending_json(const struct apsp_generation *generation)
{
	const struct apsp_profile_view *profile;
	json_t *out, *error;

	if (!generation)
		return json_null();
	profile = apsp_generation_profile(generation, "default");
	error = profile && profile->job_error.code
			? apsp_problem_json(&profile->job_error, NULL)
			: json_null();
	out = generation_json(generation);
	if (!out) {
		json_decref(error);
		return NULL;
	}
	if (json_object_set_new(out, "error", error) < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

json_t *apsp_graph_json(const struct apsp_graph_view *view)
{
	json_t *out = json_pack("{s:s}", "name", view->name);

	if (object_merge(out, generation_json(view->current)) < 0 ||
		json_object_set_new(
			out, "pending", pending_json(view->pending)) < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}
