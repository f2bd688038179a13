/*
 * A CSV of pairs; see pairs_csv.h. Only the fields of the first line are kept,
 * until the line is known to be a header or a pair.
 */
#include "api/paths/pairs_csv.h"

#include <stdbool.h>
#include <stdlib.h>

#include "daemon/base/auto.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/csv_reader.h"
#include "storage/ingest/formats/edge_columns.h"
#include "storage/ingest/formats/kept_record.h"

struct apsp_pairs_csv {
	struct apsp_pairs_csv_handler handler;
	struct apsp_csv_reader *reader;
	struct apsp_kept_record first; /* the first line */
	bool started;		       /* the first line was parsed */
	size_t of[2];	 /* indices of the columns of from and to */
	size_t n_fields; /* number of columns of the first line */
};

APSP_AUTO_DEFINE(csv_end, struct apsp_pairs_csv, apsp_pairs_csv_free);

/* Report one end of a pair. */
static int end_report(const struct apsp_pairs_csv *csv, int side,
	const struct apsp_field *field, struct apsp_err *err)
{
	if (!apsp_utf8_valid(field->text, field->size))
		return apsp_refuse(err, field->place,
			"'%s' is not UTF-8 text without NUL",
			apsp_excerpt_of(field->text, field->size).text);
	return csv->handler.end(
		csv->handler.ctx, side, field->text, field->size, err);
}

static int field_read(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct apsp_pairs_csv *csv = ctx;
	int r = 0;

	if (!csv->started)
		return apsp_kept_record_add(&csv->first, field, err);
	for (int side = 0; side < 2 && r == 0; side++)
		if (field->index == csv->of[side])
			r = end_report(csv, side, field, err);
	return r;
}

/* Find the column of one end by its name in the first line. APSP_NO_COLUMN:
   there is none. APSP_EDATA: two columns have the same name. */
static int column_find(
	struct apsp_pairs_csv *csv, enum apsp_role role, struct apsp_err *err)
{
	int best = -1;

	csv->of[role] = APSP_NO_COLUMN;
	for (size_t i = 0; i < csv->first.n_fields; i++) {
		struct apsp_field field = apsp_kept_record_get(&csv->first, i);
		int rank =
			apsp_edge_name_rank(role, "", field.text, field.size);

		if (rank < 0 || (best >= 0 && rank > best))
			continue;
		if (rank == best)
			return apsp_refuse(err, field.place,
				"the header names a second column '%s'",
				apsp_excerpt_of(field.text, field.size).text);
		best = rank;
		csv->of[role] = i;
	}
	return 0;
}

/* Parse the first line. It is a header if it names the columns; otherwise it is
   a pair. */
static int first_parse(struct apsp_pairs_csv *csv,
	struct apsp_text_position place, struct apsp_err *err)
{
	int r = 0;

	for (int side = 0; side < 2 && r == 0; side++)
		r = column_find(csv, (enum apsp_role)side, err);
	if (r < 0 ||
		(csv->of[0] != APSP_NO_COLUMN && csv->of[1] != APSP_NO_COLUMN))
		return r;
	if (csv->n_fields != 2)
		return apsp_refuse(err, place,
			"found %zu column%s and no header that names both "
			"ends; expected a header with from and to, or 2 "
			"columns (from, to)",
			csv->n_fields, csv->n_fields == 1 ? "" : "s");
	for (int side = 0; side < 2 && r == 0; side++) {
		struct apsp_field field =
			apsp_kept_record_get(&csv->first, (size_t)side);

		csv->of[side] = (size_t)side;
		r = end_report(csv, side, &field, err);
	}
	return r < 0 ? r : csv->handler.pair(csv->handler.ctx, err);
}

static int record_read(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct apsp_pairs_csv *csv = ctx;
	int r;

	if (!csv->started) {
		csv->started = true;
		csv->n_fields = n_fields;
		r = first_parse(csv, place, err);
		apsp_kept_record_done(&csv->first);
		return r;
	}
	if (n_fields != csv->n_fields)
		return apsp_refuse(err, place,
			"found %zu column%s, expected %zu as in the first line",
			n_fields, n_fields == 1 ? "" : "s", csv->n_fields);
	return csv->handler.pair(csv->handler.ctx, err);
}

int apsp_pairs_csv_new(const struct apsp_pairs_csv_handler *handler,
	struct apsp_share *share, struct apsp_pairs_csv **out,
	struct apsp_err *err)
{
	APSP_AUTO(csv_end) struct apsp_pairs_csv *csv = NULL;
	struct apsp_csv_handler of_fields = {field_read, record_read, NULL};
	int r;

	csv = calloc(1, sizeof(*csv));
	if (!csv)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the pairs");
	csv->handler = *handler;
	csv->first.share = share;
	of_fields.ctx = csv;
	r = apsp_csv_reader_new(
		APSP_SEPARATOR_DETECT, &of_fields, &csv->reader, err);
	if (r == 0)
		*out = APSP_TAKE(csv);
	return r;
}

void apsp_pairs_csv_free(struct apsp_pairs_csv *csv)
{
	if (!csv)
		return;
	apsp_csv_reader_free(csv->reader);
	apsp_kept_record_done(&csv->first);
	free(csv);
}

int apsp_pairs_csv_feed(struct apsp_pairs_csv *csv, const char *data,
	size_t size, struct apsp_err *err)
{
	return apsp_csv_reader_feed(csv->reader, data, size, err);
}

int apsp_pairs_csv_end(struct apsp_pairs_csv *csv, struct apsp_err *err)
{
	return apsp_csv_reader_end(csv->reader, err);
}
