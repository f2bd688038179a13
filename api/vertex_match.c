/*
 * Choosing vertices; see vertex_match.h.
 */
#include "api/vertex_match.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/query.h"
#include "daemon/base/bit_set.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/utf8.h"
#include "storage/attributes/near_values.h"

enum {
	NAMES_SIZE = 160, /* bytes for the columns' names in a message */
};

void apsp_vertex_match_done(struct apsp_vertex_match *match)
{
	free(match->bits);
	match->bits = NULL;
}

uint32_t apsp_vertex_match_next(
	const struct apsp_vertex_match *match, uint32_t v, uint32_t n)
{
	while (v < n && !apsp_vertex_match_has(match, v))
		v = match->bits[v / 64] >> v % 64 ? v + 1 : (v / 64 + 1) * 64;
	return v < n ? v : n;
}

int apsp_vertex_match_column(const struct apsp_generation *generation,
	const char *name, size_t size, uint32_t *out, struct apsp_err *err)
{
	const struct apsp_attributes *attributes = generation->attributes;
	const char *names[APSP_ATTRIBUTE_COLUMNS_MAX + 1] = {NULL};
	char list[NAMES_SIZE];

	if (!attributes)
		return apsp_fail(err, APSP_EMALFORMED,
			"the graph's vertices have no attributes; send them "
			"with PUT …/attributes");
	for (uint32_t c = 0; c < attributes->n_columns; c++) {
		names[c] = attributes->columns[c].name;
		if (strlen(names[c]) == size &&
			memcmp(names[c], name, size) == 0) {
			*out = c;
			return 0;
		}
	}
	apsp_fixed_text_list(list, sizeof(list), names);
	return apsp_fail(err, APSP_EMALFORMED,
		"there is no attribute '%.*s', expected one of: %s",
		(int)(size < 64 ? size : 64), name, list);
}

const char *apsp_vertex_match_name(
	const struct apsp_generation *generation, uint32_t column)
{
	return column == APSP_LABEL_COLUMN
		       ? "label"
		       : generation->attributes->columns[column].name;
}

/* Find the value that a condition names. If no vertex has it, *suggestions has
   similar values. */
static int value_find(const struct apsp_generation *generation, uint32_t column,
	const char *value, size_t size, uint32_t *out, json_t **suggestions,
	struct apsp_err *err)
{
	const struct apsp_labels *values = apsp_attributes_values(
		generation->attributes, column, generation->labels);
	char shown[APSP_LABEL_MAX + 1], near[APSP_NEAR_VALUES_SIZE];
	int64_t found;

	if (size == 0 && column != APSP_LABEL_COLUMN) {
		*out = APSP_NO_VALUE;
		return 0;
	}
	found = apsp_labels_find(values, value, size);
	if (found >= 0) {
		*out = (uint32_t)found;
		return 0;
	}
	snprintf(shown, sizeof(shown), "%.*s", (int)size, value);
	*suggestions = apsp_reading_suggestions(values, shown);
	/* name similar values in the message only if the error reply has no
	   suggestions, because clients show the suggestions anyway */
	apsp_near_values_write(generation->labels, generation->attributes,
		column, shown, json_array_size(*suggestions) == 0, near);
	return apsp_fail(err, APSP_EMALFORMED, "no vertex has the %s '%s'%s",
		apsp_vertex_match_name(generation, column),
		apsp_excerpt_of(value, size).text, near);
}

int apsp_vertex_condition_read(struct apsp_request *req,
	const struct apsp_generation *generation, const char *text, size_t size,
	const char *pointer, struct apsp_vertex_condition *out,
	struct apsp_err *err)
{
	const char *colon = memchr(text, ':', size);
	size_t name_size = colon ? (size_t)(colon - text) : 0;
	struct apsp_vertex_condition condition;
	json_t *suggestions = NULL;
	int r;

	condition.column = APSP_LABEL_COLUMN;
	if (colon && name_size == strlen("label") &&
		memcmp(text, "label", name_size) == 0)
		r = 0;
	else if (colon)
		r = apsp_vertex_match_column(
			generation, text, name_size, &condition.column, err);
	else
		r = apsp_fail(err, APSP_EMALFORMED,
			"match is '%s'; expected name:value",
			apsp_excerpt_of(text, size).text);
	if (r == 0) {
		r = value_find(generation, condition.column, colon + 1,
			size - name_size - 1, &condition.value, &suggestions,
			err);
	}
	if (r == 0)
		*out = condition;
	else if (pointer || suggestions)
		apsp_request_extra(
			req, json_pack("{s:s*, s:o*}", "pointer", pointer,
				     "suggestions", suggestions));
	return r;
}

/* Whether the vertex has an allowed value in each column that has conditions.
   In the column of labels, the value of a vertex is its index. */
static bool vertex_matches(const struct apsp_attributes *attributes,
	const struct apsp_vertex_condition *conditions, size_t n, uint32_t v)
{
	bool holds = true;

	for (size_t i = 0; holds && i < n; i++) {
		uint32_t column = conditions[i].column;
		uint32_t value =
			column == APSP_LABEL_COLUMN
				? v
				: apsp_attributes_value(attributes, column, v);

		holds = false;
		for (size_t k = 0; !holds && k < n; k++)
			holds = conditions[k].column == column &&
				conditions[k].value == value;
	}
	return holds;
}

int apsp_vertex_match_new(const struct apsp_generation *generation,
	const struct apsp_vertex_condition *conditions, size_t n,
	struct apsp_vertex_match *out, struct apsp_err *err)
{
	uint64_t *bits = calloc(generation->n_vertices / 64 + 1, sizeof(*bits));

	if (!bits)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (uint32_t v = 0; v < generation->n_vertices; v++)
		if (vertex_matches(generation->attributes, conditions, n, v))
			apsp_bit_set_add(bits, v);
	out->bits = bits;
	return 0;
}

int apsp_vertex_match_read(struct apsp_request *req,
	const struct apsp_generation *generation, struct apsp_vertex_match *out,
	struct apsp_err *err)
{
	struct apsp_vertex_condition conditions[APSP_VERTEX_CONDITIONS_MAX];
	size_t n = 0, at = 0;
	const char *text;
	int r;

	/* no condition is ignored, because a query has at most this many
	   arguments besides `cursor` */
	while (n < APSP_VERTEX_CONDITIONS_MAX &&
		(text = apsp_query_next(req, "match", &at))) {
		r = apsp_vertex_condition_read(req, generation, text,
			strlen(text), NULL, &conditions[n++], err);
		if (r < 0)
			return r;
	}
	if (n == 0) {
		out->bits = NULL;
		return 0;
	}
	return apsp_vertex_match_new(generation, conditions, n, out, err);
}
