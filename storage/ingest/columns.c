/*
 * Columns by name, in the words that connectome releases and graph tools use.
 */
#include "storage/ingest/columns.h"

#include <stdint.h>
#include <strings.h>
#include <string.h>

#include "daemon/base/number.h"
#include "daemon/base/utf8.h"

/* In order of preference where a file has several. */
static const char *const aliases[APSP_N_ROLES][10] = {
	[APSP_ROLE_FROM] = {"pre", "source", "from", "bodyId_pre", "body_pre",
		"pre_root_id", "source_id"},
	[APSP_ROLE_TO] = {"post", "target", "to", "bodyId_post", "body_post",
		"post_root_id", "target_id"},
	[APSP_ROLE_WEIGHT] = {"weight", "syn_count", "synapse_weight", "value",
		"length", "synapses"},
};

static bool name_is(const struct apsp_field *field, const char *name)
{
	return strlen(name) == field->size &&
	       strncasecmp(name, field->text, field->size) == 0;
}

/* The column of a role by name. APSP_EDATA: two columns have one name. */
static int column_find(const struct apsp_head *head, enum apsp_role role,
	size_t *out, struct apsp_err *err)
{
	*out = APSP_NO_COLUMN;
	for (size_t a = 0; aliases[role][a] && *out == APSP_NO_COLUMN; a++) {
		for (size_t i = 0; i < head->n_fields; i++) {
			struct apsp_field field = apsp_head_get(head, i);

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

/* Whether field i is text where a weight is expected. */
static bool is_text(const struct apsp_head *head, size_t i)
{
	struct apsp_field field = apsp_head_get(head, i);
	double value;

	return field.size > 0 && apsp_number_parse(field.text, field.size,
					 &value) == APSP_NUMBER_NONE;
}

static int unfit(const struct apsp_head *head, struct apsp_err *err)
{
	struct apsp_place place = apsp_head_get(head, 0).place;

	if (head->n_fields == 1)
		return apsp_refuse(err, place,
			"found 1 column, expected 2 (from, to) or 3 (from, to, "
			"weight)");
	return apsp_refuse(err, place,
		"found %zu columns and no header that names both ends (like "
		"pre and post), expected 2 (from, to) or 3 (from, to, weight); "
		"a dense matrix is uploaded with format=csv-matrix",
		head->n_fields);
}

int apsp_columns_tell(const struct apsp_head *head, struct apsp_columns *out,
	struct apsp_err *err)
{
	struct apsp_columns columns = {.n = head->n_fields};
	const size_t *of = columns.of;
	int r;

	for (int role = 0; role < APSP_N_ROLES; role++) {
		r = column_find(
			head, (enum apsp_role)role, &columns.of[role], err);
		if (r < 0)
			return r;
	}
	if (of[APSP_ROLE_FROM] != APSP_NO_COLUMN &&
		of[APSP_ROLE_TO] != APSP_NO_COLUMN) {
		columns.has_header = true;
		/* "pre,post,count": no one means such weights to be lost */
		if (columns.n == 3 && of[APSP_ROLE_FROM] == 0 &&
			of[APSP_ROLE_TO] == 1)
			columns.of[APSP_ROLE_WEIGHT] = 2;
		*out = columns;
		return 0;
	}
	if (columns.n < 2 || columns.n > 3)
		return unfit(head, err);
	columns.has_header = columns.n == 3 && is_text(head, 2);
	/* a header that names one end elsewhere than where we would look */
	if (columns.has_header &&
		((of[APSP_ROLE_FROM] != APSP_NO_COLUMN &&
			 of[APSP_ROLE_FROM] != 0) ||
			(of[APSP_ROLE_TO] != APSP_NO_COLUMN &&
				of[APSP_ROLE_TO] != 1) ||
			(of[APSP_ROLE_WEIGHT] != APSP_NO_COLUMN &&
				of[APSP_ROLE_WEIGHT] != 2)))
		return unfit(head, err);
	for (size_t role = 0; role < APSP_N_ROLES; role++)
		columns.of[role] = role < columns.n ? role : APSP_NO_COLUMN;
	*out = columns;
	return 0;
}
