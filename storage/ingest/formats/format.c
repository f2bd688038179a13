/*
 * The table made from the list of formats; see format.h.
 */
#include "storage/ingest/formats/format.h"

#include <stdio.h>
#include <string.h>

#define DECLARATION(enumerator, parser, ...)                                   \
	extern const struct apsp_parser apsp_parser_##parser;
APSP_FORMATS(DECLARATION)

#define ROW(enumerator, parser, name, contents, ...)                           \
	[APSP_FORMAT_##enumerator] = {                                         \
		name, contents, &apsp_parser_##parser, {__VA_ARGS__}},

static const struct {
	const char *name;
	enum apsp_contents contents;
	const struct apsp_parser *parser;
	const char *types[APSP_FORMAT_TYPES_MAX];
} formats[APSP_N_FORMATS] = {APSP_FORMATS(ROW)};

const char *apsp_format_name(enum apsp_format format)
{
	return formats[format].name;
}

int apsp_format_from_name(const char *name)
{
	for (int i = 0; i < APSP_N_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return i;
	return -1;
}

void apsp_format_names(char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (int i = 0; i < APSP_N_FORMATS && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
			i ? "|" : "", formats[i].name);
}

bool apsp_format_is_text(enum apsp_format format)
{
	return formats[format].contents != APSP_CONTENTS_BINARY;
}

bool apsp_format_is_dense(enum apsp_format format)
{
	return formats[format].contents != APSP_CONTENTS_ARCS;
}

const struct apsp_parser *apsp_format_parser(enum apsp_format format)
{
	return formats[format].parser;
}

const char *apsp_format_type(enum apsp_format format, size_t i)
{
	return i < APSP_FORMAT_TYPES_MAX ? formats[format].types[i] : NULL;
}
