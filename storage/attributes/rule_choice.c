/*
 * Finds the vertices that a rule leaves out, and the totals by which a rule
 * divides weights; see rule_choice.h.
 */
#include "storage/attributes/rule_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "daemon/base/conditions.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "storage/attributes/near_values.h"

enum {
	NAMES_SIZE = 144, /* bytes of a buffer for the attributes' names in a
			     message */
};

/* Find an attribute that an option of a rule names. If `explains` is true, the
   error message lists the graph's attributes. */
static int attribute_find(const struct apsp_attributes *attributes,
	const char *name, size_t size, const char *option, bool explains,
	uint32_t *out, struct apsp_err *err)
{
	uint32_t n = attributes ? attributes->n_columns : 0;
	const char *all[APSP_ATTRIBUTE_COLUMNS_MAX + 1] = {NULL};
	char names[NAMES_SIZE] = "";

	for (uint32_t c = 0; c < n; c++) {
		const char *found = all[c] = attributes->columns[c].name;

		if (strlen(found) == size && memcmp(found, name, size) == 0) {
			*out = c;
			return 0;
		}
	}
	if (explains)
		apsp_fixed_text_list(names, sizeof(names), all);
	return apsp_fail(err, APSP_EDATA,
		"%s names the attribute '%s', which the graph does not have; "
		"send it with PUT …/attributes, or change the rule%s%s",
		option, apsp_excerpt_of(name, size).text,
		*names ? "; the graph has " : "", names);
}

/*
 * Which values of one column are chosen by the conditions on this column: bit k
 * of `allowed` is set if the value with the number k is chosen. Bit n_values
 * stands for vertices without a value. If the column is APSP_LABEL_COLUMN, a
 * value is a label, and its number is the index of the vertex.
 */
struct column_choice {
	uint32_t column;
	uint32_t n_values;
	uint64_t *allowed; /* owned */
};

/* The conditions of a rule, collected for each column. The columns are in the
   order in which the rule names them. The labels count as one more column. */
struct choosing {
	const struct apsp_labels *labels;
	const struct apsp_attributes *attributes;
	struct column_choice columns[APSP_ATTRIBUTE_COLUMNS_MAX + 1];
	size_t n_columns;
};

static void choosing_done(struct choosing *choosing)
{
	for (size_t i = 0; i < choosing->n_columns; i++)
		free(choosing->columns[i].allowed);
}

/* Find the struct of a column. If there is none, make one without chosen
   values. NULL: no memory. */
static struct column_choice *column_choice(
	struct choosing *choosing, uint32_t column)
{
	uint32_t n = apsp_attributes_values(
		choosing->attributes, column, choosing->labels)
			     ->count;
	struct column_choice *made = &choosing->columns[choosing->n_columns];

	for (size_t i = 0; i < choosing->n_columns; i++)
		if (choosing->columns[i].column == column)
			return &choosing->columns[i];
	made->allowed = calloc(n / 64 + 1, sizeof(*made->allowed));
	if (!made->allowed)
		return NULL;
	made->column = column;
	made->n_values = n;
	choosing->n_columns++;
	return made;
}

static bool is_of_labels(const char *condition)
{
	return strncmp(condition, "label:", strlen("label:")) == 0;
}

/* Add a condition. If no vertex has the condition's value and `explains` is
   true, the error message suggests other values. */
static int condition_add(struct choosing *choosing, const char *condition,
	bool explains, struct apsp_err *err)
{
	size_t size = apsp_condition_name_size(condition);
	const char *value = condition + size + 1;
	char near[APSP_NEAR_VALUES_SIZE] = "";
	uint32_t column = APSP_LABEL_COLUMN;
	struct column_choice *choice;
	int64_t found;
	int r = 0;

	if (!is_of_labels(condition))
		r = attribute_find(choosing->attributes, condition, size,
			"without", explains, &column, err);
	if (r < 0)
		return r;
	choice = column_choice(choosing, column);
	if (!choice)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the vertices that are left out");
	found = *value || column == APSP_LABEL_COLUMN
			? apsp_labels_find(
				  apsp_attributes_values(choosing->attributes,
					  column, choosing->labels),
				  value, strlen(value))
			: (int64_t)choice->n_values;
	if (found < 0 && explains)
		apsp_near_values_write(choosing->labels, choosing->attributes,
			column, value, true, near);
	if (found < 0)
		return apsp_fail(err, APSP_EDATA,
			"without=%s chooses nobody: no vertex has this %s%s",
			apsp_excerpt_of(condition, strlen(condition)).text,
			column == APSP_LABEL_COLUMN ? "label" : "value", near);
	apsp_bit_set_add(choice->allowed, (uint64_t)found);
	return 0;
}

/* Whether the vertex has a chosen value in each column that has conditions. */
static bool is_chosen(const struct choosing *choosing, uint32_t v)
{
	for (size_t i = 0; i < choosing->n_columns; i++) {
		const struct column_choice *choice = &choosing->columns[i];
		uint32_t value = v;

		if (choice->column != APSP_LABEL_COLUMN)
			value = apsp_attributes_value(
				choosing->attributes, choice->column, v);
		if (value == APSP_NO_VALUE)
			value = choice->n_values;
		if (!apsp_bit_set_has(choice->allowed, value))
			return false;
	}
	return true;
}

static int left_out_make(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, bool explains,
	struct apsp_rule_choice *out, struct apsp_err *err)
{
	APSP_AUTO(choosing_done)
	struct choosing choosing = {.labels = labels, .attributes = attributes};
	const char *advice = "", *at = rule->without;
	char condition[APSP_CONDITION_SIZE];
	int r = 0;

	while (r == 0 && apsp_conditions_next(&at, condition))
		r = condition_add(&choosing, condition, explains, err);
	if (r < 0)
		return r;
	out->left_out =
		calloc(out->n_vertices / 64 + 1, sizeof(*out->left_out));
	if (!out->left_out)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the vertices that are left out");
	for (uint32_t v = 0; v < out->n_vertices; v++)
		if (is_chosen(&choosing, v)) {
			apsp_bit_set_add(out->left_out, v);
			out->n_left_out++;
		}
	if (out->n_left_out > 0 && out->n_left_out < out->n_vertices)
		return 0;
	if (explains && out->n_left_out == 0 && choosing.n_columns > 1)
		advice = "; conditions with different names must all hold for "
			 "the same vertex";
	return apsp_fail(err, APSP_EDATA,
		"without=%s chooses %s, so there is %s; change the rule or the "
		"attributes%s",
		apsp_excerpt_of(rule->without, strlen(rule->without)).text,
		out->n_left_out ? "every vertex" : "nobody",
		out->n_left_out ? "no graph left" : "nothing to leave out",
		advice);
}

static int totals_make(const struct apsp_profile *rule,
	const struct apsp_attributes *attributes, bool explains,
	struct apsp_rule_choice *out, struct apsp_err *err)
{
	uint32_t n = out->n_vertices, column = 0;
	int r = attribute_find(attributes, rule->normalise_by,
		strlen(rule->normalise_by), "normalise_by", explains, &column,
		err);

	if (r < 0)
		return r;
	out->totals = malloc(((size_t)n + 1) * sizeof(*out->totals));
	if (!out->totals)
		return apsp_fail(err, APSP_ENOMEM, "no memory for totals");
	for (uint32_t v = 0; v < n; v++) {
		const char *text = apsp_attributes_text(attributes, column, v);
		double total;

		out->totals[v] = NAN;
		if (apsp_number_parse(text, strlen(text), &total) ==
			APSP_NUMBER_FINITE)
			out->totals[v] = total + 0.0; /* -0 becomes 0 */
	}
	return 0;
}

static int choice_make(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, bool explains,
	struct apsp_rule_choice *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_rule_choice_done)
	struct apsp_rule_choice choice = {.n_vertices = labels->count};
	int r = 0;

	if (*rule->without)
		r = left_out_make(
			rule, labels, attributes, explains, &choice, err);
	if (r == 0 && *rule->normalise_by)
		r = totals_make(rule, attributes, explains, &choice, err);
	if (r == 0)
		*out = APSP_TAKE(choice);
	return r;
}

int apsp_rule_choice_make(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, struct apsp_rule_choice *out,
	struct apsp_err *err)
{
	return choice_make(rule, labels, attributes, false, out, err);
}

int apsp_rule_choice_check(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, struct apsp_err *err)
{
	APSP_AUTO(apsp_rule_choice_done) struct apsp_rule_choice choice = {0};

	return choice_make(rule, labels, attributes, true, &choice, err);
}

bool apsp_rule_choice_awaits_attributes(const struct apsp_profile *rule,
	const struct apsp_attributes *attributes)
{
	char condition[APSP_CONDITION_SIZE];
	const char *at = rule->without;

	if (attributes)
		return false;
	while (apsp_conditions_next(&at, condition))
		if (!is_of_labels(condition))
			return true;
	return *rule->normalise_by != '\0';
}

void apsp_rule_choice_done(struct apsp_rule_choice *choice)
{
	free(choice->left_out);
	free(choice->totals);
	*choice = (struct apsp_rule_choice){0};
}

void apsp_rule_choice_digest(const struct apsp_rule_choice *choice,
	const struct apsp_labels *labels, uint8_t out[APSP_CHOICE_DIGEST_SIZE])
{
	const uint8_t n[] = {(uint8_t)choice->n_left_out,
		(uint8_t)(choice->n_left_out >> 8),
		(uint8_t)(choice->n_left_out >> 16),
		(uint8_t)(choice->n_left_out >> 24)};
	struct sha256_ctx sha;
	size_t size;

	sha256_init(&sha);
	/* begin with the number of left-out labels, because nothing else marks
	   where these labels end and the totals begin */
	sha256_update(&sha, sizeof(n), n);
	for (uint32_t v = 0; choice->left_out && v < choice->n_vertices; v++)
		if (apsp_rule_choice_leaves_out(choice, v)) {
			const char *label = apsp_labels_get(labels, v, &size);

			/* the NUL separates this label from the next */
			sha256_update(&sha, size + 1, (const uint8_t *)label);
		}
	for (uint32_t v = 0; choice->totals && v < choice->n_vertices; v++) {
		double total = choice->totals[v];
		uint64_t bits = UINT64_MAX;
		uint8_t bytes[sizeof(bits)];

		/* write the same bytes on every machine: the lowest byte first,
		   and the same bits for every NaN */
		if (!isnan(total))
			memcpy(&bits, &total, sizeof(bits));
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(bits >> 8 * i);
		sha256_update(&sha, sizeof(bytes), bytes);
	}
	sha256_digest(&sha, APSP_CHOICE_DIGEST_SIZE, out);
}
