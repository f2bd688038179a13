/*
 * The format csv-matrix: a dense matrix in separated text, where row i, column
 * j is the arc i → j. Labels may stand in the first row, in the first column,
 * in both (with or without a corner cell) or nowhere; in the last case the
 * vertices are 0 … N-1.
 *
 * Labels may be numbers. So the first two records are kept and compared to tell
 * the layout; all later ones are taken as they come.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/kept_record.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"

enum {
	N_KEPT = 2,
};

#define HINT                                                                   \
	"write 0 into the first cell if the matrix has no labels, or a word "  \
	"if it has"

struct csv_matrix {
	struct apsp_graph_builder *builder;
	struct apsp_csv_reader *fields;
	bool settled;
	struct apsp_kept_record kept[N_KEPT];
	struct apsp_text_position places[N_KEPT]; /* of the kept records */
	size_t n_kept;				  /* complete kept records */
	bool has_header;			  /* the first row has labels */
	bool has_rows; /* the first column has labels */
	/*
	 * A file whose first cell is blank is read as a labelled matrix with a
	 * blank corner. If its other labels are all numbers or blanks, it may
	 * instead be a matrix without labels whose diagonal is blank. Then a
	 * label that is refused gets a hint, and a diagonal that is blank to
	 * its end is refused.
	 */
	bool wordless; /* blank corner, and no label is a word */
	bool doubtful; /* wordless, and the diagonal so far is blank */
	size_t n;      /* rows and columns of the matrix */
	size_t n_rows; /* complete rows */
	uint32_t row;  /* vertex of the row under way */
	struct apsp_text_position last;	     /* of the last record */
	uint8_t seen[APSP_VERTICES_MAX / 8]; /* a bit for each row's vertex */
};

static bool field_is_text(
	const struct csv_matrix *self, const struct apsp_field *field)
{
	double value;

	return field->size > 0 &&
	       apsp_file_number(&self->builder->file, field->text, field->size,
		       &value) == APSP_NUMBER_NONE;
}

static bool same(const struct apsp_field *a, const struct apsp_field *b)
{
	return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Whether the first field of the second record is a label of the first. */
static bool row_label_known(const struct csv_matrix *self)
{
	struct apsp_field label = apsp_kept_record_get(&self->kept[1], 0),
			  field;

	for (size_t i = 1; i < self->kept[0].n_fields; i++) {
		field = apsp_kept_record_get(&self->kept[0], i);
		if (same(&label, &field))
			return true;
	}
	return false;
}

static bool rest_has_text(
	const struct csv_matrix *self, const struct apsp_kept_record *record)
{
	struct apsp_field field;

	for (size_t i = 1; i < record->n_fields; i++) {
		field = apsp_kept_record_get(record, i);
		if (field_is_text(self, &field))
			return true;
	}
	return false;
}

/* Tell the layout by the kept records. Returns the number of columns, n. */
static size_t layout_tell(struct csv_matrix *self)
{
	const size_t first = self->kept[0].n_fields;
	const size_t second = self->kept[1].n_fields;
	struct apsp_field corner = apsp_kept_record_get(&self->kept[0], 0),
			  start;

	if (second == 0) /* one record: a matrix of 1 × 1 */
		return first;
	start = apsp_kept_record_get(&self->kept[1], 0);
	if (second == first + 1) { /* labels, but no corner cell: R writes so */
		self->has_header = self->has_rows = true;
		return first;
	}
	if (corner.size == 0 && first > 1) {
		self->has_header = self->has_rows = true;
		self->wordless = !rest_has_text(self, &self->kept[0]);
		self->doubtful = self->wordless;
	} else if (rest_has_text(self, &self->kept[0])) {
		self->has_header = true;
		self->has_rows =
			field_is_text(self, &start) || row_label_known(self);
	} else if (field_is_text(self, &corner) && first > 1) {
		self->has_header = row_label_known(self);
		self->has_rows = true;
	} else {
		self->has_header = field_is_text(self, &corner);
	}
	return first - self->has_rows;
}

/* Add the hint to the message of a refused label that may be a cell. */
static int label_hint(
	const struct csv_matrix *self, int r, struct apsp_err *err)
{
	char what[APSP_MESSAGE_SIZE];

	if (r != APSP_EDATA || !self->wordless || !err)
		return r;
	memcpy(what, err->message, sizeof(what));
	return apsp_fail_at(
		err, APSP_EDATA, err->line, err->column, "%s (" HINT ")", what);
}

/* Add a label, which must be new. */
static int label_add(struct csv_matrix *self, const struct apsp_field *field,
	struct apsp_err *err)
{
	const uint32_t before = apsp_labels_count(self->builder->labels);
	uint32_t index;
	int r = apsp_graph_builder_vertex(self->builder, field->text,
		field->size, field->place, &index, err);

	if (r == 0 && index < before)
		return apsp_refuse(err, field->place,
			"found the label '%s' a second time, expected it once",
			apsp_excerpt_of(field->text, field->size).text);
	self->row = index;
	return r;
}

/* Take the label of a row. With a header, the header must name it too. */
static int row_label_take(struct csv_matrix *self,
	const struct apsp_field *field, struct apsp_err *err)
{
	int64_t index;
	uint8_t bit;

	if (!self->has_header)
		return label_add(self, field, err);
	index = apsp_labels_find(
		self->builder->labels, field->text, field->size);
	if (index < 0)
		return apsp_refuse(err, field->place,
			"found the row label '%s', expected a label of the "
			"first line",
			apsp_excerpt_of(field->text, field->size).text);
	bit = (uint8_t)(1 << (index & 7));
	if (self->seen[index / 8] & bit)
		return apsp_refuse(err, field->place,
			"found the row label '%s' a second time, expected it "
			"once",
			apsp_excerpt_of(field->text, field->size).text);
	self->seen[index / 8] |= bit;
	self->row = (uint32_t)index;
	return 0;
}

static int field_take(struct csv_matrix *self, const struct apsp_field *field,
	struct apsp_err *err)
{
	size_t column = field->index - self->has_rows;

	if (self->n_rows == self->n)
		return apsp_refuse(err, field->place,
			"found row %zu, expected %zu rows as there are columns",
			self->n_rows + 1, self->n);
	if (field->index == 0)
		self->row = (uint32_t)self->n_rows;
	if (field->index == 0 && self->has_rows)
		return label_hint(self, row_label_take(self, field, err), err);
	if (column >= self->n)
		return apsp_refuse(err, field->place,
			"found more than %zu fields, expected as many as in "
			"the first row",
			self->n + self->has_rows);
	if (column == self->row && field->size > 0)
		self->doubtful = false;
	return apsp_graph_builder_cell_text(self->builder, self->row,
		(uint32_t)column, field->text, field->size, field->place, err);
}

static int record_take(struct csv_matrix *self, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	self->last = place;
	if (n_fields != self->n + self->has_rows)
		return apsp_refuse(err, place,
			"found %zu field%s, expected %zu as in the first row",
			n_fields, n_fields == 1 ? "" : "s",
			self->n + self->has_rows);
	self->n_rows++;
	return 0;
}

static int header_take(struct csv_matrix *self, struct apsp_err *err)
{
	int r = 0;

	for (size_t i = self->kept[0].n_fields - self->n;
		i < self->kept[0].n_fields && r == 0; i++) {
		struct apsp_field field =
			apsp_kept_record_get(&self->kept[0], i);

		r = label_add(self, &field, err);
	}
	return r;
}

static int replay(struct csv_matrix *self, size_t which, struct apsp_err *err)
{
	const struct apsp_kept_record *record = &self->kept[which];
	int r = 0;

	for (size_t i = 0; i < record->n_fields && r == 0; i++) {
		struct apsp_field field = apsp_kept_record_get(record, i);

		r = field_take(self, &field, err);
	}
	if (r == 0 && record->n_fields > 0)
		r = record_take(
			self, record->n_fields, self->places[which], err);
	return r;
}

/* The first two records are complete, or the file ended: tell the layout. */
static int settle(struct csv_matrix *self, struct apsp_err *err)
{
	int r = 0;

	self->n = layout_tell(self);
	self->settled = true;
	if (self->n > APSP_VERTICES_MAX)
		return apsp_refuse(err, self->places[0],
			"found %zu columns, expected at most %d", self->n,
			APSP_VERTICES_MAX);
	if (self->has_header)
		r = label_hint(self, header_take(self, err), err);
	else if (!self->has_rows)
		r = apsp_graph_builder_numbered(
			self->builder, 0, self->n, self->places[0], err);
	if (r == 0 && !self->has_header)
		r = replay(self, 0, err);
	if (r == 0)
		r = replay(self, 1, err);
	apsp_kept_record_done(&self->kept[0]);
	apsp_kept_record_done(&self->kept[1]);
	return r;
}

static int on_field(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct csv_matrix *self = ctx;

	if (self->settled)
		return field_take(self, field, err);
	return apsp_kept_record_add(&self->kept[self->n_kept], field, err);
}

static int on_record(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct csv_matrix *self = ctx;

	if (self->settled)
		return record_take(self, n_fields, place, err);
	self->places[self->n_kept++] = place;
	return self->n_kept == N_KEPT ? settle(self, err) : 0;
}

static void csv_matrix_close(void *parser)
{
	struct csv_matrix *self = parser;

	if (!self)
		return;
	apsp_csv_reader_free(self->fields);
	apsp_kept_record_done(&self->kept[0]);
	apsp_kept_record_done(&self->kept[1]);
	free(self);
}

APSP_AUTO_DEFINE(csv_matrix_cleanup, struct csv_matrix, csv_matrix_close);

static int csv_matrix_open(
	struct apsp_graph_builder *builder, void **out, struct apsp_err *err)
{
	APSP_AUTO(csv_matrix_cleanup) struct csv_matrix *self = NULL;
	int r;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	self->builder = builder;
	self->kept[0].share = self->kept[1].share = builder->share;
	r = apsp_csv_reader_new(builder->file.decimal_comma
					? APSP_SEPARATOR_NO_COMMA
					: APSP_SEPARATOR_DETECT,
		&(struct apsp_csv_taker){on_field, on_record, self},
		&self->fields, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(self);
	return 0;
}

static int csv_matrix_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err)
{
	struct csv_matrix *self = parser;

	return apsp_csv_reader_feed(self->fields, data, size, err);
}

static int csv_matrix_end(void *parser, struct apsp_err *err)
{
	struct csv_matrix *self = parser;
	int r = apsp_csv_reader_end(self->fields, err);

	if (r == 0 && !self->settled && self->n_kept > 0)
		r = settle(self, err);
	if (r < 0)
		return r;
	if (self->n_rows < self->n)
		return apsp_refuse(err, self->last,
			"the matrix ends after %zu row%s, expected %zu as "
			"there are columns",
			self->n_rows, self->n_rows == 1 ? "" : "s", self->n);
	if (self->doubtful)
		return apsp_refuse(err, self->places[0],
			"the first cell and the diagonal are blank and the "
			"labels are numbers: " HINT);
	return 0;
}

const struct apsp_parser apsp_parser_csv_matrix = {
	csv_matrix_open, csv_matrix_feed, csv_matrix_end, csv_matrix_close};
