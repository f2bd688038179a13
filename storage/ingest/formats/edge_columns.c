/*
 * Columns of edge lists; see edge_columns.h. The names in the header are
 * compared with the client's names. If the client gave no names, they are
 * compared with the names that connectome releases and graph tools use.
 */
#include "storage/ingest/formats/edge_columns.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/lines.h"
#include "storage/ingest/graph_builder.h"

enum {
	ALIASES_MAX = 14,
	NAMES_SIZE = 160, /* bytes of a list of names in a message */
};

/* For each role, the known names of its column. If a header has several of
   these names, the name that comes first in this list is used. */
static const char *const aliases[APSP_N_ROLES][ALIASES_MAX] = {
	[APSP_ROLE_FROM] = {"pre", "source", "from", "bodyId_pre", "body_pre",
		"pre_root_id", "source_id", "pre_pt_root_id", "pre_id", "i"},
	[APSP_ROLE_TO] = {"post", "target", "to", "bodyId_post", "body_post",
		"post_root_id", "target_id", "post_pt_root_id", "post_id", "j"},
	[APSP_ROLE_WEIGHT] = {"weight", "syn_count", "synapse_weight", "value",
		"length", "distance", "cost", "synapses", "count", "w", "size"},
};

/* Names of columns whose weights can only be lengths. */
static const char *const lengths[] = {"length", "distance", "cost"};

bool apsp_edge_name_says_lengths(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (apsp_word_is(text, size, lengths[i]))
			return true;
	return false;
}

int apsp_edge_name_rank(
	enum apsp_role role, const char *wanted, const char *text, size_t size)
{
	if (*wanted)
		return apsp_word_is(text, size, wanted) ? 0 : -1;
	for (int a = 0; a < ALIASES_MAX && aliases[role][a]; a++)
		if (apsp_word_is(text, size, aliases[role][a]))
			return a;
	return -1;
}

/* Write "weight, syn_count, …", the known names of a role. */
static void aliases_write(enum apsp_role role, char out[NAMES_SIZE])
{
	size_t used = 0;

	*out = '\0';
	for (size_t a = 0; aliases[role][a] && used < NAMES_SIZE; a++)
		used += (size_t)snprintf(out + used, NAMES_SIZE - used, "%s%s",
			a ? ", " : "", aliases[role][a]);
}

/* Write the names in the first line for a message. If the names are too long,
   the last ones are left out. */
static void fields_write(
	const struct apsp_kept_record *first, char out[NAMES_SIZE])
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < first->n_fields; i++) {
		struct apsp_field field = apsp_kept_record_get(first, i);
		struct apsp_excerpt name =
			apsp_excerpt_of(field.text, field.size);

		if (used + strlen(name.text) + sizeof(", …") >= NAMES_SIZE) {
			snprintf(out + used, NAMES_SIZE - used, "%s…",
				i ? ", " : "");
			return;
		}
		used += (size_t)snprintf(out + used, NAMES_SIZE - used, "%s%s",
			i ? ", " : "", name.text);
	}
}

int apsp_edge_column_find(const struct apsp_kept_record *first,
	enum apsp_role role, const char *wanted, size_t *out,
	struct apsp_err *err)
{
	int best = ALIASES_MAX;

	*out = APSP_NO_COLUMN;
	for (size_t i = 0; i < first->n_fields; i++) {
		struct apsp_field field = apsp_kept_record_get(first, i);
		int rank = apsp_edge_name_rank(
			role, wanted, field.text, field.size);

		if (rank < 0 || rank > best)
			continue;
		if (rank == best)
			return apsp_refuse(err, field.place,
				"the header names a second column '%s'",
				apsp_excerpt_of(field.text, field.size).text);
		best = rank;
		*out = i;
	}
	return 0;
}

/* Find the columns of all roles by their names. APSP_EDATA: two columns have
   the same name, or a name that the client gave is absent. */
static int named_columns_find(const struct apsp_kept_record *first,
	const char wanted[APSP_N_ROLES][APSP_COLUMN_SIZE],
	struct apsp_edge_columns *columns, struct apsp_err *err)
{
	char found[NAMES_SIZE];

	for (int role = 0; role < APSP_N_ROLES; role++) {
		int r = apsp_edge_column_find(first, (enum apsp_role)role,
			wanted[role], &columns->of[role], err);

		if (r < 0)
			return r;
		if (!*wanted[role] || columns->of[role] != APSP_NO_COLUMN)
			continue;
		columns->counted = role == APSP_ROLE_WEIGHT &&
				   strcmp(wanted[role], APSP_COLUMN_COUNT) == 0;
		if (columns->counted)
			continue;
		fields_write(first, found);
		return apsp_refuse(err, apsp_kept_record_get(first, 0).place,
			"%s is '%s', but the first line has no such name: "
			"found %s",
			apsp_column_options[role],
			apsp_excerpt_of(wanted[role], strlen(wanted[role]))
				.text,
			found);
	}
	return 0;
}

static int unfit(const struct apsp_kept_record *first, struct apsp_err *err)
{
	struct apsp_text_position place = apsp_kept_record_get(first, 0).place;
	char found[NAMES_SIZE], from[NAMES_SIZE], to[NAMES_SIZE];

	if (first->n_fields == 1)
		return apsp_refuse(err, place,
			"found 1 column, expected 2 (from, to) or 3 (from, to, "
			"weight)");
	fields_write(first, found);
	aliases_write(APSP_ROLE_FROM, from);
	aliases_write(APSP_ROLE_TO, to);
	return apsp_refuse(err, place,
		"found %zu columns (%s) and no header that names both ends: "
		"one of %s and one of %s, or those of from_column and "
		"to_column; %s",
		first->n_fields, found, from, to,
		first->n_fields <= 3
			? "if this line is an arc, write a header above it"
			: "expected 2 (from, to) or 3 (from, to, weight) "
			  "without one; a dense matrix is uploaded with "
			  "format=csv-matrix");
}

/*
 * Refuse a line that was taken for a header, but names no column of weights. If
 * all weights were read as 1, the client might get a different graph than it
 * wanted. The line may also be an arc whose weight is misspelt.
 */
static int weightless(const struct apsp_file_options *file,
	const struct apsp_kept_record *first, bool named_ends,
	struct apsp_err *err)
{
	struct apsp_field third = apsp_kept_record_get(first, 2);
	char known[NAMES_SIZE], found[NAMES_SIZE];

	aliases_write(APSP_ROLE_WEIGHT, known);
	if (!named_ends)
		return apsp_refuse(err, third.place,
			"'%s' is not a number, so this line was read as a "
			"header, but no column is a weight (%s); "
			"weight_column may name it%s",
			apsp_excerpt_of(third.text, third.size).text, known,
			!file->decimal_comma &&
					memchr(third.text, ',', third.size)
				? "; decimal=, reads 0,5 as a number"
				: "");
	fields_write(first, found);
	return apsp_refuse(err, apsp_kept_record_get(first, 0).place,
		"this line was read as a header (%s), but no column is "
		"a weight (%s); weight_column names another, or counts rows "
		"(weight_column=count); transform=hops without min_weight "
		"and normalise needs none",
		found, known);
}

/* The first line does not name both ends of an arc. Decide whether it is a
   header or an arc. The line must have 2 or 3 fields: from, to, weight. */
static int unnamed_columns_find(const struct apsp_file_options *file,
	const struct apsp_kept_record *first, struct apsp_edge_columns *columns,
	struct apsp_err *err)
{
	const size_t *of = columns->of;
	struct apsp_field third = {0};
	bool said = false;  /* the line has a name that the client gave */
	bool moved = false; /* a name is not at the position of its role (from,
			       to, weight) */
	bool text; /* there are three fields, and the last one is text */

	for (size_t role = 0; role < APSP_N_ROLES; role++) {
		if (of[role] == APSP_NO_COLUMN)
			continue;
		said |= *file->columns[role] != '\0';
		moved |= of[role] != role;
	}
	if (columns->n > 2)
		third = apsp_kept_record_get(first, 2);
	if (third.size > 0 && *third.text == '{')
		return apsp_refuse(err, third.place,
			"'%s' is not a number; in Python: "
			"json.dump(nx.node_link_data(g), open('g.json', 'w')) "
			"writes a graph of NetworkX with its weights",
			apsp_excerpt_of(third.text, third.size).text);
	if (columns->n < 2 || columns->n > 3)
		return unfit(first, err);
	text = columns->n == 3 && apsp_file_text(file, third.text, third.size);
	columns->has_header = said || text;
	/* The columns are read by position. Refuse a header that has a role's
	   name at another position. Also refuse a line of two fields that was
	   taken for an arc, if one field is a known name of an end: the line
	   may be a header. */
	if (columns->has_header
			? moved
			: columns->n == 2 &&
				  (of[APSP_ROLE_FROM] != APSP_NO_COLUMN ||
					  of[APSP_ROLE_TO] != APSP_NO_COLUMN))
		return unfit(first, err);
	if (columns->has_header && columns->n == 3 &&
		of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN && !columns->counted)
		return text ? weightless(file, first, false, err)
			    : unfit(first, err);
	for (size_t role = 0; role < APSP_N_ROLES; role++)
		columns->of[role] = role < columns->n ? role : APSP_NO_COLUMN;
	if (columns->counted)
		columns->of[APSP_ROLE_WEIGHT] = APSP_NO_COLUMN;
	return 0;
}

int apsp_edge_columns_find(const struct apsp_kept_record *first,
	const struct apsp_file_options *file, bool needs_weight,
	struct apsp_edge_columns *out, struct apsp_err *err)
{
	struct apsp_edge_columns columns = {.n = first->n_fields};
	const size_t *of = columns.of;
	struct apsp_field weight;
	size_t n_named = 0;
	int r;

	/* do not count columns without a name: R and pandas give no name to the
	   column of row names */
	for (size_t i = 0; i < first->n_fields; i++)
		n_named += apsp_kept_record_get(first, i).size > 0;
	r = named_columns_find(first, file->columns, &columns, err);
	if (r < 0)
		return r;
	if (of[APSP_ROLE_FROM] != APSP_NO_COLUMN &&
		of[APSP_ROLE_TO] != APSP_NO_COLUMN) {
		if (needs_weight && !columns.counted && n_named > 2 &&
			of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN)
			return weightless(file, first, true, err);
		columns.has_header = true;
		columns.lacks_weight = needs_weight && !columns.counted &&
				       of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN;
	} else {
		r = unnamed_columns_find(file, first, &columns, err);
		if (r < 0)
			return r;
	}
	if (columns.has_header && of[APSP_ROLE_WEIGHT] != APSP_NO_COLUMN) {
		weight = apsp_kept_record_get(first, of[APSP_ROLE_WEIGHT]);
		columns.lengths =
			apsp_edge_name_says_lengths(weight.text, weight.size);
	}
	*out = columns;
	return 0;
}
