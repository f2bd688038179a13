/*
 * The table that is generated from the list of formats; see format.h.
 */
#include "storage/ingest/formats/format.h"

#include <stdbool.h>
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

void apsp_format_names(char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (int i = 0; i < APSP_N_FORMATS && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
			i ? "|" : "", apsp_formats[i].name);
}

int apsp_format_check(enum apsp_format format,
	const struct apsp_file_options *file, struct apsp_err *err)
{
	const unsigned int files = apsp_formats[format].files;
	const char *name = apsp_formats[format].name, *why = NULL;
	bool columns = false;

	for (int role = 0; role < APSP_N_ROLES; role++)
		columns |= *file->columns[role] != '\0';
	if (file->has_nonedge && !(files & APSP_FILE_DENSE))
		why = "nonedge is the cell of a dense matrix that means no arc";
	else if (file->undirected && !(files & APSP_FILE_LIST))
		why = "undirected adds the reverse of each arc of a list; a "
		      "matrix has both directions itself";
	else if (columns && !(files & APSP_FILE_COLUMNS))
		why = "from_column, to_column and weight_column name columns "
		      "of a list";
	else if (file->decimal_comma && !(files & APSP_FILE_DECIMAL))
		why = "decimal is the decimal mark of separated text";
	if (!why)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s; format %s does not accept this option", why, name);
}
