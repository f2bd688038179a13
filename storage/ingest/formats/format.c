/*
 * The table that is generated from the list of formats; see format.h.
 */
#include "storage/ingest/formats/format.h"

#include <stdio.h>
#include <string.h>

#define DECLARATION(enumerator, parser, ...)                                   \
	extern const struct apsp_parser apsp_parser_##parser;
APSP_FORMATS(DECLARATION)

#define ROW(enumerator, parser, name, files, ...)                              \
	[APSP_FORMAT_##enumerator] = {                                         \
		name, files, &apsp_parser_##parser, {__VA_ARGS__}},

const struct apsp_format_row apsp_formats[APSP_N_FORMATS] = {APSP_FORMATS(ROW)};

int apsp_format_from_name(const char *name)
{
	for (int i = 0; i < APSP_N_FORMATS; i++)
		if (strcmp(apsp_formats[i].name, name) == 0)
			return i;
	return -1;
}

void apsp_format_names(char out[APSP_FORMAT_NAMES_SIZE])
{
	size_t used = 0;

	for (int i = 0; i < APSP_N_FORMATS && used < APSP_FORMAT_NAMES_SIZE;
		i++)
		used += (size_t)snprintf(out + used,
			APSP_FORMAT_NAMES_SIZE - used, "%s%s", i ? "|" : "",
			apsp_formats[i].name);
}
