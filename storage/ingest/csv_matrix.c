/*
 * Dense matrices in separated text: row i, column j is the arc i → j. Labels
 * may stand in a first row, a first column, both (with or without a corner) or
 * nowhere; then the vertices are 0 … N-1.
 *
 * Labels may be numbers, so the first two records are kept and compared before
 * the layout is settled; the rest streams.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/head.h"
#include "storage/ingest/parser.h"

enum {
	N_HEADS = 2,
};

#define HINT                                                                   \
	"write 0 into the first cell if the matrix has no labels, or a word "  \
	"if it has"

struct csv_matrix {
	struct apsp_sink *sink;
	struct apsp_fields *fields;
	bool settled;
	struct apsp_head heads[N_HEADS];
	struct apsp_place places[N_HEADS]; /* of the kept records */
	size_t n_heads;			   /* complete ones */
	bool has_header, has_rows;	   /* labels there */
	/*
	 * A blank corner over numbers is a corner, unless the numbers make no
	 * labels or the diagonal is blank too: then it could be a matrix
	 * without labels.
	 */
	bool wordless;		/* a blank corner, blanks and numbers */
	bool doubtful;		/* that, and a diagonal that was blank so far */
	size_t n;		/* of the matrix */
	size_t n_rows;		/* complete ones */
	uint32_t row;		/* the vertex of the row under way */
	struct apsp_place last; /* of the last record */
	uint8_t seen[APSP_VERTICES_MAX / 8]; /* rows by their label */
};

static bool field_is_text(const struct apsp_field *field)
{
	double value;

	return field->size > 0 && apsp_number_parse(field->text, field->size,
					  &value) == APSP_NUMBER_NONE;
}

static bool same(const struct apsp_field *a, const struct apsp_field *b)
{
	return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Whether the first field of the second record is a label of the first. */
static bool row_label_known(const struct csv_matrix *self)
{
	struct apsp_field label = apsp_head_get(&self->heads[1], 0), field;

	for (size_t i = 1; i < self->heads[0].n_fields; i++) {
		field = apsp_head_get(&self->heads[0], i);
		if (same(&label, &field))
			return true;
	}
	return false;
}

static bool rest_has_text(const struct apsp_head *head)
{
	struct apsp_field field;

	for (size_t i = 1; i < head->n_fields; i++) {
		field = apsp_head_get(head, i);
		if (field_is_text(&field))
			return true;
	}
	return false;
}

/* Tell the layout by the kept records; returns how many fields are no label. */
static size_t layout_tell(struct csv_matrix *self)
{
	const size_t first = self->heads[0].n_fields;
	const size_t second = self->heads[1].n_fields;
	struct apsp_field corner = apsp_head_get(&self->heads[0], 0), start;

	if (second == 0) /* one record: the only cell of a 1 × 1 matrix */
		return first;
	start = apsp_head_get(&self->heads[1], 0);
	if (second == first + 1) { /* no corner, as R writes */
		self->has_header = self->has_rows = true;
		return first;
	}
	if (corner.size == 0 && first > 1) {
		self->has_header = self->has_rows = true;
		self->wordless = !rest_has_text(&self->heads[0]);
		self->doubtful = self->wordless;
	} else if (rest_has_text(&self->heads[0])) {
		self->has_header = true;
		self->has_rows = field_is_text(&start) || row_label_known(self);
	} else if (field_is_text(&corner) && first > 1) {
		self->has_header = row_label_known(self);
		self->has_rows = true;
	} else {
		self->has_header = field_is_text(&corner);
	}
	return first - self->has_rows;
}

/* Say of a label that was refused but may be a cell how to tell them apart. */
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

/* A label that must be new. */
static int label_add(struct csv_matrix *self, const struct apsp_field *field,
	struct apsp_err *err)
{
	const uint32_t before = apsp_labels_count(self->sink->labels);
	uint32_t index;
	int r = apsp_sink_vertex(self->sink, field->text, field->size,
		field->place, &index, err);

	if (r == 0 && index < before)
		return apsp_refuse(err, field->place,
			"found the label '%s' a second time, expected it once",
			apsp_excerpt_of(field->text, field->size).text);
	self->row = index;
	return r;
}

/* The label of a row that the header may have named. */
static int row_label_take(struct csv_matrix *self,
	const struct apsp_field *field, struct apsp_err *err)
{
	int64_t index;
	uint8_t bit;

	if (!self->has_header)
		return label_add(self, field, err);
	index = apsp_labels_find(self->sink->labels, field->text, field->size);
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
	return apsp_sink_cell_text(self->sink, self->row, (uint32_t)column,
		field->text, field->size, field->place, err);
}

static int record_take(struct csv_matrix *self, size_t n_fields,
	struct apsp_place place, struct apsp_err *err)
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

	for (size_t i = self->heads[0].n_fields - self->n;
		i < self->heads[0].n_fields && r == 0; i++) {
		struct apsp_field field = apsp_head_get(&self->heads[0], i);

		r = label_add(self, &field, err);
	}
	return r;
}

static int replay(struct csv_matrix *self, size_t which, struct apsp_err *err)
{
	const struct apsp_head *head = &self->heads[which];
	int r = 0;

	for (size_t i = 0; i < head->n_fields && r == 0; i++) {
		struct apsp_field field = apsp_head_get(head, i);

		r = field_take(self, &field, err);
	}
	if (r == 0 && head->n_fields > 0)
		r = record_take(self, head->n_fields, self->places[which], err);
	return r;
}

/* The first two records are here, or all there are. */
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
		r = apsp_sink_numbered(
			self->sink, 0, self->n, self->places[0], err);
	if (r == 0 && !self->has_header)
		r = replay(self, 0, err);
	if (r == 0)
		r = replay(self, 1, err);
	apsp_head_done(&self->heads[0]);
	apsp_head_done(&self->heads[1]);
	return r;
}

static int on_field(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct csv_matrix *self = ctx;

	if (self->settled)
		return field_take(self, field, err);
	return apsp_head_add(&self->heads[self->n_heads], field, err);
}

static int on_record(void *ctx, size_t n_fields, struct apsp_place place,
	struct apsp_err *err)
{
	struct csv_matrix *self = ctx;

	if (self->settled)
		return record_take(self, n_fields, place, err);
	self->places[self->n_heads++] = place;
	return self->n_heads == N_HEADS ? settle(self, err) : 0;
}

static void csv_matrix_close(void *parser)
{
	struct csv_matrix *self = parser;

	if (!self)
		return;
	apsp_fields_free(self->fields);
	apsp_head_done(&self->heads[0]);
	apsp_head_done(&self->heads[1]);
	free(self);
}

APSP_AUTO_DEFINE(csv_matrix_cleanup, struct csv_matrix, csv_matrix_close);

static int csv_matrix_open(
	struct apsp_sink *sink, void **out, struct apsp_err *err)
{
	APSP_AUTO(csv_matrix_cleanup) struct csv_matrix *self = NULL;
	int r;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	self->sink = sink;
	r = apsp_fields_new(APSP_SEPARATOR_DETECT,
		&(struct apsp_fields_taker){on_field, on_record, self},
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

	return apsp_fields_feed(self->fields, data, size, err);
}

static int csv_matrix_end(void *parser, struct apsp_err *err)
{
	struct csv_matrix *self = parser;
	int r = apsp_fields_end(self->fields, err);

	if (r == 0 && !self->settled && self->n_heads > 0)
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

const struct apsp_parser_type apsp_parser_csv_matrix = {
	csv_matrix_open, csv_matrix_feed, csv_matrix_end, csv_matrix_close};
