/*
 * Compares Content-Types with the list of formats; see content_type.h.
 */
#include "storage/ingest/formats/content_type.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/utf8.h"

enum {
	SHOWN_MAX = 33, /* a message shows at most this many bytes of an unknown
			   type */
	PARAMETERS_SIZE = 64,
	TYPES_SIZE = 224, /* size in bytes of the list of all Content-Types in a
			     message; a test checks that this size suffices */
};

/* A part of a header's text; borrowed. */
struct part {
	const char *text;
	size_t size;
};

static bool same(struct part a, struct part b)
{
	return a.size == b.size && strncasecmp(a.text, b.text, a.size) == 0;
}

/* Return the part of `text` before the first byte that `stop` contains, without
   blanks at its ends. */
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

/* Whether a parameter of a header equals `wanted`, a text "name=value". The
   parameter's value may be in quotes. */
static bool says(struct part parameter, const char *wanted)
{
	const size_t value = strcspn(wanted, "=") + 1;
	struct part rest;

	if (parameter.size < value ||
		strncasecmp(parameter.text, wanted, value) != 0)
		return false;
	rest = (struct part){parameter.text + value, parameter.size - value};
	if (rest.size >= 2 && *rest.text == '"' &&
		rest.text[rest.size - 1] == '"') {
		rest.text++;
		rest.size -= 2;
	}
	return same(rest, part_until(wanted + value, ""));
}

enum {
	N_TYPES = APSP_N_FORMATS * APSP_FORMAT_TYPES_MAX,
};

/* Return Content-Type number i in the list of all formats; "" if there is none.
 */
static const char *type_get(size_t i)
{
	const char *text = apsp_formats[i / APSP_FORMAT_TYPES_MAX]
				   .types[i % APSP_FORMAT_TYPES_MAX];

	return text ? text : "";
}

/* Return the parameter of Content-Type i, or "" if it has no parameter. NULL:
   the media type of Content-Type i is not `type`. */
static const char *parameter_of(size_t i, struct part type)
{
	const char *text = type_get(i);

	if (!same(part_until(text, ";"), type))
		return NULL;
	text += strcspn(text, ";");
	return *text ? text + 1 : text;
}

static int parameter_parse(struct part type, struct part parameter,
	enum apsp_format *format, struct apsp_err *err)
{
	char known[PARAMETERS_SIZE] = "";
	const char *wanted;
	size_t used = 0;

	/* ignore a semicolon without a parameter, as in "text/csv;" */
	if (parameter.size == 0)
		return 0;
	if (says(parameter, "charset=utf-8") ||
		says(parameter, "charset=us-ascii"))
		return 0;
	for (size_t i = 0; i < N_TYPES; i++) {
		wanted = parameter_of(i, type);
		if (!wanted || !*wanted)
			continue;
		if (says(parameter, wanted)) {
			*format = (enum apsp_format)(i / APSP_FORMAT_TYPES_MAX);
			return 0;
		}
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used,
				sizeof(known) - used, "%s, ", wanted);
	}
	return apsp_fail(err, APSP_EMEDIATYPE,
		"the Content-Type says '%s'; expected %scharset=utf-8, "
		"charset=us-ascii or no parameter",
		apsp_excerpt_of(parameter.text, parameter.size).text, known);
}

/* Refuse an unknown type. The message lists all media types, each with its
   possible parameters: "text/csv[;layout=matrix], …". */
static int type_unknown(struct part type, struct apsp_err *err)
{
	const size_t rest =
		sizeof("Content-Type ''; expected  or ?format=NAME");
	const char *known_type, *parameter;
	char known[TYPES_SIZE];
	size_t shown = SHOWN_MAX, used = 0, left;

	for (size_t i = 0; i < N_TYPES && used < TYPES_SIZE; i++) {
		known_type = type_get(i);
		if (!*known_type || strchr(known_type, ';'))
			continue;
		used += (size_t)snprintf(known + used, TYPES_SIZE - used,
			"%s%s", used ? ", " : "", known_type);
		for (size_t k = 0; k < N_TYPES && used < TYPES_SIZE; k++) {
			parameter = parameter_of(k, part_until(known_type, ""));
			if (parameter && *parameter)
				used += (size_t)snprintf(known + used,
					TYPES_SIZE - used, "[;%s]", parameter);
		}
	}
	/* the message has all known types; shorten the unknown type if the
	   message would be too long */
	left = rest + strlen(known);
	left = left < APSP_MESSAGE_SIZE ? APSP_MESSAGE_SIZE - left : 0;
	if (shown > left)
		shown = left;
	return apsp_fail(err, APSP_EMEDIATYPE,
		"Content-Type '%.*s'; expected %s or ?format=NAME",
		(int)(type.size < shown ? type.size : shown), type.text, known);
}

int apsp_content_type_format(
	const char *content_type, enum apsp_format *out, struct apsp_err *err)
{
	struct part type = part_until(content_type, ";");
	enum apsp_format format = APSP_N_FORMATS;
	const char *parameter;
	int r = 0;

	for (size_t i = 0; i < N_TYPES && type.size > 0; i++) {
		parameter = parameter_of(i, type);
		if (parameter && !*parameter)
			format = (enum apsp_format)(i / APSP_FORMAT_TYPES_MAX);
	}
	if (format == APSP_N_FORMATS)
		return type_unknown(type, err);
	for (const char *p = strchr(content_type, ';'); p && r == 0;
		p = strchr(p + 1, ';'))
		r = parameter_parse(type, part_until(p + 1, ";"), &format, err);
	if (r == 0)
		*out = format;
	return r;
}
