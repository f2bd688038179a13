/*
 * POST /v1/graphs/{graph}/compare: the differences between two tables. For
 * example, {"with":{"profile":"default"},"by":"type"} shows the effect of a
 * lesion, and {"with":{"graph":"right"},"key":"type"} compares two sides of a
 * brain. The pool matches the vertices and compares the tables in steps. Two
 * threads share each step.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/statistics/comparison_keys.h"
#include "api/statistics/comparison_question.h"
#include "api/statistics/comparison_text.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/tables/changed_pairs.h"
#include "storage/tables/table_comparison.h"

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
	apsp_comparison_question_done(&compare->question);
	free(compare);
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
	r = apsp_comparison_question_read(req, &compare->question, err);
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
		/* part_read() refuses JSON with part=all, so the format is
		   NDJSON, which has no head */
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
