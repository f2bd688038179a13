/*
 * The format csv-matrix: a dense matrix in separated text. The cell in row i,
 * column j is the arc i → j. Labels may be in the first row, in the first
 * column, or in both, with or without a corner cell. Without labels, the
 * vertices are 0 … N-1.
 *
 * Labels may be numbers, so the first record alone does not always show whether
 * it contains labels. The first two records are kept, and the parser finds the
 * layout by comparing them. All later records are parsed directly.
 */
#include <stdlib.h>
#include <string.h>

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
	struct apsp_text_position places[N_KEPT]; /* where each record begins */
	size_t n_kept;	 /* number of complete records in `kept` */
	bool has_header; /* the first row has labels */
	bool has_rows;	 /* the first column has labels */
	/*
	 * If the first cell is blank, it is taken for the corner of a matrix
	 * with labels. `wordless` means that all these labels are numbers or
	 * blank. Then the file may instead be a matrix without labels whose
	 * diagonal is blank. So if one of the labels is refused, the message
	 * has a hint. If the whole diagonal is blank (`doubtful`), the file is
	 * refused.
	 */
	bool wordless; /* the corner is blank, and all labels are numbers or
			  blank */
	bool doubtful; /* `wordless` is true, and all cells of the diagonal that
			  were read so far are blank */
	size_t n;      /* number of columns, which is also the number of rows */
	size_t n_rows; /* number of complete rows */
	uint32_t row;  /* index of the current row's vertex */
	struct apsp_text_position last; /* start of the last record */
	struct apsp_vertex_marks seen;	/* the vertices whose rows were read */
};

/* Whether the first field of the second record is a label in the first
   record. */
static bool row_label_known(const struct csv_matrix *self)
{
	struct apsp_field label = apsp_kept_record_get(&self->kept[1], 0),
			  field;

	for (size_t i = 1; i < self->kept[0].n_fields; i++) {
		field = apsp_kept_record_get(&self->kept[0], i);
		if (label.size == field.size &&
			memcmp(label.text, field.text, field.size) == 0)
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
		if (apsp_file_text(
			    &self->builder->file, field.text, field.size))
			return true;
	}
	return false;
}

/* Find the layout from the kept records. Returns the number of columns. */
static size_t layout_find(struct csv_matrix *self)
{
	const struct apsp_file_options *file = &self->builder->file;
	const size_t first = self->kept[0].n_fields;
	const size_t second = self->kept[1].n_fields;
	struct apsp_field corner = apsp_kept_record_get(&self->kept[0], 0),
			  start;

	if (second == 0) /* a file of one record can only be a matrix of 1 × 1
			    without labels */
		return first;
	start = apsp_kept_record_get(&self->kept[1], 0);
	if (second == first + 1) { /* the first record has no corner cell; R
				      writes such files */
		self->has_header = self->has_rows = true;
		return first;
	}
	if (corner.size == 0 && first > 1) {
		self->has_header = self->has_rows = true;
		self->wordless = !rest_has_text(self, &self->kept[0]);
		self->doubtful = self->wordless;
	} else if (rest_has_text(self, &self->kept[0])) {
		self->has_header = true;
		self->has_rows = apsp_file_text(file, start.text, start.size) ||
				 row_label_known(self);
	} else if (apsp_file_text(file, corner.text, corner.size) &&
		   first > 1) {
		self->has_header = row_label_known(self);
		self->has_rows = true;
	} else {
		self->has_header =
			apsp_file_text(file, corner.text, corner.size);
	}
	return first - self->has_rows;
}

/* Add a hint to the message about a refused label: the text may be a cell of a
   matrix without labels. */
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
	const uint32_t before = self->builder->labels->count;
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

/* Parse the label of a row. If there is a header, it must contain the label. */
static int row_label_parse(struct csv_matrix *self,
	const struct apsp_field *field, struct apsp_err *err)
{
	int64_t index;

	if (!self->has_header)
		return label_add(self, field, err);
	index = apsp_labels_find(
		self->builder->labels, field->text, field->size);
	if (index < 0)
		return apsp_refuse(err, field->place,
			"found the row label '%s', expected a label of the "
			"first line",
			apsp_excerpt_of(field->text, field->size).text);
	if (apsp_vertex_marks_has(&self->seen, (uint32_t)index))
		return apsp_refuse(err, field->place,
			"found the row label '%s' a second time, expected it "
			"once",
			apsp_excerpt_of(field->text, field->size).text);
	self->row = (uint32_t)index;
	return apsp_vertex_marks_add(&self->seen, self->row, err);
}

static int field_parse(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct csv_matrix *self = ctx;
	size_t column = field->index - self->has_rows;
	enum apsp_number kind;
	double value;
	int r;

	if (!self->settled)
		return apsp_kept_record_add(
			&self->kept[self->n_kept], field, err);
	if (self->n_rows == self->n)
		return apsp_refuse(err, field->place,
			"found row %zu, expected %zu rows as there are columns",
			self->n_rows + 1, self->n);
	if (field->index == 0)
		self->row = (uint32_t)self->n_rows;
	if (field->index == 0 && self->has_rows)
		return label_hint(self, row_label_parse(self, field, err), err);
	if (column >= self->n)
		return apsp_refuse(err, field->place,
			"found more than %zu fields, expected as many as in "
			"the first row",
			self->n + self->has_rows);
	if (field->size == 0)
		return 0;
	if (column == self->row)
		self->doubtful = false;
	kind = apsp_file_number(
		&self->builder->file, field->text, field->size, &value);
	if (kind == APSP_NUMBER_FINITE)
		apsp_graph_builder_whole(
			self->builder, field->text, field->size, value);
	if (kind == APSP_NUMBER_FINITE || kind == APSP_NUMBER_INFINITE)
		return apsp_graph_builder_cell(self->builder, self->row,
			(uint32_t)column, value, field->place, err);
	r = apsp_graph_builder_weight(self->builder, field->text, field->size,
		field->place, &value, err);
	return r < 0 ? r : 0;
}

static int record_parse(struct csv_matrix *self, size_t n_fields,
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

static int replay(struct csv_matrix *self, size_t which, struct apsp_err *err)
{
	const struct apsp_kept_record *record = &self->kept[which];
	int r = 0;

	for (size_t i = 0; i < record->n_fields && r == 0; i++) {
		struct apsp_field field = apsp_kept_record_get(record, i);

		r = field_parse(self, &field, err);
	}
	if (r == 0 && record->n_fields > 0)
		r = record_parse(
			self, record->n_fields, self->places[which], err);
	return r;
}

/* Find the layout, then parse the kept records. This is called after the first
   two records, or at the end of a file with fewer records. */
static int settle(struct csv_matrix *self, struct apsp_err *err)
{
	const struct apsp_kept_record *first = &self->kept[0];
	int r = 0;

	self->n = layout_find(self);
	self->settled = true;
	if (self->n > APSP_VERTICES_MAX)
		return apsp_refuse(err, self->places[0],
			"found %zu columns, expected at most %d", self->n,
			APSP_VERTICES_MAX);
	for (size_t i = first->n_fields - self->n;
		self->has_header && i < first->n_fields && r == 0; i++) {
		struct apsp_field field = apsp_kept_record_get(first, i);

		r = label_hint(self, label_add(self, &field, err), err);
	}
	if (!self->has_header && !self->has_rows)
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

static int on_record(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct csv_matrix *self = ctx;

	if (self->settled)
		return record_parse(self, n_fields, place, err);
	self->places[self->n_kept++] = place;
	return self->n_kept == N_KEPT ? settle(self, err) : 0;
}

static void csv_matrix_done(void *parser)
{
	struct csv_matrix *self = parser;

	free(self->fields);
	free(self->seen.words);
	apsp_kept_record_done(&self->kept[0]);
	apsp_kept_record_done(&self->kept[1]);
}

static int csv_matrix_open(void *parser, struct apsp_err *err)
{
	struct csv_matrix *self = parser;

	self->kept[0].share = self->kept[1].share = self->builder->share;
	return apsp_csv_reader_new(self->builder->file.decimal_comma
					   ? APSP_SEPARATOR_NO_COMMA
					   : APSP_SEPARATOR_DETECT,
		&(struct apsp_csv_handler){field_parse, on_record, self},
		&self->fields, err);
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
	struct apsp_findings *findings = &self->builder->findings;
	int r = apsp_csv_reader_end(self->fields, err);

	findings->separator = apsp_csv_reader_separator(self->fields);
	findings->rival = apsp_csv_reader_rival(self->fields);
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

const struct apsp_parser apsp_parser_csv_matrix = {sizeof(struct csv_matrix),
	csv_matrix_open, csv_matrix_feed, csv_matrix_end, csv_matrix_done};
