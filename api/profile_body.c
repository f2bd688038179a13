/*
 * A rule out of JSON; see profile_body.h.
 */
#include "api/profile_body.h"

#include <stdio.h>

#include "api/algorithm.h"
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

int apsp_body_profile(const struct apsp_request *req, struct apsp_profile *out,
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
