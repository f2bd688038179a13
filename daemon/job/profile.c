/*
 * The options of profiles; see profile.h. The table `options` describes all
 * options. Parsing, messages, the canonical text and the JSON of api/ all use
 * this table.
 */
#include "daemon/job/profile.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/fixed_text.h"
#include "daemon/base/number.h"

enum {
	/* largest number of bytes that a message quotes from a client's text */
	SHOWN_BYTES = 40,
	VALUES_SIZE = 64, /* bytes of a text such as "one of error, drop", with
			     all values of an option */
};

/* Each of these arrays has the names of the values of one enum, in the order of
   the enum. */
static const char *const transforms[] = {
	"none", "hops", "inv", "log", "lognorm", NULL};
static const char *const duplicates[] = {
	"sum", "min", "max", "last", "error", NULL};
static const char *const invalids[] = {"error", "drop", NULL};
static const char *const precisions[] = {"float32", "float64", NULL};
static const char *const tables[] = {"auto", "all", "distance", "none", NULL};
static const char *const paths[] = {"shortest", "widest", NULL};
static const char *const normalisations[] = {"none", "input", "output", NULL};

/*
 * There are three kinds of options. A choice is an enum in struct apsp_profile:
 * `choices` has the names of the enum's values. If `expected` is set, the
 * default of the choice is written as "". A number is a double, and a bool says
 * whether it is set. All other options are texts or sets: parse() sets the
 * member, and returns false if the text is not a valid value. print() writes
 * the value, or "" if the profile does not set the option; if print() is NULL,
 * the member is the text to be written.
 */
struct option {
	const char *name;
	/* the option's description, which the script api/contract/words.py
	   takes from this file */
	const char *meaning;
	/* names of the values of a choice; the first value is the default;
	   NULL: the option is not a choice */
	const char *const *choices;
	size_t offset;	    /* offset of the member in struct apsp_profile */
	size_t has;	    /* for a number: offset of its bool */
	double least, most; /* for a number: its smallest and largest value */
	enum apsp_profile_form form;
	enum apsp_option_effect effect;
	const char *expected; /* the valid values as text, for messages */
	bool (*parse)(const char *text, struct apsp_profile *out);
	void (*print)(const struct apsp_profile *profile,
		char out[APSP_PROFILE_VALUE_SIZE]);
};

static bool algorithm_parse(const char *text, struct apsp_profile *out)
{
	if (!apsp_name_valid(text) || strlen(text) >= APSP_ALGORITHM_SIZE)
		return false;
	memcpy(out->algorithm, text, strlen(text) + 1);
	return true;
}

/*
 * Parse words that are separated by commas. "none" or an empty text means no
 * measure: with such a text, a client removes the measures that the graph's
 * rule asks for.
 */
static bool measures_parse(const char *text, struct apsp_profile *out)
{
	static const char name[] = "betweenness";

	out->measures = 0;
	if (*text == '\0' || strcmp(text, "none") == 0)
		return true;
	for (;;) {
		size_t size = strcspn(text, ",");

		if (size != strlen(name) || memcmp(text, name, size) != 0)
			return false;
		out->measures |= APSP_MEASURE_BETWEENNESS;
		if (text[size] == '\0')
			return true;
		text += size + 1;
	}
}

static void measures_print(
	const struct apsp_profile *profile, char out[APSP_PROFILE_VALUE_SIZE])
{
	if (profile->measures & APSP_MEASURE_BETWEENNESS)
		snprintf(out, APSP_PROFILE_VALUE_SIZE, "betweenness");
}

/* Parse the option normalise_by. An empty name unsets the option. */
static bool normalise_by_parse(const char *text, struct apsp_profile *out)
{
	return apsp_fixed_text_set(
		out->normalise_by, sizeof(out->normalise_by), text);
}

/* Parse the option `without`. An empty list unsets the option. */
static bool without_parse(const char *text, struct apsp_profile *out)
{
	return apsp_conditions_canonical(text, out->without);
}

/* The next macros describe an option in the table `options`. The table has the
   options in the order of the canonical text, which is hashed. A new option
   must be the last one, and must print nothing if it is unset, so that the
   hashes of stored profiles do not change. */
#define CHOICE(member, values, what)                                           \
	.name = #member, .choices = (values), .meaning = (what),               \
	.offset = offsetof(struct apsp_profile, member)
#define NUMBER(member, from, to)                                               \
	.offset = offsetof(struct apsp_profile, member),                       \
	.has = offsetof(struct apsp_profile, has_##member), .least = (from),   \
	.most = (to)

static const struct option options[APSP_PROFILE_OPTIONS] = {
	[APSP_OPTION_TRANSFORM] = {CHOICE(transform, transforms,
		"the length of an arc of weight w: "
		"w, 1, 1/w, -ln w, -ln(w / max w)")},
	[APSP_OPTION_DUPLICATES] = {CHOICE(duplicates, duplicates,
		"the weight that replaces several arcs from one vertex to "
		"another")},
	[APSP_OPTION_INVALID] =
		{CHOICE(invalid, invalids,
			 "what to do with an arc whose weight has no length"),
			.effect = APSP_EFFECT_ARCS},
	[APSP_OPTION_PRECISION] = {CHOICE(precision, precisions,
					   "the type of real distances in "
					   "tables; float64 is also used "
					   "where float32 cannot hold them"),
		.effect = APSP_EFFECT_TABLES},
	[APSP_OPTION_MIN_WEIGHT] = {.name = "min_weight",
		NUMBER(min_weight, -DBL_MAX, DBL_MAX),
		.meaning = "weaker arcs are dropped, after duplicates are "
			   "merged",
		.form = APSP_FORM_NUMBER,
		.effect = APSP_EFFECT_ARCS,
		.expected = "a finite number of 64-bit floating point"},
	[APSP_OPTION_ALGORITHM] = {.name = "algorithm",
		.offset = offsetof(struct apsp_profile, algorithm),
		.meaning = "an algorithm that /v1/info lists; by default the "
			   "fastest",
		.effect = APSP_EFFECT_TABLES,
		.expected = "a name of at most 31 letters, digits and dashes",
		.parse = algorithm_parse},
	[APSP_OPTION_MEASURES] = {.name = "measures",
		.meaning = "measures that the job computes in addition to the "
			   "tables; betweenness of real lengths needs "
			   "tables=all, or auto, which then stores all tables",
		.form = APSP_FORM_LIST,
		.effect = APSP_EFFECT_TABLES,
		.expected = "betweenness, or none",
		.parse = measures_parse,
		.print = measures_print},
	[APSP_OPTION_TABLES] =
		{CHOICE(tables, tables,
			 "which tables are stored; auto: all, or distance if "
			 "all have no room, or none if no tables fit into the "
			 "cache"),
			.effect = APSP_EFFECT_TABLES,
			.expected = "auto, all, distance or none"},
	[APSP_OPTION_PATH] =
		{CHOICE(path, paths,
			 "shortest paths, whose lengths have the least sum, "
			 "or widest paths, whose least weight is the largest"),
			.expected = "shortest or widest"},
	[APSP_OPTION_NORMALISE] =
		{CHOICE(normalise, normalisations,
			 "replace each weight by its share of the total "
			 "weight of all arcs to its head (input) or from its "
			 "tail (output); totals precede min_weight"),
			.expected = "none, input or output"},
	[APSP_OPTION_MIN_SHARE] = {.name = "min_share",
		NUMBER(min_share, 0, 1),
		.meaning = "arcs with a smaller share are dropped; needs "
			   "normalise",
		.form = APSP_FORM_NUMBER,
		.effect = APSP_EFFECT_ARCS,
		.expected = "a share from 0 to 1"},
	[APSP_OPTION_NORMALISE_BY] = {.name = "normalise_by",
		.offset = offsetof(struct apsp_profile, normalise_by),
		.meaning = "the attribute whose numbers are the totals of the "
			   "vertices; by default totals are sums of weights; "
			   "needs normalise",
		.expected = "the name of an attribute",
		.parse = normalise_by_parse},
	[APSP_OPTION_WITHOUT] = {.name = "without",
		.offset = offsetof(struct apsp_profile, without),
		.meaning = "the vertices that are left out, by conditions like "
			   "type:KC or label:29, which mean what they mean in "
			   "match; repeatable",
		.form = APSP_FORM_CONDITIONS,
		.effect = APSP_EFFECT_ARCS,
		.expected = "conditions like type:KC or label:29, of at most "
			    "1024 bytes in all",
		.parse = without_parse},
};

static_assert(sizeof(enum apsp_transform) == sizeof(int), "a choice is an int");
static_assert(APSP_ALGORITHM_SIZE == 32, "options[] says 31");
static_assert(APSP_WITHOUT_BYTES_MAX == 1024, "options[] says 1024");
static_assert(APSP_ALGORITHM_SIZE <= (int)APSP_PROFILE_VALUE_SIZE &&
		      APSP_NUMBER_TEXT_SIZE <= (int)APSP_PROFILE_VALUE_SIZE &&
		      APSP_ATTRIBUTE_NAME_MAX < (int)APSP_PROFILE_VALUE_SIZE,
	"every value has room");
/* in the values of `without` and `normalise_by`, each byte can become three
   bytes of the canonical text (percent-encoding); all other options together
   have less than 512 bytes */
static_assert(3 * (APSP_WITHOUT_BYTES_MAX + APSP_ATTRIBUTE_NAME_MAX) + 512 <
		      (int)APSP_PROFILE_TEXT_SIZE,
	"the canonical text has room");

const char *apsp_profile_option_name(enum apsp_profile_option option)
{
	return options[option].name;
}

enum apsp_profile_form apsp_profile_option_form(enum apsp_profile_option option)
{
	return options[option].form;
}

bool apsp_profile_option_print(const struct apsp_profile *profile,
	enum apsp_profile_option option, char out[APSP_PROFILE_VALUE_SIZE])
{
	const struct option *row = &options[option];
	const void *member = (const char *)profile + row->offset;
	const char *text = member;
	int choice;

	*out = '\0';
	if (row->form == APSP_FORM_NUMBER) {
		if (*(const bool *)((const char *)profile + row->has))
			apsp_number_format(*(const double *)member, out);
	} else if (row->print) {
		row->print(profile, out);
	} else {
		if (row->choices) {
			memcpy(&choice, member, sizeof(choice));
			text = choice != 0 || !row->expected
				       ? row->choices[choice]
				       : "";
		}
		snprintf(out, APSP_PROFILE_VALUE_SIZE, "%s", text);
	}
	return *out != '\0';
}

/* Set a choice to the value with this name. If there is no such value, return
   false and store a list of the names in `values`. */
static bool choice_parse(const struct option *option, const char *text,
	struct apsp_profile *profile, char values[VALUES_SIZE])
{
	for (int i = 0; option->choices[i]; i++)
		if (strcmp(text, option->choices[i]) == 0) {
			memcpy((char *)profile + option->offset, &i, sizeof(i));
			return true;
		}
	snprintf(values, VALUES_SIZE, "one of ");
	apsp_fixed_text_list(values + strlen(values),
		VALUES_SIZE - strlen(values), option->choices);
	return false;
}

/* Set a number. Returns false if the text is not a number in the option's
   range. */
static bool number_parse(const struct option *option, const char *text,
	struct apsp_profile *profile)
{
	void *member = (char *)profile + option->offset;
	bool *has = (bool *)((char *)profile + option->has);
	double *number = member;

	*has = apsp_number_parse(text, strlen(text), number) ==
		       APSP_NUMBER_FINITE &&
	       *number >= option->least && *number <= option->most;
	/* adding 0.0 turns -0 into 0, so that both have the same text and
	   hash */
	*number += 0.0;
	return *has;
}

/* Check that options with path=widest can be combined with it, and that options
   about shares come with `normalise`. With path=widest, set `tables` to
   `distance`. */
static int combination_check(struct apsp_profile *profile, struct apsp_err *err)
{
	const bool widest = profile->path == APSP_PATH_WIDEST;
	const bool shares = profile->normalise != APSP_NORMALISE_NONE;

	if (widest && profile->transform != APSP_TRANSFORM_NONE)
		return apsp_fail(err, APSP_EMALFORMED,
			"path=widest compares weights, so transform is '%s', "
			"expected none; leave out the transform or the path",
			transforms[profile->transform]);
	if (widest && profile->measures != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"path=widest has no measures, because betweenness "
			"counts shortest paths; leave out the measures or the "
			"path");
	if (widest && (profile->tables == APSP_TABLES_NONE ||
			      profile->tables == APSP_TABLES_ALL))
		return apsp_fail(err, APSP_EMALFORMED,
			"path=widest stores one table, of widths, so tables is "
			"'%s', expected distance; leave out tables or the path",
			tables[profile->tables]);
	if (!shares && profile->has_min_share)
		return apsp_fail(err, APSP_EMALFORMED,
			"min_share needs shares: add normalise=input or "
			"normalise=output, or use min_weight");
	if (!shares && *profile->normalise_by)
		return apsp_fail(err, APSP_EMALFORMED,
			"normalise_by needs shares: add normalise=input, which "
			"divides by the total of an arc's head, or "
			"normalise=output, which divides by that of its tail");
	if (widest)
		profile->tables = APSP_TABLES_DISTANCE;
	return 0;
}

int apsp_profile_parse(const struct apsp_profile_texts *texts,
	struct apsp_profile *out, struct apsp_err *err)
{
	struct apsp_profile profile = {0};
	char values[VALUES_SIZE];
	int r;

	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++) {
		const struct option *row = &options[i];
		const char *text = texts->value[i];
		bool valid = true;

		if (text && row->choices)
			valid = choice_parse(row, text, &profile, values);
		else if (text && row->form == APSP_FORM_NUMBER)
			valid = number_parse(row, text, &profile);
		else if (text)
			valid = row->parse(text, &profile);
		if (!valid)
			return apsp_fail(err, APSP_EMALFORMED,
				"%s is '%.*s', expected %s", row->name,
				SHOWN_BYTES, text,
				row->expected ? row->expected : values);
	}
	if (!texts->value[APSP_OPTION_DUPLICATES] &&
		profile.transform == APSP_TRANSFORM_NONE &&
		profile.path == APSP_PATH_SHORTEST)
		profile.duplicates = APSP_DUPLICATES_MIN;
	r = combination_check(&profile, err);
	if (r == 0)
		*out = profile;
	return r;
}

enum apsp_profile_option apsp_profile_difference(const struct apsp_profile *a,
	const struct apsp_profile *b, enum apsp_option_effect last)
{
	char text_a[APSP_PROFILE_VALUE_SIZE], text_b[APSP_PROFILE_VALUE_SIZE];
	int i = 0;

	/* with the transform `hops`, each arc has the length 1, whatever its
	   weight is */
	if (last == APSP_EFFECT_UNITS && a->transform == APSP_TRANSFORM_HOPS &&
		b->transform == APSP_TRANSFORM_HOPS)
		return APSP_PROFILE_OPTIONS;
	for (; i < APSP_PROFILE_OPTIONS; i++) {
		enum apsp_profile_option option = (enum apsp_profile_option)i;

		apsp_profile_option_print(a, option, text_a);
		apsp_profile_option_print(b, option, text_b);
		if (options[i].effect <= last && strcmp(text_a, text_b) != 0)
			break;
	}
	return (enum apsp_profile_option)i;
}

bool apsp_profile_chooses(const struct apsp_profile *profile)
{
	return *profile->without || *profile->normalise_by;
}

const char *apsp_transform_name(enum apsp_transform transform)
{
	const size_t n = sizeof(transforms) / sizeof(*transforms);

	return transform < n ? transforms[transform] : NULL;
}
