/*
 * A profile: the rule that turns arc weights into arc lengths
 * (compute/graph/README.md, Transforms). Plain data, read by storage, compute
 * and api alike.
 *
 *	uploaded arcs → merge duplicates → drop below min_weight → transform
 *	              → drop self-loops → lengths
 */
#ifndef APSP_DAEMON_BASE_PROFILE_H
#define APSP_DAEMON_BASE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/name.h"

enum {
	APSP_ALGORITHM_SIZE = 32, /* algorithm name with its NUL */
	APSP_PROFILE_TEXT_SIZE = 256,
	APSP_PROFILE_VALUE_SIZE = 40, /* one option's text with its NUL */
};

enum apsp_transform {
	APSP_TRANSFORM_NONE,	/* w, any finite */
	APSP_TRANSFORM_HOPS,	/* 1, w != 0 */
	APSP_TRANSFORM_INV,	/* 1/w, w > 0 */
	APSP_TRANSFORM_LOG,	/* -ln w, 0 < w <= 1 */
	APSP_TRANSFORM_LOGNORM, /* -ln(w / max w), w > 0 */
};

/* What becomes of several arcs between one ordered pair of vertices. */
enum apsp_duplicates {
	APSP_DUPLICATES_SUM,
	APSP_DUPLICATES_MIN,
	APSP_DUPLICATES_MAX,
	APSP_DUPLICATES_LAST,
	APSP_DUPLICATES_ERROR,
};

/* What becomes of a weight outside the transform's domain. */
enum apsp_invalid {
	APSP_INVALID_REFUSE,
	APSP_INVALID_DROP,
};

/* The stored element of real distances. */
enum apsp_precision {
	APSP_PRECISION_FLOAT32,
	APSP_PRECISION_FLOAT64,
};

/* What is computed beside the tables where a profile asks for it: bits. */
enum apsp_measure {
	APSP_MEASURE_BETWEENNESS = 1,
};

struct apsp_profile {
	enum apsp_transform transform;
	enum apsp_duplicates duplicates;
	enum apsp_invalid invalid;
	enum apsp_precision precision;
	bool has_min_weight;
	double min_weight;
	char algorithm[APSP_ALGORITHM_SIZE]; /* "": the solver chooses */
	unsigned int measures;		     /* of enum apsp_measure */
};

/*
 * The options that a profile is written in. profile.c has one row for each; the
 * query, the body, the answers and the canonical text are made of these rows.
 */
enum apsp_profile_option {
	APSP_OPTION_TRANSFORM,	/* "none", "hops", "inv", "log", "lognorm" */
	APSP_OPTION_DUPLICATES, /* "sum", "min", "max", "last", "error" */
	APSP_OPTION_INVALID,	/* "error", "drop" */
	APSP_OPTION_PRECISION,	/* "float32", "float64" */
	APSP_OPTION_MIN_WEIGHT, /* a finite decimal number */
	APSP_OPTION_ALGORITHM,	/* any name; the caller checks that it exists */
	APSP_OPTION_MEASURES,	/* "betweenness", or "none" */
	APSP_PROFILE_OPTIONS,
};

/* A profile as clients write it: NULL for each option that is not given. */
struct apsp_profile_texts {
	const char *value[APSP_PROFILE_OPTIONS];
};

/* The option's name in queries, bodies, answers and the canonical text. */
const char *apsp_profile_option_name(enum apsp_profile_option option);

/* Whether the option is a number in JSON. */
bool apsp_profile_option_is_number(enum apsp_profile_option option);

/*
 * Whether the option is a list of words in JSON, which its text joins by
 * commas. Every other option that is no number is a string.
 */
bool apsp_profile_option_is_list(enum apsp_profile_option option);

/*
 * Write the option's value as clients would. False, and out is "", if the
 * profile leaves the option unset.
 */
bool apsp_profile_option_print(const struct apsp_profile *profile,
	enum apsp_profile_option option, char out[APSP_PROFILE_VALUE_SIZE]);

/*
 * Fill *out from texts. The default of duplicates is sum where the transform
 * reads strengths and min where it is none. APSP_EMALFORMED: a text is not one
 * of its option's values; the message names the option, the text and the
 * values.
 */
int apsp_profile_parse(const struct apsp_profile_texts *texts,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Write the canonical text, which storage keeps and hashes: "transform=inv
 * duplicates=sum invalid=error precision=float32 min_weight=5
 * algorithm=blocked-fw measures=betweenness"; the last three only where they
 * are set. The number has 17 significant digits. Locale does not matter.
 */
void apsp_profile_format(
	const struct apsp_profile *profile, char out[APSP_PROFILE_TEXT_SIZE]);

/*
 * Read a rule's text as another version may have written it: options in any
 * order, and the default for each that is missing. APSP_EDATA: an option or a
 * value that this version does not know, which could mean other lengths.
 */
int apsp_profile_scan(
	const char *text, struct apsp_profile *out, struct apsp_err *err);

/* Whether two profiles are the same rule: they have the same canonical text. */
bool apsp_profile_equal(
	const struct apsp_profile *a, const struct apsp_profile *b);

/*
 * The first option by which arcs have other lengths under the two rules, or
 * APSP_PROFILE_OPTIONS. The options that decide how lengths are computed and
 * stored (precision, algorithm, measures) do not count.
 */
enum apsp_profile_option apsp_profile_lengths_differ(
	const struct apsp_profile *a, const struct apsp_profile *b);

/* Whether the profile asks for the measure. */
static inline bool apsp_profile_measures(
	const struct apsp_profile *profile, enum apsp_measure measure)
{
	return profile->measures & measure;
}

/* The transform's name, borrowed; NULL past the last transform. */
const char *apsp_transform_name(enum apsp_transform transform);

/* Whether a weight lies in the transform's domain; NaN and infinity never. */
bool apsp_transform_accepts(enum apsp_transform transform, double weight);

/* The domain as a phrase for messages: "inv needs a weight above 0". */
const char *apsp_transform_domain(enum apsp_transform transform);

#endif
