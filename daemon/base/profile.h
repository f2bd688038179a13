/*
 * A profile: the rule that turns arc weights into arc lengths
 * (compute/graph/README.md, Transforms). It is plain data, which storage,
 * compute and api all read.
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

/* The length of an arc with the weight w, and the domain of w. */
enum apsp_transform {
	APSP_TRANSFORM_NONE,	/* length w, if w is finite */
	APSP_TRANSFORM_HOPS,	/* length 1, if w != 0 */
	APSP_TRANSFORM_INV,	/* length 1/w, if w > 0 */
	APSP_TRANSFORM_LOG,	/* length -ln w, if 0 < w <= 1 */
	APSP_TRANSFORM_LOGNORM, /* length -ln(w / max w), if w > 0 */
};

/* The weight that replaces the weights of several arcs between one ordered pair
   of vertices. */
enum apsp_duplicates {
	APSP_DUPLICATES_SUM,
	APSP_DUPLICATES_MIN,
	APSP_DUPLICATES_MAX,
	APSP_DUPLICATES_LAST,
	APSP_DUPLICATES_ERROR,
};

/* The treatment of a weight outside the transform's domain. */
enum apsp_invalid {
	APSP_INVALID_REFUSE,
	APSP_INVALID_DROP,
};

/* The type in which real distances are stored. */
enum apsp_precision {
	APSP_PRECISION_FLOAT32,
	APSP_PRECISION_FLOAT64,
};

/*
 * Measures, which are computed with the tables if a profile asks for them. They
 * are bits, so that an integer can hold a set of them.
 */
enum apsp_measure {
	APSP_MEASURE_BETWEENNESS = 1,
};

/* Which tables the file holds (storage/tables/README.md, Fewer tables). */
enum apsp_tables_kept {
	APSP_TABLES_AUTO, /* all if they have room, else `distance` */
	APSP_TABLES_ALL,
	/* without the table that can be computed from the other one */
	APSP_TABLES_DISTANCE,
};

struct apsp_profile {
	enum apsp_transform transform;
	enum apsp_duplicates duplicates;
	enum apsp_invalid invalid;
	enum apsp_precision precision;
	bool has_min_weight;
	double min_weight;
	char algorithm[APSP_ALGORITHM_SIZE]; /* "": the solver chooses */
	/* a set of bits of enum apsp_measure */
	unsigned int measures;
	enum apsp_tables_kept tables;
};

/*
 * The options of a profile. profile.c has one row for each; the query, the
 * body, the answers and the canonical text are made from these rows.
 */
enum apsp_profile_option {
	APSP_OPTION_TRANSFORM,	/* "none", "hops", "inv", "log", "lognorm" */
	APSP_OPTION_DUPLICATES, /* "sum", "min", "max", "last", "error" */
	APSP_OPTION_INVALID,	/* "error", "drop" */
	APSP_OPTION_PRECISION,	/* "float32", "float64" */
	APSP_OPTION_MIN_WEIGHT, /* a finite decimal number */
	APSP_OPTION_ALGORITHM,	/* any name; the caller checks that it exists */
	APSP_OPTION_MEASURES,	/* "betweenness", or "none" */
	APSP_OPTION_TABLES,	/* "auto", "all", "distance" */
	APSP_PROFILE_OPTIONS,
};

/* A profile as clients write it: NULL for each option that is not given. */
struct apsp_profile_texts {
	const char *value[APSP_PROFILE_OPTIONS];
};

/* The option's name in queries, bodies, answers and the canonical text. */
const char *apsp_profile_option_name(enum apsp_profile_option option);

/* The type of an option in JSON. */
enum apsp_profile_form {
	APSP_FORM_TEXT,
	APSP_FORM_NUMBER,
	/* a list of words; the option's text has commas between them */
	APSP_FORM_LIST,
};

enum apsp_profile_form apsp_profile_option_form(
	enum apsp_profile_option option);

/*
 * Write the option's value as clients write it. False, and out is "", if the
 * profile does not set the option.
 */
bool apsp_profile_option_print(const struct apsp_profile *profile,
	enum apsp_profile_option option, char out[APSP_PROFILE_VALUE_SIZE]);

/*
 * Fill *out from `texts`. If `duplicates` is not given, it is min for the
 * transform `none`, whose weights are lengths, and sum for the other
 * transforms. APSP_EMALFORMED: a text is not one of its option's values; the
 * message has the option's name, the text and the valid values.
 */
int apsp_profile_parse(const struct apsp_profile_texts *texts,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Write the canonical text, which storage keeps and hashes: "transform=inv
 * duplicates=sum invalid=error precision=float32 min_weight=5
 * algorithm=blocked-fw measures=betweenness tables=all". The last four options
 * appear only if they are set. min_weight has 17 significant digits in any
 * locale.
 */
void apsp_profile_format(
	const struct apsp_profile *profile, char out[APSP_PROFILE_TEXT_SIZE]);

/*
 * Parse a rule's text, which another version of apspd may have written: options
 * may be in any order, and missing options get their defaults. APSP_EDATA: this
 * version does not know an option or a value, so it cannot know the lengths.
 */
int apsp_profile_scan(
	const char *text, struct apsp_profile *out, struct apsp_err *err);

/* Whether two profiles have the same canonical text. */
bool apsp_profile_equal(
	const struct apsp_profile *a, const struct apsp_profile *b);

/*
 * The first option by which the two rules may give an arc different lengths;
 * APSP_PROFILE_OPTIONS: there is none, and all lengths are equal. Options that
 * do not change lengths (precision, algorithm, measures, tables) are ignored.
 */
enum apsp_profile_option apsp_profile_lengths_differ(
	const struct apsp_profile *a, const struct apsp_profile *b);

/* Whether the profile asks for the measure. */
static inline bool apsp_profile_measures(
	const struct apsp_profile *profile, enum apsp_measure measure)
{
	return profile->measures & measure;
}

/* The transform's name, borrowed; NULL after the last transform. */
const char *apsp_transform_name(enum apsp_transform transform);

/* Whether a weight lies in the transform's domain; NaN and infinity never
   do. */
bool apsp_transform_accepts(enum apsp_transform transform, double weight);

/* The domain as a phrase for messages: "inv needs a weight above 0". */
const char *apsp_transform_domain(enum apsp_transform transform);

#endif
