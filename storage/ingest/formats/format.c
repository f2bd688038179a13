/*
 * The table made from the list of formats; see format.h.
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

static const struct {
	const char *name;
	unsigned int files;
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
	return !(formats[format].files & APSP_FILE_BINARY);
}

int apsp_format_check(enum apsp_format format,
	const struct apsp_file_options *file, struct apsp_err *err)
{
	const unsigned int files = formats[format].files;
	const char *name = formats[format].name, *why = NULL;
	bool columns = false;

	for (int role = 0; role < APSP_N_ROLES; role++)
		columns |= *file->columns[role] != '\0';
	if (file->has_nonedge && !(files & APSP_FILE_DENSE))
		why = "nonedge says which cell of a dense matrix is no arc";
	else if (file->undirected && !(files & APSP_FILE_LIST))
		why = "undirected takes each arc of a list in both directions; "
		      "a matrix says both itself";
	else if (columns && !(files & APSP_FILE_COLUMNS))
		why = "from_column, to_column and weight_column name columns "
		      "of a list";
	else if (file->decimal_comma && !(files & APSP_FILE_DECIMAL))
		why = "decimal says how numbers in separated text are written";
	if (!why)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s; format %s takes no such option", why, name);
}

const struct apsp_parser *apsp_format_parser(enum apsp_format format)
{
	return formats[format].parser;
}

const char *apsp_format_type(enum apsp_format format, size_t i)
{
	return i < APSP_FORMAT_TYPES_MAX ? formats[format].types[i] : NULL;
}
