/*
 * Findings about uploads; see findings.h.
 */
#include "storage/ingest/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/utf8.h"

bool apsp_missing_value(const char *text, size_t size)
{
	static const char *const words[] = {
		"", "NA", "N/A", "#N/A", "NaN", "null", "None"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == size &&
			strncasecmp(words[i], text, size) == 0)
			return true;
	return false;
}

/* Whether a list of names, "roi, x", has this name. */
static bool is_listed(const char *names, const char *name)
{
	size_t size = strlen(name);

	while (strncmp(names, name, size) != 0 ||
		(names[size] != '\0' && strncmp(names + size, ", ", 2) != 0)) {
		names = strstr(names, ", ");
		if (!names)
			return false;
		names += strlen(", ");
	}
	return true;
}

/* Append a name to a list of names, unless the list has it already. */
static void name_list(
	char names[APSP_FOUND_NAMES_SIZE], const char *name, size_t size)
{
	const struct apsp_excerpt text = apsp_excerpt_of(name, size);
	const size_t used = strlen(names);
	const size_t room = APSP_FOUND_NAMES_SIZE - used;
	bool fits = strlen(text.text) + sizeof(", , …") <= room;

	if (size == 0 || is_listed(names, text.text) || is_listed(names, "…"))
		return;
	snprintf(names + used, room, "%s%s", used ? ", " : "",
		fits ? text.text : "…");
}

void apsp_findings_ignore(
	struct apsp_findings *findings, const char *name, size_t size)
{
	name_list(findings->ignored, name, size);
}

void apsp_findings_ignore_node(
	struct apsp_findings *findings, const char *name, size_t size)
{
	name_list(findings->of_nodes, name, size);
}

void apsp_found_add(
	struct apsp_found_texts *kind, const char *text, size_t size)
{
	if (kind->n++ == 0)
		snprintf(kind->first, sizeof(kind->first), "%s",
			apsp_excerpt_of(text, size).text);
}

/* Return the plural of a separator's name. */
static const char *separator_name(char separator)
{
	return separator == '\t'  ? "tabs"
	       : separator == ';' ? "semicolons"
				  : "commas";
}

size_t apsp_findings_warnings(const struct apsp_findings *f,
	char out[APSP_WARNINGS_MAX][APSP_WARNING_SIZE])
{
	char(*next)[APSP_WARNING_SIZE] = out;

	if (f->rounded.n)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu32 " vertices have labels like '%s', which are "
			"integers that a program has rounded: different ids "
			"may have become one; read and write ids as text "
			"(pandas: dtype=str)",
			f->rounded.n, f->rounded.first);
	else if (f->long_ids.n > 1 && f->n_long_zeros == f->long_ids.n)
		snprintf(*next++, APSP_WARNING_SIZE,
			"all %" PRIu32 " labels of %d digits or more have only "
			"zeros after the first %d, like '%s': a spreadsheet "
			"keeps %d digits, so different ids may have become "
			"one; write ids as text",
			f->long_ids.n, APSP_LONG_DIGITS, APSP_KEPT_DIGITS,
			f->long_ids.first, APSP_KEPT_DIGITS);
	if (f->decimal.n)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu32 " vertices have labels like '%s': these are "
			"integers that were read as reals, as pandas does "
			"where a column has blanks; requests must use this "
			"text",
			f->decimal.n, f->decimal.first);
	if (f->missing.n)
		snprintf(*next++, APSP_WARNING_SIZE,
			"'%s' was read as the label of a vertex; R and pandas "
			"write it for a missing value",
			f->missing.first);
	if (f->inexact.n)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu32 " weights like '%s' are whole numbers that "
			"64-bit floating point cannot hold; they were rounded",
			f->inexact.n, f->inexact.first);
	if (f->n_missing)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu64 " rows have no weight and were left out "
			"(invalid=drop)",
			f->n_missing);
	if (f->n_outside)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu64 " of %" PRIu64
			" rows have a weight that has no length under the "
			"rule; their arcs are not in the tables (invalid=drop)",
			f->n_outside, f->n_rows);
	if (f->n_columns && f->n_columns == f->n_rows && f->numeric)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%zu lines of %zu numbers were read as a list of arcs; "
			"if they are a dense matrix, say format=csv-matrix",
			f->n_columns, f->n_columns);
	if (f->rival)
		snprintf(*next++, APSP_WARNING_SIZE,
			"the first line has %s and %s; it was divided at %s; "
			"if %s separate fields, put fields that have %s in "
			"quotes",
			separator_name(f->separator), separator_name(f->rival),
			separator_name(f->separator), separator_name(f->rival),
			separator_name(f->separator));
	if (*f->ignored)
		snprintf(*next++, APSP_WARNING_SIZE,
			"ignored: %s (from_column, to_column and weight_column "
			"choose others)",
			f->ignored);
	if (*f->of_nodes)
		snprintf(*next++, APSP_WARNING_SIZE,
			"ignored of nodes: %s (PUT …/attributes stores "
			"attributes of vertices, from CSV)",
			f->of_nodes);
	if (f->count_is_column)
		snprintf(*next++, APSP_WARNING_SIZE,
			"weight_column=count read the column of that name; "
			"rows are counted only if there is none");
	if (f->isolated.n)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu32 " of %" PRIu32 " vertices have no arc from "
			"or to another, '%s' among them",
			f->isolated.n, f->n_vertices, f->isolated.first);
	if (f->n_repeats)
		snprintf(*next++, APSP_WARNING_SIZE,
			"%" PRIu64 " rows join a pair that an earlier row "
			"joins, in the same or the other direction, and "
			"undirected=true takes each in both: if the file has "
			"both directions, leave it out",
			f->n_repeats);
	return (size_t)(next - out);
}
