/* Reads the question of a comparison; see comparison_question.h. */
#include "api/statistics/comparison_question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/body.h"
#include "api/vertex_match.h"
#include "daemon/base/limits.h"
#include "daemon/job/stats_sections.h"
#include "daemon/job/table_file.h"
#include "daemon/job/unit.h"

enum {
	TOP_DEFAULT = 100,
	BINS_DEFAULT = 100,
};

/* If lengths are real numbers, a distance in the tables exceeds the exact
   distance by less than this fraction (compute/graph/README.md, Integers). */
#define REAL_TOLERANCE 1e-5

void apsp_comparison_question_done(struct apsp_comparison_question *q)
{
	apsp_reading_done(&q->here);
	apsp_reading_done(&q->with);
	memset(q, 0, sizeof(*q));
}

/* Refuse a member of the body's object `with`. */
static int with_refuse(struct apsp_request *req, const char *name,
	const char *what, struct apsp_err *err)
{
	char member[64];

	snprintf(member, sizeof(member), "/with/%.40s", name);
	apsp_request_extra(req, json_pack("{s:s}", "pointer", member));
	return apsp_fail(err, APSP_EMALFORMED, "'with' has a member '%.40s' %s",
		name, what);
}

/* Read the member `with`, which names the tables to compare with. */
static int with_read(struct apsp_request *req, json_t *body,
	struct apsp_reading_name *out, struct apsp_err *err)
{
	json_t *with = json_object_get(body, "with"), *value;
	const char *name;

	memset(out, 0, sizeof(*out));
	if (!json_object_get(with, "graph") &&
		!json_object_get(with, "profile"))
		return apsp_body_refuse(req, "with", err,
			"'with' must name the tables to compare with; expected "
			"{\"profile\":\"default\"}, {\"graph\":\"right\"} or "
			"both");
	json_object_foreach(with, name, value)
	{
		const char **text = NULL;

		if (strcmp(name, "graph") == 0)
			text = &out->graph;
		else if (strcmp(name, "profile") == 0)
			text = &out->profile;
		else if (strcmp(name, "revision") == 0)
			text = &out->revision;
		if (!text)
			return with_refuse(req, name,
				"that is not known; expected graph, profile "
				"or revision",
				err);
		*text = json_string_value(value);
		if (!*text)
			return with_refuse(
				req, name, "that is not a string", err);
	}
	return 0;
}

/* Read a member that is a number in [least, most], and a whole number if
   `whole` is true. If the member is missing, *out is unchanged. */
static int number_read(struct apsp_request *req, json_t *body, const char *name,
	bool whole, double least, double most, double *out,
	struct apsp_err *err)
{
	json_t *value = json_object_get(body, name);
	double number = json_number_value(value);

	if (!value)
		return 0;
	if (json_is_number(value) && number >= least && number <= most &&
		(!whole || number == floor(number))) {
		*out = number;
		return 0;
	}
	return apsp_body_refuse(req, name, err,
		"'%s' must be a %s from %g to %g%s", name,
		whole ? "whole number" : "number", least, most,
		strcmp(name, "top") == 0
			? "; part=all in the query, with format=csv, has every "
			  "pair that changed"
			: "");
}

/* Find the attribute that a member of the body names. */
static int column_read(struct apsp_request *req, json_t *body,
	const char *member, const struct apsp_reading *reading, uint32_t *out,
	struct apsp_err *err)
{
	const char *name = json_string_value(json_object_get(body, member));
	struct apsp_err why;
	int r;

	if (name)
		r = apsp_vertex_match_column(
			reading->generation, name, strlen(name), out, &why);
	else
		r = apsp_fail(&why, APSP_EMALFORMED,
			"expected the name of an attribute");
	if (r == 0)
		return 0;
	apsp_body_point(req, member, strlen(member));
	return apsp_fail(err, (enum apsp_code)r, "'%s' of graph '%s': %s",
		member, reading->snapshot->name, why.message);
}

static int columns_read(struct apsp_request *req, json_t *body,
	struct apsp_comparison_question *q, struct apsp_err *err)
{
	uint64_t n_groups;
	int r = 0;

	q->has_key = json_object_get(body, "key");
	q->has_groups = json_object_get(body, "by");
	if (q->has_key) {
		r = column_read(req, body, "key", &q->here, &q->key_here, err);
		if (r == 0)
			r = column_read(
				req, body, "key", &q->with, &q->key_with, err);
	}
	if (r == 0 && q->has_groups)
		r = column_read(req, body, "by", &q->here, &q->by, err);
	if (r < 0 || !q->has_groups)
		return r;
	n_groups = q->here.generation->attributes->columns[q->by].values->count;
	if (n_groups * n_groups <= APSP_GROUP_PAIRS_MAX)
		return 0;
	return apsp_body_refuse(req, "by", err,
		"'by': the %llu values of '%s' make more than the %d pairs of "
		"values that an answer may have; choose an attribute with "
		"fewer values",
		(unsigned long long)n_groups,
		apsp_comparison_column(&q->here, q->by), APSP_GROUP_PAIRS_MAX);
}

/* Find out whether the lengths of the two rules can be compared. */
static void rules_compare(struct apsp_comparison_question *q)
{
	const struct apsp_profile_snapshot *here = q->here.profile;
	const struct apsp_profile_snapshot *with = q->with.profile;
	char text_here[APSP_PROFILE_VALUE_SIZE],
		text_with[APSP_PROFILE_VALUE_SIZE];
	char unit_here[APSP_LENGTH_UNIT_SIZE], unit_with[APSP_LENGTH_UNIT_SIZE];
	const char *lengths = q->widths ? "widths" : "lengths";
	enum apsp_profile_option option;

	if (!here->tables_transform || !with->tables_transform) {
		snprintf(q->why_not, sizeof(q->why_not),
			"the rule of profile '%.60s' cannot be read",
			here->tables_transform ? with->name : here->name);
		return;
	}
	option = apsp_profile_difference(
		&here->tables_rule, &with->tables_rule, APSP_EFFECT_UNITS);
	if (option == APSP_PROFILE_OPTIONS) {
		apsp_unit_of_lengths(&here->tables_rule,
			q->here.generation->weight_unit, unit_here);
		apsp_unit_of_lengths(&with->tables_rule,
			q->with.generation->weight_unit, unit_with);
		q->lengths = !*unit_here || !*unit_with ||
			     strcmp(unit_here, unit_with) == 0;
		snprintf(q->why_not, sizeof(q->why_not),
			"%s are in %s here, and in %s in 'with'", lengths,
			unit_here, unit_with);
		return;
	}
	apsp_profile_option_print(&here->tables_rule, option, text_here);
	apsp_profile_option_print(&with->tables_rule, option, text_with);
	snprintf(q->why_not, sizeof(q->why_not),
		"%s cannot be compared: %s is %.40s here, and %.40s in "
		"'with'",
		lengths, apsp_profile_option_name(option),
		*text_here ? text_here : "not set",
		*text_with ? text_with : "not set");
}

/* Refuse to compare shortest paths with widest paths. */
static int kinds_compare(
	struct apsp_comparison_question *q, struct apsp_err *err)
{
	static const char *const kinds[] = {
		"shortest paths, which have distances",
		"widest paths (path=widest), which have widths"};
	bool widths = apsp_reading_is_widest(&q->with);

	q->widths = apsp_reading_is_widest(&q->here);
	if (q->widths == widths)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"profile '%.60s' has %s, and profile '%.60s' of 'with' has %s; "
		"compare two profiles that have the same kind of paths",
		q->here.profile->name, kinds[q->widths], q->with.profile->name,
		kinds[widths]);
}

/* Read the members `top`, `bins` and `tolerance` of the body. */
static int options_read(struct apsp_request *req, json_t *body,
	struct apsp_comparison_question *q, struct apsp_err *err)
{
	double top = TOP_DEFAULT, bins = BINS_DEFAULT;
	int r;

	q->tolerance = apsp_reading_has_sums(&q->here) ||
				       apsp_reading_has_sums(&q->with)
			       ? REAL_TOLERANCE
			       : 0;
	r = number_read(
		req, body, "top", true, 1, APSP_COMPARISON_TOP_MAX, &top, err);
	if (r == 0)
		r = number_read(req, body, "bins", true, 1, APSP_HISTOGRAM_BINS,
			&bins, err);
	if (r == 0)
		r = number_read(req, body, "tolerance", false, 0, 1,
			&q->tolerance, err);
	q->has_top = json_object_get(body, "top");
	q->has_bins = json_object_get(body, "bins");
	q->top = (uint32_t)top;
	q->bins = (uint32_t)bins;
	return r;
}

int apsp_comparison_question_read(struct apsp_request *req,
	struct apsp_comparison_question *out, struct apsp_err *err)
{
	static const char *const names[] = {
		"with", "key", "by", "top", "bins", "tolerance", NULL};
	json_auto_t *body = NULL;
	struct apsp_reading_name with;
	int r;

	memset(out, 0, sizeof(*out));
	r = apsp_reading_open(req, &out->here, err);
	if (r == 0)
		r = apsp_body_json(req, &body, err);
	if (r == 0)
		r = apsp_body_only(req, body, names, err);
	if (r == 0)
		r = with_read(req, body, &with, err);
	if (r == 0)
		r = apsp_reading_open_other(
			req, &out->here, &with, &out->with, err);
	if (r == 0)
		r = apsp_reading_all_pairs(&out->here, "a comparison", err);
	if (r == 0)
		r = apsp_reading_all_pairs(
			&out->with, "'with' of a comparison", err);
	if (r == 0)
		r = kinds_compare(out, err);
	if (r == 0)
		r = options_read(req, body, out, err);
	if (r == 0)
		r = columns_read(req, body, out, err);
	if (r == 0)
		rules_compare(out);
	return r;
}
