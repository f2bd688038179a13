/*
 * The table that is generated from the list of formats; see format.h.
 */
#include "storage/ingest/formats/format.h"

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

#define BAR_AND_NAME(enumerator, parser, name, ...) "|" name

const char *const apsp_format_names = &APSP_FORMATS(BAR_AND_NAME)[1];
