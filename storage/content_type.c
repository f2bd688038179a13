/*
 * One table of types and one of parameters.
 */
#include "storage/content_type.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/utf8.h"

static const struct {
	const char *name;
	enum apsp_format format;
} types[] = {
	{"text/csv", APSP_FORMAT_CSV},
	{"text/tab-separated-values", APSP_FORMAT_TSV},
	{"text/x-matrix-market", APSP_FORMAT_MTX},
	{"application/x-matrix-market", APSP_FORMAT_MTX},
	{"text/x-dimacs", APSP_FORMAT_GR},
	{"application/x-dimacs", APSP_FORMAT_GR},
	{"application/x-npy", APSP_FORMAT_NPY},
	{"application/json", APSP_FORMAT_JSON},
};

enum {
	N_TYPES = sizeof(types) / sizeof(*types),
	SHOWN_MAX = 33, /* bytes of an unknown type */
};

/* Part of a header, borrowed. */
struct part {
	const char *text;
	size_t size;
};

static bool part_is(struct part part, const char *text)
{
	return strlen(text) == part.size &&
	       strncasecmp(text, part.text, part.size) == 0;
}

/* The part from text up to one of the bytes of stop, without blanks around. */
static struct part part_until(const char *text, const char *stop)
{
	struct part part = {text, strcspn(text, stop)};

	while (part.size > 0 && strchr(" \t", *part.text)) {
		part.text++;
		part.size--;
	}
	while (part.size > 0 && strchr(" \t", part.text[part.size - 1]))
		part.size--;
	return part;
}

/* "name=value" or "name=\"value\"": whether it says just this. */
static bool says(struct part parameter, const char *name, const char *value)
{
	const size_t size = strlen(name);
	struct part rest;

	if (parameter.size <= size || parameter.text[size] != '=' ||
		!part_is((struct part){parameter.text, size}, name))
		return false;
	rest = (struct part){
		parameter.text + size + 1, parameter.size - size - 1};
	if (rest.size >= 2 && *rest.text == '"' &&
		rest.text[rest.size - 1] == '"') {
		rest.text++;
		rest.size -= 2;
	}
	return part_is(rest, value);
}

static int parameter_take(
	struct part parameter, enum apsp_format *format, struct apsp_err *err)
{
	const bool is_csv =
		*format == APSP_FORMAT_CSV || *format == APSP_FORMAT_CSV_MATRIX;

	if (parameter.size == 0) /* "text/csv;" */
		return 0;
	if (says(parameter, "charset", "utf-8") ||
		says(parameter, "charset", "us-ascii"))
		return 0;
	if (is_csv && says(parameter, "layout", "matrix")) {
		*format = APSP_FORMAT_CSV_MATRIX;
		return 0;
	}
	return apsp_fail(err, APSP_EMEDIATYPE,
		"the Content-Type says '%s'; expected %scharset=utf-8, "
		"charset=us-ascii or no parameter",
		apsp_excerpt_of(parameter.text, parameter.size).text,
		is_csv ? "layout=matrix, " : "");
}

static int type_unknown(struct part type, struct apsp_err *err)
{
	char known[APSP_CONTENT_TYPES_SIZE];

	apsp_content_types(known, sizeof(known));
	/* no more of it than leaves room for all that is known */
	return apsp_fail(err, APSP_EMEDIATYPE,
		"Content-Type '%.*s'; expected %s or ?format=NAME",
		type.size < SHOWN_MAX ? (int)type.size : SHOWN_MAX, type.text,
		known);
}

int apsp_content_type_format(
	const char *content_type, enum apsp_format *out, struct apsp_err *err)
{
	struct part type = part_until(content_type, ";");
	enum apsp_format format;
	size_t i = 0;
	int r = 0;

	while (i < N_TYPES && !part_is(type, types[i].name))
		i++;
	if (i == N_TYPES)
		return type_unknown(type, err);
	format = types[i].format;
	for (const char *p = strchr(content_type, ';'); p && r == 0;
		p = strchr(p + 1, ';'))
		r = parameter_take(part_until(p + 1, ";"), &format, err);
	if (r == 0)
		*out = format;
	return r;
}

void apsp_content_types(char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < N_TYPES && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s%s",
			i ? ", " : "", types[i].name,
			types[i].format == APSP_FORMAT_CSV ? "[;layout=matrix]"
							   : "");
}
