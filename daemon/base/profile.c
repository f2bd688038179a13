/*
 * The names and the canonical text of profiles. One table a kind of value holds
 * the names, so that parsing, formatting and messages cannot drift apart.
 */
#include "daemon/base/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/number.h"

static const char *const transforms[] = {
	"none", "hops", "inv", "log", "lognorm", NULL};
static const char *const duplicates[] = {
	"sum", "min", "max", "last", "error", NULL};
static const char *const invalids[] = {"error", "drop", NULL};
static const char *const precisions[] = {"float32", "float64", NULL};

enum {
	N_FIELDS = 6,
	SHOWN_BYTES = 40, /* of a client's text in a message */
};

static const char *name_of(const char *const *names, size_t size, size_t value)
{
	return value < size / sizeof(*names) ? names[value] : NULL;
}

const char *apsp_transform_name(enum apsp_transform transform)
{
	return name_of(transforms, sizeof(transforms), transform);
}

const char *apsp_duplicates_name(enum apsp_duplicates value)
{
	return name_of(duplicates, sizeof(duplicates), value);
}

const char *apsp_invalid_name(enum apsp_invalid invalid)
{
	return name_of(invalids, sizeof(invalids), invalid);
}

const char *apsp_precision_name(enum apsp_precision precision)
{
	return name_of(precisions, sizeof(precisions), precision);
}

/* The index of text among names, the first if it was not given. */
static int choice_parse(const char *option, const char *text,
	const char *const *names, struct apsp_err *err)
{
	char values[64] = "";
	size_t used = 0;

	if (!text)
		return 0;
	for (int i = 0; names[i]; i++) {
		if (strcmp(text, names[i]) == 0)
			return i;
		used += (size_t)snprintf(values + used, sizeof(values) - used,
			"%s%s", i ? ", " : "", names[i]);
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"%s is '%.*s', expected one of %s", option, SHOWN_BYTES, text,
		values);
}

static int algorithm_parse(
	const char *text, struct apsp_profile *profile, struct apsp_err *err)
{
	if (!text)
		return 0;
	if (!apsp_name_valid(text) || strlen(text) >= APSP_ALGORITHM_SIZE)
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm is '%.*s', expected a name of at most %d "
			"letters, digits and dashes",
			SHOWN_BYTES, text, APSP_ALGORITHM_SIZE - 1);
	memcpy(profile->algorithm, text, strlen(text) + 1);
	return 0;
}

static int min_weight_parse(
	const char *text, struct apsp_profile *profile, struct apsp_err *err)
{
	if (!text)
		return 0;
	if (apsp_number_parse(text, strlen(text), &profile->min_weight) !=
		APSP_NUMBER_FINITE)
		return apsp_fail(err, APSP_EMALFORMED,
			"min_weight is '%.*s', expected a finite number",
			SHOWN_BYTES, text);
	profile->min_weight += 0.0; /* -0 has the text and hash of 0 */
	profile->has_min_weight = true;
	return 0;
}

int apsp_profile_parse(const struct apsp_profile_texts *texts,
	struct apsp_profile *out, struct apsp_err *err)
{
	struct apsp_profile profile = {0};
	int transform, policy, invalid, precision, r;

	transform =
		choice_parse("transform", texts->transform, transforms, err);
	if (transform < 0)
		return transform;
	policy = choice_parse("duplicates", texts->duplicates, duplicates, err);
	if (policy < 0)
		return policy;
	invalid = choice_parse("invalid", texts->invalid, invalids, err);
	if (invalid < 0)
		return invalid;
	precision =
		choice_parse("precision", texts->precision, precisions, err);
	if (precision < 0)
		return precision;
	r = min_weight_parse(texts->min_weight, &profile, err);
	if (r < 0)
		return r;
	r = algorithm_parse(texts->algorithm, &profile, err);
	if (r < 0)
		return r;
	if (!texts->duplicates && transform == APSP_TRANSFORM_NONE)
		policy = APSP_DUPLICATES_MIN;
	profile.transform = (enum apsp_transform)transform;
	profile.duplicates = (enum apsp_duplicates)policy;
	profile.invalid = (enum apsp_invalid)invalid;
	profile.precision = (enum apsp_precision)precision;
	*out = profile;
	return 0;
}

void apsp_profile_format(
	const struct apsp_profile *profile, char out[APSP_PROFILE_TEXT_SIZE])
{
	char number[APSP_NUMBER_TEXT_SIZE] = "";

	if (profile->has_min_weight)
		apsp_number_format(profile->min_weight, number);
	snprintf(out, APSP_PROFILE_TEXT_SIZE,
		"transform=%s duplicates=%s invalid=%s precision=%s%s%s%s%s",
		apsp_transform_name(profile->transform),
		apsp_duplicates_name(profile->duplicates),
		apsp_invalid_name(profile->invalid),
		apsp_precision_name(profile->precision),
		*number ? " min_weight=" : "", number,
		*profile->algorithm ? " algorithm=" : "", profile->algorithm);
}

/* Set the field that `key=value` names; false if there is none. */
static bool texts_set(struct apsp_profile_texts *texts, char *pair)
{
	const struct {
		const char *name;
		const char **value;
	} fields[N_FIELDS] = {
		{"transform", &texts->transform},
		{"duplicates", &texts->duplicates},
		{"invalid", &texts->invalid},
		{"precision", &texts->precision},
		{"min_weight", &texts->min_weight},
		{"algorithm", &texts->algorithm},
	};
	char *equals = strchr(pair, '=');

	if (!equals)
		return false;
	*equals = '\0';
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (strcmp(pair, fields[i].name) == 0) {
			*fields[i].value = equals + 1;
			return true;
		}
	}
	return false;
}

int apsp_profile_scan(
	const char *text, struct apsp_profile *out, struct apsp_err *err)
{
	char copy[APSP_PROFILE_TEXT_SIZE], again[APSP_PROFILE_TEXT_SIZE];
	struct apsp_profile_texts texts = {0};
	struct apsp_profile profile;
	size_t size = strlen(text);
	char *rest = NULL;
	bool known = size < sizeof(copy);

	if (known) {
		memcpy(copy, text, size + 1);
		for (char *pair = strtok_r(copy, " ", &rest); pair && known;
			pair = strtok_r(NULL, " ", &rest))
			known = texts_set(&texts, pair);
	}
	/* canonical: what it says must be written just so */
	if (known && apsp_profile_parse(&texts, &profile, NULL) == 0) {
		apsp_profile_format(&profile, again);
		if (strcmp(text, again) == 0) {
			*out = profile;
			return 0;
		}
	}
	return apsp_fail(err, APSP_EDATA, "'%.*s' is not a profile's text",
		2 * SHOWN_BYTES, text);
}

bool apsp_transform_accepts(enum apsp_transform transform, double weight)
{
	if (!isfinite(weight))
		return false;
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return true;
	case APSP_TRANSFORM_HOPS:
		return weight != 0;
	case APSP_TRANSFORM_LOG:
		return weight > 0 && weight <= 1;
	case APSP_TRANSFORM_INV:
	case APSP_TRANSFORM_LOGNORM:
		return weight > 0;
	}
	return false;
}

const char *apsp_transform_domain(enum apsp_transform transform)
{
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return "none needs a finite weight";
	case APSP_TRANSFORM_HOPS:
		return "hops needs a weight other than 0";
	case APSP_TRANSFORM_INV:
		return "inv needs a weight above 0";
	case APSP_TRANSFORM_LOG:
		return "log needs a weight above 0 and at most 1";
	case APSP_TRANSFORM_LOGNORM:
		return "lognorm needs a weight above 0";
	}
	return NULL;
}

bool apsp_name_valid(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789._~-";
	size_t size = strlen(name);

	return size > 0 && size < APSP_NAME_SIZE && *name != '.' &&
	       strspn(name, allowed) == size;
}
