/*
 * PUT /v1/graphs/{graph}/profiles/{profile}: a rule that turns weights into
 * lengths, as a JSON object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/algorithm.h"
#include "api/body_json.h"
#include "api/endpoints.h"
#include "api/receipt.h"
#include "daemon/base/auto.h"
#include "daemon/base/number.h"

static const char *const rule_members[] = {"transform", "duplicates", "invalid",
	"precision", "algorithm", "min_weight", NULL};

enum {
	N_RULE_TEXTS = 5, /* the members before min_weight */
};

/* One textual member; *out is borrowed from body, NULL where it is missing. */
static int text_read(json_t *body, const char *name, const char **out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	json_t *value = json_object_get(body, name);

	*out = json_string_value(value);
	if (!value || *out)
		return 0;
	snprintf(pointer, APSP_POINTER_SIZE, "/%s", name);
	return apsp_fail(err, APSP_EMALFORMED, "%s is %s; expected a string",
		name, apsp_json_kind(value));
}

static int rule_parse(json_t *body, struct apsp_profile *out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	struct apsp_profile_texts texts = {0};
	const char **fields[N_RULE_TEXTS] = {&texts.transform,
		&texts.duplicates, &texts.invalid, &texts.precision,
		&texts.algorithm};
	json_t *min_weight = json_object_get(body, "min_weight");
	char number[APSP_NUMBER_TEXT_SIZE];
	int r;

	for (size_t i = 0; i < N_RULE_TEXTS; i++) {
		r = text_read(body, rule_members[i], fields[i], pointer, err);
		if (r < 0)
			return r;
	}
	if (min_weight && !json_is_number(min_weight)) {
		snprintf(pointer, APSP_POINTER_SIZE, "/min_weight");
		return apsp_fail(err, APSP_EMALFORMED,
			"min_weight is %s; expected a number",
			apsp_json_kind(min_weight));
	}
	if (min_weight) {
		apsp_number_format(json_number_value(min_weight), number);
		texts.min_weight = number;
	}
	return apsp_profile_parse(&texts, out, err);
}

static int rule_read(struct apsp_request *req, struct apsp_profile *out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	APSP_AUTO(apsp_json_done) json_t *body = NULL;
	int r;

	r = apsp_body_json(req, &body, err);
	if (r < 0)
		return r;
	r = apsp_body_only(body, rule_members, pointer, err);
	if (r < 0)
		return r;
	r = rule_parse(body, out, pointer, err);
	if (r < 0)
		return r;
	r = apsp_algorithm_check(req, out, err);
	if (r < 0)
		snprintf(pointer, APSP_POINTER_SIZE, "/algorithm");
	return r;
}

struct put_profile {
	struct apsp_profile rule;
	struct apsp_receipt receipt;
};

APSP_AUTO_DEFINE(view_end, const struct apsp_graph_view, apsp_graph_view_unref);

/* The generation that the profile was put into may be gone by now. */
static int receipt_reply(
	struct apsp_request *req, struct put_profile *put, struct apsp_err *err)
{
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	struct apsp_receipt *receipt = &put->receipt;
	const struct apsp_generation *generation;
	int r;

	r = apsp_request_result(req, err);
	if (r < 0)
		return r;
	r = apsp_request_view(req, &view, err);
	if (r < 0)
		return r;
	generation = view->pending;
	if (!generation || generation->id != receipt->result.generation)
		generation = view->current;
	if (!generation || generation->id != receipt->result.generation)
		return apsp_fail(err, APSP_EPRECONDITION,
			"graph '%s' was overwritten meanwhile; the newer upload"
			" keeps the profile",
			view->name);
	receipt->graph = req->params[0];
	receipt->profile = req->params[1];
	memcpy(receipt->revision, generation->revision,
		sizeof(receipt->revision));
	receipt->n_vertices = generation->n_vertices;
	receipt->n_arcs = generation->n_arcs;
	return apsp_receipt_reply(req, receipt, err);
}

int apsp_api_put_profile(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {NULL};
	struct put_profile *put = req->state;
	char pointer[APSP_POINTER_SIZE] = "";
	int r;

	if (put)
		return receipt_reply(req, put, err);
	if (!apsp_name_valid(req->params[1]))
		return apsp_fail(err, APSP_EMALFORMED,
			"'%s' cannot name a profile: 1 to 128 of A-Z a-z 0-9 ."
			" _ ~ -, not starting with a dot",
			req->params[1]);
	r = apsp_request_query_only(req, names, err);
	if (r < 0)
		return r;
	put = calloc(1, sizeof(*put));
	if (!put)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = put;
	req->state_free = free;
	r = rule_read(req, &put->rule, pointer, err);
	if (r < 0)
		return apsp_body_refuse(req, pointer, err);
	r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	apsp_profiles_put(apsp_request_store(req), req->params[0],
		req->params[1], &put->rule, &put->receipt.result,
		apsp_request_done(req));
	return 0;
}
