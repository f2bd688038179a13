/*
 * Columns of edge lists; see edge_columns.h. A header's names are compared with
 * those that connectome releases and graph tools use.
 */
#include "storage/ingest/formats/edge_columns.h"

#include <stdint.h>
#include <stdio.h>
#include <strings.h>
#include <string.h>

#include "daemon/base/number.h"
#include "daemon/base/utf8.h"

/* The names of each role. If a header has several of them, the first here wins.
 */
static const char *const aliases[APSP_N_ROLES][12] = {
	[APSP_ROLE_FROM] = {"pre", "source", "from", "bodyId_pre", "body_pre",
		"pre_root_id", "source_id"},
	[APSP_ROLE_TO] = {"post", "target", "to", "bodyId_post", "body_post",
		"post_root_id", "target_id"},
	[APSP_ROLE_WEIGHT] = {"weight", "syn_count", "synapse_weight", "value",
		"length", "distance", "cost", "synapses", "count", "w"},
};

/* Names of weights that can only be lengths. */
static const char *const lengths[] = {"length", "distance", "cost"};

static bool name_is(const struct apsp_field *field, const char *name)
{
	return strlen(name) == field->size &&
	       strncasecmp(name, field->text, field->size) == 0;
}

/* Find the column of a role by its names. APSP_EDATA: two have one name. */
static int column_find(const struct apsp_kept_record *first,
	enum apsp_role role, size_t *out, struct apsp_err *err)
{
	*out = APSP_NO_COLUMN;
	for (size_t a = 0; aliases[role][a] && *out == APSP_NO_COLUMN; a++) {
		for (size_t i = 0; i < first->n_fields; i++) {
			struct apsp_field field =
				apsp_kept_record_get(first, i);

			if (!name_is(&field, aliases[role][a]))
				continue;
			if (*out != APSP_NO_COLUMN)
				return apsp_refuse(err, field.place,
					"the header names a second column "
					"'%s'",
					apsp_excerpt_of(field.text, field.size)
						.text);
			*out = i;
		}
	}
	return 0;
}

/* Whether field i is neither blank nor a number. */
static bool is_text(const struct apsp_kept_record *first, size_t i)
{
	struct apsp_field field = apsp_kept_record_get(first, i);
	double value;

	return field.size > 0 && apsp_number_parse(field.text, field.size,
					 &value) == APSP_NUMBER_NONE;
}

static int unfit(const struct apsp_kept_record *first, struct apsp_err *err)
{
	struct apsp_text_position place = apsp_kept_record_get(first, 0).place;

	if (first->n_fields == 1)
		return apsp_refuse(err, place,
			"found 1 column, expected 2 (from, to) or 3 (from, to, "
			"weight)");
	return apsp_refuse(err, place,
		"found %zu columns and no header that names both ends (like "
		"pre and post), expected 2 (from, to) or 3 (from, to, weight); "
		"a dense matrix is uploaded with format=csv-matrix",
		first->n_fields);
}

/* Write "weight, syn_count, …", the names of a column of weights. */
static void weights_name(char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (size_t a = 0; aliases[APSP_ROLE_WEIGHT][a] && used < size; a++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
			a ? ", " : "", aliases[APSP_ROLE_WEIGHT][a]);
}

/*
 * Refuse a header that names no weight. Weights of 1 would make another graph,
 * and the line may be no header but an arc with a misspelt weight.
 */
static int weightless(const struct apsp_kept_record *first, bool named_ends,
	struct apsp_err *err)
{
	struct apsp_field third = apsp_kept_record_get(first, 2);
	char known[160];

	weights_name(known, sizeof(known));
	if (named_ends)
		return apsp_refuse(err, apsp_kept_record_get(first, 0).place,
			"this line was taken for a header, but no column of it "
			"is a weight (%s); transform=hops without min_weight "
			"needs none",
			known);
	return apsp_refuse(err, third.place,
		"'%s' is no number, so this line was taken for a header, but "
		"no column of it is a weight (%s)",
		apsp_excerpt_of(third.text, third.size).text, known);
}

/* Whether the name of the weights' column says that they are lengths. */
static bool says_lengths(const struct apsp_kept_record *first,
	const struct apsp_edge_columns *columns)
{
	struct apsp_field field;

	if (!columns->has_header ||
		columns->of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN)
		return false;
	field = apsp_kept_record_get(first, columns->of[APSP_ROLE_WEIGHT]);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (name_is(&field, lengths[i]))
			return true;
	return false;
}

int apsp_edge_columns_tell(const struct apsp_kept_record *first,
	bool needs_weight, struct apsp_edge_columns *out, struct apsp_err *err)
{
	struct apsp_edge_columns columns = {.n = first->n_fields};
	const size_t *of = columns.of;
	int r;

	for (int role = 0; role < APSP_N_ROLES; role++) {
		r = column_find(
			first, (enum apsp_role)role, &columns.of[role], err);
		if (r < 0)
			return r;
	}
	if (of[APSP_ROLE_FROM] != APSP_NO_COLUMN &&
		of[APSP_ROLE_TO] != APSP_NO_COLUMN) {
		if (needs_weight && columns.n > 2 &&
			of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN)
			return weightless(first, true, err);
		columns.has_header = true;
		columns.lengths = says_lengths(first, &columns);
		*out = columns;
		return 0;
	}
	if (columns.n < 2 || columns.n > 3)
		return unfit(first, err);
	columns.has_header = columns.n == 3 && is_text(first, 2);
	/* the columns are read as from, to, weight: no name may contradict */
	if (columns.has_header &&
		((of[APSP_ROLE_FROM] != APSP_NO_COLUMN &&
			 of[APSP_ROLE_FROM] != 0) ||
			(of[APSP_ROLE_TO] != APSP_NO_COLUMN &&
				of[APSP_ROLE_TO] != 1) ||
			(of[APSP_ROLE_WEIGHT] != APSP_NO_COLUMN &&
				of[APSP_ROLE_WEIGHT] != 2)))
		return unfit(first, err);
	if (columns.has_header && of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN)
		return weightless(first, false, err);
	for (size_t role = 0; role < APSP_N_ROLES; role++)
		columns.of[role] = role < columns.n ? role : APSP_NO_COLUMN;
	columns.lengths = says_lengths(first, &columns);
	*out = columns;
	return 0;
}
