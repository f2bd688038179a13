/*
 * Reads rules from queries and bodies. If a rule names an algorithm that does
 * not exist, the request is refused before a job is queued.
 */
#include "api/graphs/profile_input.h"

#include <stdio.h>
#include <string.h>

#include "api/body.h"
#include "api/encode/json.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "api/rule_json.h"
#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/number.h"
#include "storage/snapshots/default_rule.h"

int apsp_profile_input_algorithm(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err)
{
	const struct apsp_server_config *config = req->config;
	const char *name = profile->algorithm;
	char list[APSP_FIXED_LIST_SIZE];

	if (profile->tables == APSP_TABLES_NONE &&
		(*name || profile->measures != 0))
		return apsp_fail(err, APSP_EMALFORMED,
			"tables=none computes rows when they are asked for, "
			"without %s; leave out tables=none or %s",
			*name ? "a choice of algorithm" : "measures",
			*name ? "the algorithm" : "the measures");
	if (!*name)
		return 0;
	if (!apsp_fixed_text_is_among(config->algorithms, name)) {
		apsp_fixed_text_list(list, sizeof(list), config->algorithms);
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm is '%s'; expected one of: %s", name, list);
	}
	if (apsp_fixed_text_is_among(config->hops_only, name) &&
		profile->transform != APSP_TRANSFORM_HOPS)
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm %s only counts arcs: it requires "
			"transform=hops, but the transform is %s",
			name, apsp_transform_name(profile->transform));
	if (apsp_fixed_text_is_among(config->shortest_only, name) &&
		profile->path == APSP_PATH_WIDEST)
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm %s computes shortest paths only, but path "
			"is widest; leave out the algorithm or the path",
			name);
	return 0;
}

/*
 * Copy a string, or join a list of strings with commas. Returns false if
 * `value` is neither, or if the text is too long.
 */
static bool words_join(json_t *value, char out[APSP_PROFILE_VALUE_SIZE])
{
	size_t used = 0;

	out[0] = '\0';
	if (json_is_string(value))
		return apsp_fixed_text_set(
			out, APSP_PROFILE_VALUE_SIZE, json_string_value(value));
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *word = json_array_get(value, i);

		if (!json_is_string(word) ||
			used + json_string_length(word) + 2 >
				APSP_PROFILE_VALUE_SIZE)
			return false;
		used += (size_t)snprintf(out + used,
			APSP_PROFILE_VALUE_SIZE - used, "%s%s", i ? "," : "",
			json_string_value(word));
	}
	return json_is_array(value);
}

/* Copy a single condition, or join a list of conditions. A condition is a
   string, such as "type:KC". Returns false if `value` is neither a condition
   nor a list of them, or if the text is too long. */
static bool conditions_join(json_t *value, char out[APSP_PROFILE_VALUE_SIZE])
{
	out[0] = '\0';
	if (json_is_string(value))
		return apsp_conditions_add(out, json_string_value(value));
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *condition = json_array_get(value, i);

		if (!json_is_string(condition) ||
			!apsp_conditions_add(out, json_string_value(condition)))
			return false;
	}
	return json_is_array(value);
}

/*
 * Get the value of an option from the body, as text. If the body does not have
 * the option, set *out to NULL. Otherwise *out points to `text`, or to a string
 * that is borrowed from the body.
 */
static int member_read(struct apsp_request *req, json_t *body,
	enum apsp_profile_option option, const char **out,
	char text[APSP_PROFILE_VALUE_SIZE], struct apsp_err *err)
{
	enum apsp_profile_form form = apsp_profile_option_form(option);
	const char *name = apsp_profile_option_name(option), *kind;
	json_t *value = json_object_get(body, name);

	*out = NULL;
	if (!value)
		return 0;
	if ((form == APSP_FORM_CONDITIONS && conditions_join(value, text)) ||
		(form == APSP_FORM_LIST && words_join(value, text))) {
		*out = text;
	} else if (form == APSP_FORM_NUMBER && json_is_number(value)) {
		apsp_number_format(json_number_value(value), text);
		*out = text;
	} else if (form == APSP_FORM_TEXT && json_is_string(value)) {
		*out = json_string_value(value);
	}
	if (*out)
		return 0;
	kind = json_is_array(value) && (form == APSP_FORM_CONDITIONS ||
					       form == APSP_FORM_LIST)
		       ? "a list of something else"
		       : apsp_json_kind(value);
	if (form == APSP_FORM_CONDITIONS)
		return apsp_body_refuse(req, name, err,
			"%s is %s; expected a list of conditions, like "
			"[\"type:KC\", \"label:29\"], of at most %d bytes in "
			"all",
			name, kind, APSP_WITHOUT_BYTES_MAX);
	if (form == APSP_FORM_LIST)
		return apsp_body_refuse(req, name, err,
			"%s is %s; expected a list of names, like "
			"[\"betweenness\"]",
			name, kind);
	return apsp_body_refuse(req, name, err, "%s is %s; expected a %s", name,
		kind, form == APSP_FORM_NUMBER ? "number" : "string");
}

/* Whether a client's options ask for widest paths. */
static bool is_widest(const struct apsp_profile_texts *said)
{
	const char *path = said->value[APSP_OPTION_PATH];

	return path && strcmp(path, "widest") == 0;
}

/*
 * Make a rule from the options that a client sent. `kept` is the present rule
 * of the graph's profile `default`, or NULL. If the client sent a transform, or
 * path=widest (which has no transform), `kept` is ignored. Otherwise, options
 * that the client did not send are copied from `kept`: all such options if
 * `is_default` is true, else only the transform and the path, because these two
 * options define the meaning of weights. APSP_EMALFORMED: an option has a bad
 * value. APSP_ETRANSFORM: `kept` has path=widest, which does not say whether
 * weights are lengths, and the client sent another path without a transform.
 */
static int parse(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err)
{
	char values[APSP_PROFILE_OPTIONS][APSP_PROFILE_VALUE_SIZE];
	struct apsp_profile_texts texts = *said;
	int n = is_default ? APSP_PROFILE_OPTIONS : APSP_OPTION_TRANSFORM + 1;
	struct apsp_profile rule;
	int r;

	if (!kept || said->value[APSP_OPTION_TRANSFORM] || is_widest(said))
		n = 0;
	for (int i = 0; i < APSP_PROFILE_OPTIONS && n > 0; i++) {
		/* if the option `transform` is copied from `kept`, copy the
		   option `path`, too: the meaning of weights depends on both
		   options */
		bool is_kept = i < n || i == APSP_OPTION_PATH;

		if (is_kept && !texts.value[i] &&
			apsp_profile_option_print(
				kept, (enum apsp_profile_option)i, values[i]))
			texts.value[i] = values[i];
	}
	r = apsp_profile_parse(&texts, &rule, err);
	if (r < 0)
		return r;
	if (n > 0 && kept->path == APSP_PATH_WIDEST && rule.path != kept->path)
		return apsp_fail(err, APSP_ETRANSFORM,
			"the rule of the graph has path=widest, which does not "
			"say whether weights are lengths (less is nearer) or "
			"strengths, like counts of synapses (more is nearer): "
			"with path=shortest, say transform=none if they are "
			"lengths, transform=inv (length 1/w) if they are "
			"strengths");
	*out = rule;
	return 0;
}

/*
 * If the client did not send the option `duplicates` (`said`), and the rule has
 * the path and the transform of `kept`, copy `duplicates` from `kept`. For
 * example, `kept` may have `sum`, because its upload had weight_column=count.
 * If `kept` is NULL, do nothing.
 */
static void duplicates_keep(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, struct apsp_profile *rule)
{
	if (kept && !said->value[APSP_OPTION_DUPLICATES] &&
		rule->path == kept->path && rule->transform == kept->transform)
		rule->duplicates = kept->duplicates;
}

int apsp_profile_input_json(struct apsp_request *req, json_t *body,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err)
{
	char values[APSP_PROFILE_OPTIONS][APSP_PROFILE_VALUE_SIZE];
	const char *names[APSP_PROFILE_OPTIONS + 1] = {NULL};
	const char *algorithm = apsp_profile_option_name(APSP_OPTION_ALGORITHM);
	struct apsp_profile_texts texts;
	int r;

	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++)
		names[i] =
			apsp_profile_option_name((enum apsp_profile_option)i);
	if (json_object_get(body, "default_rule"))
		return apsp_body_refuse(req, "default_rule", err,
			"default_rule belongs in the query, as "
			"?default_rule=replace");
	r = apsp_body_only(req, body, names, err);
	for (int i = 0; i < APSP_PROFILE_OPTIONS && r >= 0; i++)
		r = member_read(req, body, (enum apsp_profile_option)i,
			&texts.value[i], values[i], err);
	if (r == 0)
		r = parse(&texts, kept, is_default, out, err);
	if (r < 0)
		return r;
	duplicates_keep(&texts, kept, out);
	r = apsp_profile_input_algorithm(req, out, err);
	if (r < 0 && json_object_get(body, algorithm))
		apsp_body_point(req, algorithm, strlen(algorithm));
	return r;
}

/*
 * Make two rules, because the client sent no transform: one for weights that
 * are lengths, and one for a graph without weights. When the upload has been
 * parsed, one of these rules is chosen.
 */
static int rule_leave_open(const struct apsp_profile_texts *said,
	struct apsp_upload_options *out, struct apsp_err *err)
{
	struct apsp_profile_texts texts = *said;
	int r;

	out->transform_unsaid = true;
	texts.value[APSP_OPTION_TRANSFORM] =
		apsp_transform_name(APSP_TRANSFORM_NONE);
	r = apsp_profile_parse(&texts, &out->profile, err);
	if (r < 0)
		return r;
	texts.value[APSP_OPTION_TRANSFORM] =
		apsp_transform_name(APSP_TRANSFORM_HOPS);
	return apsp_profile_parse(&texts, &out->if_unweighted, err);
}

/*
 * Get the texts of the rule's options from the query. The caller must keep
 * `conditions` and the query as long as it uses the texts: options that are
 * conditions, such as without=type:KC, are joined in `conditions`, and all
 * other texts stay in the query.
 */
static int texts_read(const struct apsp_request *req,
	struct apsp_profile_texts *out, char conditions[APSP_CONDITIONS_SIZE],
	struct apsp_err *err)
{
	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++) {
		enum apsp_profile_option option = (enum apsp_profile_option)i;
		const char *name = apsp_profile_option_name(option), *text;
		size_t at = 0;

		out->value[i] = NULL;
		if (apsp_profile_option_form(option) != APSP_FORM_CONDITIONS) {
			out->value[i] = apsp_query_get(req, name);
			continue;
		}
		*conditions = '\0';
		while ((text = apsp_query_next(req, name, &at))) {
			out->value[i] = conditions;
			if (*text && !apsp_conditions_add(conditions, text))
				return apsp_fail(err, APSP_EMALFORMED,
					"the conditions of %s have more than "
					"%d bytes; give the vertices an "
					"attribute and name its value",
					name, APSP_WITHOUT_BYTES_MAX);
		}
	}
	return 0;
}

int apsp_profile_input_query(struct apsp_request *req,
	const struct apsp_generation *origin, struct apsp_upload_options *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_profile *kept = NULL, *of;
	char conditions[APSP_CONDITIONS_SIZE];
	struct apsp_profile_texts texts;
	bool whole = true; /* copy all missing options from `kept`; false: copy
			      only the transform and the path */
	bool states;	   /* the request has a transform or path=widest, so
			      parse() ignores `kept` */
	int r;

	r = texts_read(req, &texts, conditions, err);
	if (r < 0)
		return r;
	if (apsp_reading_snapshot(req, &snapshot, NULL) == 0)
		kept = apsp_default_rule(snapshot);
	out->keeps_rule = kept != NULL;
	if (kept)
		out->kept_rule = *kept;
	of = origin ? apsp_generation_default_rule(origin) : NULL;
	if (!kept && of) {
		/* a new graph that is made from a stored graph gets the stored
		   graph's rule. With ?by=, it gets only the options `transform`
		   and `path` of this rule, because its weights are sums of the
		   stored graph's weights */
		kept = of;
		whole = !apsp_query_get(req, "by");
	}
	out->transform_unsaid = false;
	if (!origin && texts.value[APSP_OPTION_TABLES] &&
		strcmp(texts.value[APSP_OPTION_TABLES], "recompute") == 0) {
		out->file.recompute_tables = true;
		texts.value[APSP_OPTION_TABLES] = NULL;
	}
	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++)
		out->file.rule_said |= texts.value[i] != NULL;
	if (!texts.value[APSP_OPTION_DUPLICATES] &&
		strcmp(out->file.columns[APSP_ROLE_WEIGHT],
			APSP_COLUMN_COUNT) == 0)
		texts.value[APSP_OPTION_DUPLICATES] = "sum";
	states = texts.value[APSP_OPTION_TRANSFORM] || is_widest(&texts);
	out->keeps_rule &= !states;
	if (kept || states)
		r = parse(&texts, kept, whole, &out->profile, err);
	else
		r = rule_leave_open(&texts, out, err);
	if (r < 0)
		return r;
	/*
	 * If `states` is true, parse() has copied no option from the rule of
	 * the stored graph. Without ?by=, that is with ?match=, the new graph
	 * has unchanged arcs of the stored graph, so copy `duplicates`.
	 */
	if (states && !apsp_query_get(req, "by"))
		duplicates_keep(&texts, of, &out->profile);
	/*
	 * while the transform is not known, accept an algorithm that needs
	 * transform=hops; put_graph.c checks the algorithm again when the rule
	 * is known
	 */
	return apsp_profile_input_algorithm(req,
		out->transform_unsaid ? &out->if_unweighted : &out->profile,
		err);
}

int apsp_rule_consent_read(const struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err)
{
	const char *value = apsp_query_get(req, "default_rule");

	if (!value)
		return 0;
	if (strcmp(value, "replace") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"default_rule is '%.60s'; expected replace, or no "
			"default_rule to keep the rule",
			value);
	out->replaces_rule = true;
	return 0;
}

int apsp_rule_consent_check(struct apsp_request *req,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r;

	if (apsp_reading_snapshot(req, &snapshot, NULL) < 0)
		return 0; /* if there is no such graph, the request replaces no
			     rule; if the graph cannot be read, the store will
			     report the error */
	r = apsp_default_rule_check(snapshot, said, wanted, err);
	if (r == APSP_ERULE)
		apsp_rule_consent_explain(req, said);
	return r;
}

void apsp_rule_consent_explain(
	struct apsp_request *req, const struct apsp_profile *said)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;

	/* the graph may have been deleted after the store had refused the
	   rule */
	if (apsp_reading_snapshot(req, &snapshot, NULL) == 0)
		apsp_request_extra(
			req, json_pack("{s:o, s:o}", "rule",
				     apsp_profile_rule_json(
					     apsp_default_rule(snapshot)),
				     "said", apsp_profile_rule_json(said)));
}
