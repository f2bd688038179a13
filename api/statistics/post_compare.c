/*
 * POST /v1/graphs/{graph}/compare: the differences between two tables. For
 * example, {"with":{"profile":"default"},"by":"type"} shows the effect of a
 * lesion, and {"with":{"graph":"right"},"key":"type"} compares two sides of a
 * brain. The pool matches the vertices and compares the tables in steps. Two
 * threads share each step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/statistics/comparison_keys.h"
#include "api/statistics/comparison_question.h"
#include "api/statistics/comparison_text.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/limits.h"
#include "daemon/job/stats_sections.h"
#include "daemon/job/table_file.h"
#include "daemon/job/unit.h"
#include "storage/tables/changed_pairs.h"
#include "storage/tables/table_comparison.h"

enum {
	TOP_DEFAULT = 100,
	BINS_DEFAULT = 100,
};

/* If lengths are real numbers, a distance in the tables exceeds the exact
   distance by less than this fraction (compute/graph/README.md, Integers). */
#define REAL_TOLERANCE 1e-5

/* The state of one request. The request owns it until the reply begins; then
   the reply, a stream of rows, owns it. */
struct compare {
	struct apsp_comparison_question question;
	struct apsp_comparison_keys keys;
	struct apsp_table_comparison comparison;
	struct apsp_changed_pairs changed;
	struct apsp_comparison_text text;
	bool matching; /* the vertices are being matched */
	bool matched;  /* all vertices are matched */
	bool all; /* the answer has a row for each pair that changed (part=all),
		     and `changed` is used instead of `comparison` */
	bool begun;		 /* the comparison has begun */
	bool compared;		 /* all parts of the comparison are complete */
	struct apsp_share share; /* memory reserved in the budget of answers */
};

static void compare_free(void *ctx)
{
	struct compare *compare = ctx;

	apsp_table_comparison_done(&compare->comparison);
	apsp_changed_pairs_done(&compare->changed);
	apsp_comparison_keys_done(&compare->keys);
	apsp_share_close(&compare->share);
	apsp_reading_done(&compare->question.here);
	apsp_reading_done(&compare->question.with);
	free(compare);
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

/* Read the question. The request's state owns *out, also after a failure.
   APSP_EMALFORMED: the body is wrong. APSP_ETABLES: the tables of a graph are
   not stored. */
static int question_read(struct apsp_request *req,
	struct apsp_comparison_question *out, struct apsp_err *err)
{
	static const char *const names[] = {
		"with", "key", "by", "top", "bins", "tolerance", NULL};
	json_auto_t *body = NULL;
	struct apsp_reading_name with;
	int r;

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
		r = kinds_compare(out, err);
	if (r == 0)
		r = apsp_reading_all_pairs(&out->here, "a comparison", err);
	if (r == 0)
		r = apsp_reading_all_pairs(
			&out->with, "'with' of a comparison", err);
	if (r == 0)
		r = options_read(req, body, out, err);
	if (r == 0)
		r = columns_read(req, body, out, err);
	if (r == 0)
		rules_compare(out);
	return r;
}

/* Read ?part=, which chooses the rows of the answer. With part=all, refuse
   options that would have no effect. Also refuse JSON: the head of a JSON
   answer has numbers of pairs, which are not known yet when the head is
   written. */
static int part_read(const struct apsp_request *req, struct compare *compare,
	struct apsp_err *err)
{
	const char *part = apsp_query_get(req, "part");
	const struct apsp_comparison_question *q = &compare->question;
	const char *member = q->has_top	     ? "top"
			     : q->has_bins   ? "bins"
			     : q->has_groups ? "by"
					     : NULL;

	if (part && strcmp(part, "pairs") != 0 && strcmp(part, "groups") != 0 &&
		strcmp(part, "all") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"part is '%.40s', expected pairs, groups or all", part);
	compare->text.of_groups = part && strcmp(part, "groups") == 0;
	compare->text.both = !part;
	compare->all = part && strcmp(part, "all") == 0;
	if (!compare->all)
		return 0;
	if (req->format == APSP_REPLY_JSON)
		return apsp_fail(err, APSP_EMALFORMED,
			"part=all has a row for each pair that changed, as "
			"format=csv or format=ndjson; JSON has the numbers of "
			"pairs and the pairs that change most, without "
			"part=all");
	if (member)
		return apsp_fail(err, APSP_EMALFORMED,
			"'%s' has no effect with part=all, which has a row for "
			"each pair that changed; leave it out",
			member);
	return 0;
}

/* Make a struct compare from the request and store it in req->state. */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	struct compare *compare;
	int r;

	r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	compare = apsp_request_state(req, sizeof(*compare), compare_free, err);
	if (!compare)
		return APSP_ENOMEM;
	r = question_read(req, &compare->question, err);
	if (r == 0)
		r = part_read(req, compare, err);
	return r < 0 ? r : apsp_request_share(req, &compare->share, err);
}

static struct apsp_comparison_options options_of(const struct compare *compare)
{
	const struct apsp_comparison_question *q = &compare->question;
	const struct apsp_comparison_keys *keys = &compare->keys;

	return (struct apsp_comparison_options){
		.n_keys = keys->n_keys,
		.key_of_here = keys->of_here,
		.key_of_with = keys->of_with,
		.left_out = keys->left_out,
		.group_of = keys->groups,
		.n_groups = keys->n_groups,
		.rule = {.lengths = q->lengths,
			.widths = q->widths,
			.tolerance = q->tolerance},
		.top = q->top,
	};
}

static int matching_begin(struct compare *compare, struct apsp_err *err)
{
	int r = apsp_share_set(&compare->share,
		apsp_comparison_keys_bytes(&compare->question),
		"the comparison", err);

	if (r == 0)
		r = apsp_comparison_keys_begin(
			&compare->question, &compare->keys, err);
	compare->matching = r == 0;
	return r;
}

static int comparison_begin(struct compare *compare, struct apsp_err *err)
{
	const struct apsp_comparison_question *q = &compare->question;
	struct apsp_comparison_options options = options_of(compare);
	uint64_t bytes = compare->all
				 ? apsp_changed_pairs_bytes(q->here.tables,
					   q->with.tables, &options)
				 : apsp_table_comparison_bytes(q->here.tables,
					   q->with.tables, &options) +
					   apsp_comparison_head_bytes(q);
	int r = apsp_share_set(&compare->share,
		apsp_comparison_keys_bytes(q) + bytes, "the comparison", err);

	if (r == 0 && compare->all)
		r = apsp_changed_pairs_begin(q->here.tables, q->with.tables,
			&options, &compare->changed, err);
	else if (r == 0)
		r = apsp_table_comparison_begin(q->here.tables, q->with.tables,
			&options, &compare->comparison, err);
	compare->begun = r == 0;
	return r;
}

static void names_write(void *ctx, struct apsp_cells *names)
{
	struct compare *compare = ctx;

	apsp_comparison_row(&compare->text, names, NULL);
}

static int compare_write(
	void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct compare *compare = ctx;

	return apsp_comparison_row(&compare->text, cells, err);
}

/* Reply with the result. The reply owns the state. */
static int reply(struct apsp_request *req, struct apsp_err *err)
{
	struct compare *compare = req->state;
	struct apsp_rows rows = {
		.begin = names_write,
		.write = compare_write,
		.done = compare_free,
		.in_pool = true,
	};

	compare->text.question = &compare->question;
	compare->text.keys = &compare->keys;
	compare->text.comparison = &compare->comparison;
	compare->text.all = compare->all ? &compare->changed : NULL;
	if (req->format != APSP_REPLY_CSV) {
		rows.name = compare->text.of_groups ? "groups" : "changes";
		/* if compare->all is true, the format is NDJSON (part_read()
		   has refused JSON), which has no head */
		rows.head = compare->all ? json_object()
					 : apsp_comparison_head(&compare->text);
	}
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}

static int part_step(void *ctx, unsigned int i, struct apsp_err *err)
{
	struct compare *compare = ctx;

	return apsp_comparison_part_step(&compare->comparison.parts[i], err);
}

int apsp_api_post_compare(struct apsp_request *req, struct apsp_err *err)
{
	int r = req->state ? 0 : begin(req, err);
	struct compare *compare = req->state;

	if (r == 0 && !compare->matching)
		r = apsp_request_wait_memory(req, matching_begin(compare, err));
	while (r == 0 && !compare->matched) {
		r = apsp_comparison_keys_step(&compare->keys, err);
		compare->matched = r == 0;
		if (r > 0 && apsp_request_again(req))
			return 0;
		r = r < 0 ? r : 0;
	}
	if (r < 0 && compare && compare->keys.refused)
		apsp_body_point(req, compare->keys.refused,
			strlen(compare->keys.refused));
	if (r == 0 && !compare->begun)
		r = apsp_request_wait_memory(
			req, comparison_begin(compare, err));
	if (r < 0)
		return r;
	if (compare->all)
		return reply(req, err);
	while (!compare->compared) {
		r = apsp_request_parts(
			req, APSP_COMPARISON_PARTS, part_step, compare, err);
		compare->compared = r == 0;
		if (r > 0 && apsp_request_again(req))
			return 0;
		if (r < 0)
			return r;
	}
	while ((r = apsp_table_comparison_finish(&compare->comparison, err)) >
		0)
		if (apsp_request_again(req))
			return 0;
	return r < 0 ? r : reply(req, err);
}
