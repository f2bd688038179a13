/*
 * Choosing vertices; see vertex_match.h.
 */
#include "api/vertex_match.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/query.h"
#include "daemon/base/auto.h"

enum {
	CONDITIONS_MAX = 32,
	NAMES_SIZE = 160, /* bytes for the columns' names in a message */
};

struct condition {
	uint32_t column;
	uint32_t value; /* index of the wanted value in the column, or
			   APSP_NO_VALUE */
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

/* List the columns' names, up to the first name that does not fit. */
static void names_write(
	const struct apsp_attributes *attributes, char out[NAMES_SIZE])
{
	size_t used = 0;

	*out = '\0';
	for (uint32_t c = 0; c < attributes->n_columns; c++) {
		const char *name = attributes->columns[c].name;
		size_t size = strlen(name);

		if (used + size + 3 > NAMES_SIZE)
			return;
		if (c > 0) {
			memcpy(out + used, ", ", 2);
			used += 2;
		}
		memcpy(out + used, name, size + 1);
		used += size;
	}
}

int apsp_vertex_match_column(const struct apsp_generation *generation,
	const char *name, size_t size, uint32_t *out, struct apsp_err *err)
{
	const struct apsp_attributes *attributes = generation->attributes;
	char names[NAMES_SIZE];

	if (!attributes)
		return apsp_fail(err, APSP_EMALFORMED,
			"the graph's vertices have no attributes; send them "
			"with PUT …/attributes");
	for (uint32_t c = 0; c < attributes->n_columns; c++) {
		const char *found = attributes->columns[c].name;

		if (strlen(found) == size && memcmp(found, name, size) == 0) {
			*out = c;
			return 0;
		}
	}
	names_write(attributes, names);
	return apsp_fail(err, APSP_EMALFORMED,
		"there is no attribute '%.*s', expected one of: %s",
		(int)(size < 64 ? size : 64), name, names);
}

static int condition_read(struct apsp_request *req,
	const struct apsp_generation *generation, const char *text,
	struct condition *out, struct apsp_err *err)
{
	const struct apsp_labels *values;
	const char *colon = strchr(text, ':'), *value;
	int64_t found;
	int r;

	if (!colon)
		return apsp_fail(err, APSP_EMALFORMED,
			"match is '%s'; expected name:value", text);
	value = colon + 1;
	r = apsp_vertex_match_column(
		generation, text, (size_t)(colon - text), &out->column, err);
	if (r < 0)
		return r;
	out->value = APSP_NO_VALUE;
	if (!*value)
		return 0;
	values = generation->attributes->columns[out->column].values;
	found = apsp_labels_find(values, value, strlen(value));
	if (found < 0) {
		apsp_request_extra(
			req, json_pack("{s:o*}", "suggestions",
				     apsp_reading_suggestions(values, value)));
		return apsp_fail(err, APSP_EMALFORMED,
			"no vertex has the %.*s '%s'", (int)(colon - text),
			text, value);
	}
	out->value = (uint32_t)found;
	return 0;
}

/* Whether the vertex has an allowed value in each column that has
   conditions. */
static bool vertex_matches(const struct apsp_attributes *attributes,
	const struct condition *conditions, size_t n, uint32_t v)
{
	bool holds = true;

	for (size_t i = 0; holds && i < n; i++) {
		uint32_t column = conditions[i].column;
		uint32_t value = apsp_attributes_value(attributes, column, v);

		holds = false;
		for (size_t k = 0; !holds && k < n; k++)
			holds = conditions[k].column == column &&
				conditions[k].value == value;
	}
	return holds;
}

int apsp_vertex_match_read(struct apsp_request *req,
	const struct apsp_generation *generation, struct apsp_vertex_match *out,
	struct apsp_err *err)
{
	struct condition conditions[CONDITIONS_MAX];
	size_t n = 0, at = 0;
	const char *text;
	uint64_t *bits;
	int r;

	/* a query cannot have more arguments than CONDITIONS_MAX */
	while (n < CONDITIONS_MAX &&
		(text = apsp_query_next(req, "match", &at))) {
		r = condition_read(
			req, generation, text, &conditions[n++], err);
		if (r < 0)
			return r;
	}
	if (n == 0) {
		out->bits = NULL;
		return 0;
	}
	bits = calloc(generation->n_vertices / 64 + 1, sizeof(*bits));
	if (!bits)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (uint32_t v = 0; v < generation->n_vertices; v++)
		if (vertex_matches(generation->attributes, conditions, n, v))
			bits[v / 64] |= UINT64_C(1) << v % 64;
	out->bits = bits;
	return 0;
}
