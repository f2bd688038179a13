/*
 * A profile: the rule that turns arc weights into arc lengths
 * (compute/graph/README.md, Transforms). It is plain data that storage, compute
 * and api read.
 *
 *	uploaded arcs → drop refused weights (invalid=drop)
 *	              → merge duplicates → drop below min_weight
 *	              → drop arcs of vertices that are left out (without)
 *	              → shares (normalise) → drop below min_share
 *	              → refuse or drop values outside the domain (invalid)
 *	              → transform → drop self-loops → lengths
 */
#ifndef APSP_DAEMON_JOB_PROFILE_H
#define APSP_DAEMON_JOB_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/conditions.h"
#include "daemon/base/err.h"
#include "daemon/base/limits.h"
#include "daemon/base/name.h"

enum {
	APSP_ALGORITHM_SIZE = 32, /* size of an algorithm's name with its NUL */
	/* size of the canonical text with its NUL */
	APSP_PROFILE_TEXT_SIZE = 4096,
	/* size of the text of one option with its NUL */
	APSP_PROFILE_VALUE_SIZE = APSP_CONDITIONS_SIZE,
};

/* The function that turns the weight w of an arc into a length. Its domain is
   the set of weights that have a length. */
enum apsp_transform {
	APSP_TRANSFORM_NONE,	/* length w, if w is finite */
	APSP_TRANSFORM_HOPS,	/* length 1, if w != 0 */
	APSP_TRANSFORM_INV,	/* length 1/w, if w > 0 */
	APSP_TRANSFORM_LOG,	/* length -ln w, if 0 < w <= 1 */
	APSP_TRANSFORM_LOGNORM, /* length -ln(w / max w), if w > 0 */
};

/*
 * Several arcs with the same tail and the same head are replaced by one arc.
 * This enum chooses the weight of that arc. APSP_DUPLICATES_ERROR: a graph with
 * such arcs is refused.
 */
enum apsp_duplicates {
	APSP_DUPLICATES_SUM,
	APSP_DUPLICATES_MIN,
	APSP_DUPLICATES_MAX,
	APSP_DUPLICATES_LAST,
	APSP_DUPLICATES_ERROR,
};

/* The treatment of a weight that is outside the transform's domain. */
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
 * The measures of vertices that a job can compute in addition to the tables.
 * Each measure is a bit, so that an integer can hold a set of measures.
 */
enum apsp_measure {
	APSP_MEASURE_BETWEENNESS = 1,
};

/* The tables that the file holds (storage/tables/README.md, Fewer tables). */
enum apsp_tables_kept {
	/* If there is room for all tables, the file holds all tables. If there
	   is less room, the file holds fewer tables, as with
	   APSP_TABLES_DISTANCE. If even the smallest tables do not fit into an
	   empty cache, the file holds no tables, as with APSP_TABLES_NONE. */
	APSP_TABLES_AUTO,
	APSP_TABLES_ALL,
	/* only distances or only predecessors: the table that takes fewer bytes
	   (apsp_table_dispensable()) */
	APSP_TABLES_DISTANCE,
	/* no tables: a row is computed when a request asks for it
	   (storage/rows/README.md) */
	APSP_TABLES_NONE,
};

/* The kind of paths for which the tables are computed. */
enum apsp_rule_path {
	APSP_PATH_SHORTEST, /* paths whose lengths have the least sum */
	/* paths whose smallest weight is as large as possible; only with the
	   transform `none` */
	APSP_PATH_WIDEST,
};

/*
 * The total by which a weight is divided before the transform; the quotient is
 * a share. Without normalise_by, a total is the sum of the weights of all
 * merged arcs to (or from) one vertex, before min_weight and `without` drop
 * arcs (compute/graph/README.md, Shares).
 */
enum apsp_normalise {
	APSP_NORMALISE_NONE,   /* weights stay as they are */
	APSP_NORMALISE_INPUT,  /* divide by the total weight of all arcs
				  to the arc's head */
	APSP_NORMALISE_OUTPUT, /* divide by the total weight of all
				  arcs from the arc's tail */
};

struct apsp_profile {
	enum apsp_transform transform;
	enum apsp_duplicates duplicates;
	enum apsp_invalid invalid;
	enum apsp_precision precision;
	bool has_min_weight;
	double min_weight;
	char algorithm[APSP_ALGORITHM_SIZE]; /* "": the solver chooses the
						algorithm */
	/* a set of bits of enum apsp_measure */
	unsigned int measures;
	enum apsp_tables_kept tables;
	enum apsp_rule_path path;
	enum apsp_normalise normalise;
	bool has_min_share; /* true only if `normalise` is not
			       APSP_NORMALISE_NONE */
	double min_share;
	/* name of the attribute that holds the totals; "": the totals are sums
	   of weights. Always "" if `normalise` is APSP_NORMALISE_NONE. */
	char normalise_by[APSP_ATTRIBUTE_NAME_MAX + 1];
	/* The vertices that are left out, as a canonical list of conditions
	   (conditions.h). Conditions with the same name are alternatives;
	   conditions with different names must all hold. "": no vertex is left
	   out. */
	char without[APSP_CONDITIONS_SIZE];
};

/*
 * The options of a profile. A table in profile.c has one row for each option.
 * The daemon uses this table to read options in queries and request bodies, and
 * to write options in answers and in the canonical text.
 */
enum apsp_profile_option {
	APSP_OPTION_TRANSFORM,	  /* "none", "hops", "inv", "log", "lognorm" */
	APSP_OPTION_DUPLICATES,	  /* "sum", "min", "max", "last", "error" */
	APSP_OPTION_INVALID,	  /* "error", "drop" */
	APSP_OPTION_PRECISION,	  /* "float32", "float64" */
	APSP_OPTION_MIN_WEIGHT,	  /* a finite decimal number */
	APSP_OPTION_ALGORITHM,	  /* any name; the caller checks that this
				     algorithm exists */
	APSP_OPTION_MEASURES,	  /* "betweenness", or "none" */
	APSP_OPTION_TABLES,	  /* "auto", "all", "distance", "none" */
	APSP_OPTION_PATH,	  /* "shortest", "widest" */
	APSP_OPTION_NORMALISE,	  /* "none", "input", "output" */
	APSP_OPTION_MIN_SHARE,	  /* a decimal number from 0 to 1; it needs
				     `normalise` */
	APSP_OPTION_NORMALISE_BY, /* name of an attribute, or "" for none; it
				     needs `normalise` */
	APSP_OPTION_WITHOUT, /* a list of conditions (conditions.h), or "" for
				none */
	APSP_PROFILE_OPTIONS,
};

/* The texts of a profile as clients write them. A text is NULL if its option is
   not given. */
struct apsp_profile_texts {
	const char *value[APSP_PROFILE_OPTIONS];
};

/* Return the name that the option has in queries, bodies, answers and the
   canonical text. */
const char *apsp_profile_option_name(enum apsp_profile_option option);

/* The type of an option in JSON. */
enum apsp_profile_form {
	APSP_FORM_TEXT,
	APSP_FORM_NUMBER,
	/* a list of words; in the option's text they are separated by commas */
	APSP_FORM_LIST,
	/* a list of conditions (conditions.h); in a query, each condition is a
	   separate argument */
	APSP_FORM_CONDITIONS,
};

enum apsp_profile_form apsp_profile_option_form(
	enum apsp_profile_option option);

/*
 * Write the option's value to `out`, as clients write it. Returns false if the
 * profile does not set the option; then `out` is "".
 */
bool apsp_profile_option_print(const struct apsp_profile *profile,
	enum apsp_profile_option option, char out[APSP_PROFILE_VALUE_SIZE]);

/*
 * Fill *out from `texts`. If `duplicates` is not given, its value becomes `min`
 * for path=shortest with the transform `none`, because weights are then
 * lengths; otherwise its value becomes `sum`. With path=widest, `tables`
 * becomes APSP_TABLES_DISTANCE. APSP_EMALFORMED: a text is not a valid value of
 * its option; path=widest is given together with a transform, measures,
 * tables=all or tables=none; or min_share or normalise_by is given without
 * normalise.
 */
int apsp_profile_parse(const struct apsp_profile_texts *texts,
	struct apsp_profile *out, struct apsp_err *err);

/* The effect of an option says what can change if the option gets another
   value. */
enum apsp_option_effect {
	/* the lengths of all arcs: lengths of two rules with different values
	   of such an option cannot be compared, unless both rules have the
	   transform `hops` */
	APSP_EFFECT_UNITS,
	APSP_EFFECT_ARCS, /* the set of arcs that have a length */
	/* the computation and storage of tables, but no length */
	APSP_EFFECT_TABLES,
};

/*
 * Compare two rules. Only options whose effect is `last`, or comes before
 * `last` in enum apsp_option_effect, are compared. Return the first option that
 * differs; APSP_PROFILE_OPTIONS: no option differs. If no option differs and
 * `last` is APSP_EFFECT_ARCS, both rules give the same lengths. If no option
 * differs and `last` is APSP_EFFECT_UNITS, lengths of one rule can be compared
 * with lengths of the other rule.
 */
enum apsp_profile_option apsp_profile_difference(const struct apsp_profile *a,
	const struct apsp_profile *b, enum apsp_option_effect last);

/* Whether the rule uses attributes or labels of vertices (options `without` and
   normalise_by), so that lengths depend on more than the uploaded arcs. */
bool apsp_profile_chooses(const struct apsp_profile *profile);

/* Return the transform's name, borrowed, or NULL if there is no such
   transform. */
const char *apsp_transform_name(enum apsp_transform transform);

#endif
