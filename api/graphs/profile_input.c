/*
 * Reads rules from queries and bodies. An algorithm that does not exist is
 * refused here, before a job is queued.
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

/* Copy a single condition, or join a list of conditions. Returns false if
   `value` is neither a condition nor a list of them, or if the text is too
   long. */
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
	const char *name = apsp_profile_option_name(option);
	json_t *value = json_object_get(body, name);

	*out = NULL;
	if (!value)
		return 0;
	if (form == APSP_FORM_CONDITIONS && conditions_join(value, text)) {
		*out = text;
	} else if (form == APSP_FORM_LIST && words_join(value, text)) {
		*out = text;
	} else if (form == APSP_FORM_NUMBER && json_is_number(value)) {
		apsp_number_format(json_number_value(value), text);
		*out = text;
	} else if (form == APSP_FORM_TEXT && json_is_string(value)) {
		*out = json_string_value(value);
	}
	if (*out)
		return 0;
	apsp_body_point(req, name, strlen(name));
	if (form == APSP_FORM_CONDITIONS)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is %s; expected a list of conditions, like "
			"[\"type:KC\", \"label:29\"], of at most %d bytes in "
			"all",
			name,
			json_is_array(value) ? "a list of something else"
					     : apsp_json_kind(value),
			APSP_WITHOUT_BYTES_MAX);
	if (form == APSP_FORM_LIST)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is %s; expected a list of names, like "
			"[\"betweenness\"]",
			name,
			json_is_array(value) ? "a list of something else"
					     : apsp_json_kind(value));
	return apsp_fail(err, APSP_EMALFORMED, "%s is %s; expected a %s", name,
		apsp_json_kind(value),
		form == APSP_FORM_NUMBER ? "number" : "string");
}

bool apsp_profile_input_is_widest(const struct apsp_profile_texts *said)
{
	const char *path = said->value[APSP_OPTION_PATH];

	return path && strcmp(path, "widest") == 0;
}

int apsp_profile_input_parse(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err)
{
	char values[APSP_PROFILE_OPTIONS][APSP_PROFILE_VALUE_SIZE];
	struct apsp_profile_texts texts = *said;
	int n = is_default ? APSP_PROFILE_OPTIONS : APSP_OPTION_TRANSFORM + 1;
	struct apsp_profile rule;
	int r;

	if (!kept || said->value[APSP_OPTION_TRANSFORM] ||
		apsp_profile_input_is_widest(said))
		n = 0;
	for (int i = 0; i < APSP_PROFILE_OPTIONS && n > 0; i++) {
		/* if the option `transform` is taken from `kept`, take the
		   option `path` from `kept`, too: the meaning of weights
		   depends on both options */
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

void apsp_profile_input_duplicates(const struct apsp_profile_texts *said,
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
		r = apsp_profile_input_parse(
			&texts, kept, is_default, out, err);
	if (r < 0)
		return r;
	apsp_profile_input_duplicates(&texts, kept, out);
	r = apsp_profile_input_algorithm(req, out, err);
	if (r < 0 && json_object_get(body, algorithm))
		apsp_body_point(req, algorithm, strlen(algorithm));
	return r;
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

	/* do nothing if the graph was deleted after the store had refused the
	   rule */
	if (apsp_reading_snapshot(req, &snapshot, NULL) == 0)
		apsp_request_extra(
			req, json_pack("{s:o, s:o}", "rule",
				     apsp_profile_rule_json(
					     apsp_default_rule(snapshot)),
				     "said", apsp_profile_rule_json(said)));
}
