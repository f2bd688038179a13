/*
 * The rule of the profile `default`; see default_rule.h.
 */
#include "storage/snapshots/default_rule.h"

#include <stdio.h>

#include "daemon/job/profile_text.h"

/* Return the rule that apsp_profile_standing_rule() returns for the profile
   `default` of a generation. NULL: there is no such rule, or `generation` is
   NULL. */
static const struct apsp_profile *rule_standing(
	const struct apsp_generation *generation)
{
	const struct apsp_profile_snapshot *profile =
		generation ? apsp_generation_profile(generation, "default")
			   : NULL;

	return profile ? apsp_profile_standing_rule(profile) : NULL;
}

const struct apsp_profile *apsp_generation_default_rule(
	const struct apsp_generation *generation)
{
	const struct apsp_profile *rule = rule_standing(generation);
	const struct apsp_profile_snapshot *newest;

	if (rule)
		return rule;
	newest = apsp_generation_profile(generation, "default");
	return newest && !newest->unreadable.code ? &newest->rule : NULL;
}

const struct apsp_profile *apsp_default_rule(
	const struct apsp_graph_snapshot *snapshot)
{
	const struct apsp_profile *rule = rule_standing(snapshot->pending);

	if (!rule)
		rule = rule_standing(snapshot->current);
	return rule ? rule
		    : apsp_generation_default_rule(
			      apsp_graph_snapshot_newest(snapshot));
}

/* Write one option of a rule as "NAME=VALUE", as in a URL's query. If the rule
   does not have the option, write "no NAME". */
static void option_format(const struct apsp_profile *rule,
	enum apsp_profile_option option, char out[2 * APSP_PROFILE_VALUE_SIZE])
{
	const char *name = apsp_profile_option_name(option);
	char value[APSP_PROFILE_VALUE_SIZE];

	if (apsp_profile_option_print(rule, option, value))
		snprintf(
			out, 2 * APSP_PROFILE_VALUE_SIZE, "%s=%s", name, value);
	else
		snprintf(out, 2 * APSP_PROFILE_VALUE_SIZE, "no %s", name);
}

int apsp_default_rule_check(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err)
{
	char before[2 * APSP_PROFILE_VALUE_SIZE],
		after[2 * APSP_PROFILE_VALUE_SIZE];
	const struct apsp_profile *rule;
	enum apsp_profile_option option;

	/* without a current generation, accept any rule: no client has had an
	   answer yet that depends on the rule of `default` */
	if (!snapshot || !snapshot->current ||
		(wanted && wanted->replaces_rule))
		return 0;
	rule = apsp_default_rule(snapshot);
	if (!rule)
		return 0;
	option = apsp_profile_difference(rule, said, APSP_EFFECT_ARCS);
	if (option == APSP_PROFILE_OPTIONS)
		return 0;
	option_format(rule, option, before);
	option_format(said, option, after);
	return apsp_fail(err, APSP_ERULE,
		"the graph's rule has %s, and this request has %s%s: leave out "
		"the options to keep the rule, put a profile of your own, or "
		"add default_rule=replace to change the answers for everybody",
		before, after,
		option == APSP_OPTION_DUPLICATES &&
				said->duplicates == APSP_DUPLICATES_SUM &&
				said->transform == APSP_TRANSFORM_NONE &&
				said->path == APSP_PATH_SHORTEST
			? " (the default for weight_column=count)"
			: "");
}

int apsp_default_rule_check_kept(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_profile *kept, struct apsp_err *err)
{
	const struct apsp_profile *rule =
		snapshot ? apsp_default_rule(snapshot) : NULL;

	if (!kept || (rule && apsp_profile_equal(rule, kept)))
		return 0;
	return apsp_fail(err, APSP_ECANCELLED,
		"the upload keeps the rule of the graph, but the graph was "
		"deleted or got another rule while the upload was sent");
}
