/*
 * The format mtx: the Matrix Market exchange format (Boisvert, Pozo & Remington
 * 1996). The first line of a file names the format of the matrix ("coordinate"
 * or "array"), the field of its entries ("real", "integer" or "pattern") and
 * its symmetry ("general", "symmetric" or "skew-symmetric"). The entry in row
 * i, column j is the arc i → j; the vertices are 1 … N.
 */
#include <inttypes.h>
#include <math.h>

#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/lines.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"

enum symmetry {
	GENERAL,
	SYMMETRIC,
	SKEW,
};

enum stage {
	BANNER,
	SIZE,
	ENTRIES,
};

struct mtx {
	struct apsp_lines lines; /* must be the first member (lines.h) */
	enum stage stage;
	bool is_array, is_pattern, is_integer;
	enum symmetry symmetry;
	uint64_t n, n_entries, n_seen;
	uint64_t row, column; /* position of the next entry, if the matrix is an
				 array */
};

/* Read the line's next word, and return its index in the list `names`, which
   ends with NULL. */
static int choice(const struct apsp_line *line, size_t *at, const char *what,
	const char *const *names, struct apsp_err *err)
{
	struct apsp_word word;

	apsp_line_word(line, at, &word);
	for (int i = 0; names[i]; i++)
		if (apsp_word_is(word.text, word.size, names[i]))
			return i;
	return apsp_refuse(err, word.place, "found '%s', expected %s",
		apsp_excerpt_of(word.text, word.size).text, what);
}

static int banner_parse(
	struct mtx *self, const struct apsp_line *line, struct apsp_err *err)
{
	static const char *const banners[] = {"%%MatrixMarket", NULL};
	static const char *const objects[] = {"matrix", NULL};
	static const char *const layouts[] = {"coordinate", "array", NULL};
	static const char *const types[] = {
		"real", "double", "integer", "pattern", NULL};
	static const char *const symmetries[] = {
		"general", "symmetric", "skew-symmetric", NULL};
	size_t at = 0;
	int r, type;

	r = choice(
		line, &at, "'%%MatrixMarket' as the first word", banners, err);
	if (r == 0)
		r = choice(line, &at, "'matrix'", objects, err);
	if (r < 0)
		return r;
	r = choice(line, &at, "coordinate or array", layouts, err);
	if (r < 0)
		return r;
	self->is_array = r == 1;
	type = choice(line, &at,
		"real, integer or pattern (complex weights "
		"have no order)",
		types, err);
	if (type < 0)
		return type;
	self->is_integer = type == 2;
	self->is_pattern = type == 3;
	r = choice(line, &at, "general, symmetric or skew-symmetric",
		symmetries, err);
	if (r < 0)
		return r;
	self->symmetry = (enum symmetry)r;
	if (self->is_pattern && (self->is_array || self->symmetry == SKEW))
		return apsp_refuse(err,
			(struct apsp_text_position){line->number, 1, false},
			"found a pattern that is an array or skew-symmetric, "
			"expected a coordinate, general or symmetric one");
	if (!self->is_array && self->lines.builder->file.has_nonedge)
		return apsp_refuse(err,
			(struct apsp_text_position){line->number, 1, false},
			"nonedge is the cell of a dense matrix that means no "
			"arc; a coordinate file lists its arcs");
	self->stage = SIZE;
	r = apsp_line_finish(line, at, err);
	/* announce no weights for a dense matrix: if all its entries are 0 or
	   1, the graph has no weights */
	if (r < 0 || self->is_pattern || self->is_array)
		return r;
	return apsp_graph_builder_weighted(self->lines.builder,
		APSP_MEANING_UNSAID, NULL,
		(struct apsp_text_position){line->number, 1, false}, err);
}

static int size_parse(
	struct mtx *self, const struct apsp_line *line, struct apsp_err *err)
{
	struct apsp_word rows, columns, entries;
	uint64_t n_columns;
	size_t at = 0;
	int r;

	r = apsp_line_count(
		line, &at, "the number of rows", &rows, &self->n, err);
	if (r == 0)
		r = apsp_line_count(line, &at, "the number of columns",
			&columns, &n_columns, err);
	if (r < 0)
		return r;
	if (n_columns != self->n)
		return apsp_refuse(err, columns.place,
			"found a matrix of %" PRIu64 " rows and %" PRIu64
			" columns, expected a square one",
			self->n, n_columns);
	if (!self->is_array)
		r = apsp_line_count(line, &at, "the number of entries",
			&entries, &self->n_entries, err);
	if (r == 0)
		r = apsp_line_finish(line, at, err);
	if (r == 0)
		r = apsp_graph_builder_numbered(
			self->lines.builder, 1, self->n, rows.place, err);
	if (r < 0)
		return r;
	/* n is at most 2^25, so no product overflows. If an array is symmetric
	   or skew-symmetric, the file has the entries of one triangle only. */
	if (self->is_array && self->symmetry == GENERAL)
		self->n_entries = self->n * self->n;
	else if (self->is_array)
		self->n_entries = self->symmetry == SYMMETRIC
					  ? self->n * (self->n + 1) / 2
					  : self->n * (self->n - 1) / 2;
	self->row = self->symmetry == SKEW;
	self->stage = ENTRIES;
	return 0;
}

/* Parse the weight of an entry. Returns 1 if the weight is missing; then the
   entry is left out. */
static int weight_parse(const struct mtx *self, const struct apsp_word *word,
	double *out, struct apsp_err *err)
{
	int r = apsp_graph_builder_weight(self->lines.builder, word->text,
		word->size, word->place, out, err);

	if (r == 0 && self->is_integer && *out != trunc(*out))
		return apsp_refuse(err, word->place,
			"found '%s', expected an integer as the first line "
			"says",
			apsp_excerpt_of(word->text, word->size).text);
	return r;
}

static int full(const struct mtx *self, struct apsp_text_position place,
	struct apsp_err *err)
{
	return apsp_refuse(err, place,
		"found one entry more, expected %" PRIu64, self->n_entries);
}

static int coordinate_parse(
	struct mtx *self, const struct apsp_line *line, struct apsp_err *err)
{
	struct apsp_word word, column;
	uint32_t i, j;
	double weight = 1;
	bool missing;
	size_t at = 0;
	int r;

	if (self->n_seen++ == self->n_entries) {
		apsp_line_word(line, &at, &word);
		return full(self, word.place, err);
	}
	r = apsp_line_vertex(line, &at, "a row", self->n, &word, &i, err);
	if (r == 0)
		r = apsp_line_vertex(
			line, &at, "a column", self->n, &column, &j, err);
	if (r < 0)
		return r;
	if ((self->symmetry != GENERAL && i < j) ||
		(self->symmetry == SKEW && i == j))
		return apsp_refuse(err, column.place,
			"found an entry %s the diagonal, expected only the "
			"lower triangle of a matrix that is %ssymmetric",
			i == j ? "on" : "above",
			self->symmetry == SKEW ? "skew-" : "");
	word = column;
	if (!self->is_pattern) {
		apsp_line_word(line, &at, &word);
		r = weight_parse(self, &word, &weight, err);
	}
	if (r < 0)
		return r;
	missing = r == 1;
	r = apsp_line_finish(line, at, err);
	if (missing)
		return r;
	if (r == 0)
		r = apsp_graph_builder_arc(
			self->lines.builder, i, j, weight, word.place, err);
	if (r == 0 && self->symmetry != GENERAL && i != j)
		r = apsp_graph_builder_arc(self->lines.builder, j, i,
			self->symmetry == SKEW ? -weight : weight, word.place,
			err);
	return r;
}

static int array_word_parse(
	struct mtx *self, const struct apsp_word *word, struct apsp_err *err)
{
	const uint32_t i = (uint32_t)self->row, j = (uint32_t)self->column;
	double weight = 0;
	int r = 0;

	if (self->n_seen++ == self->n_entries)
		return full(self, word->place, err);
	/* If an entry is inf, add no arc for it. In a symmetric or
	   skew-symmetric matrix, add no arc in the other direction, either.
	   An entry -inf is refused. */
	if (apsp_number_parse(word->text, word->size, &weight) !=
			APSP_NUMBER_INFINITE ||
		weight < 0) {
		r = weight_parse(self, word, &weight, err);
		if (r == 0)
			r = apsp_graph_builder_cell(self->lines.builder, i, j,
				weight, word->place, err);
		if (r == 0 && self->symmetry != GENERAL && i != j)
			r = apsp_graph_builder_cell(self->lines.builder, j, i,
				self->symmetry == SKEW ? -weight : weight,
				word->place, err);
	}
	if (++self->row == self->n) {
		self->column++;
		self->row = self->symmetry == GENERAL ? 0 : self->column;
		self->row += self->symmetry == SKEW;
	}
	return r < 0 ? r : 0;
}

static int on_line(
	void *parser, const struct apsp_line *line, struct apsp_err *err)
{
	struct mtx *self = parser;
	struct apsp_word word;
	size_t at = 0;
	int r = 0;

	if (self->stage == BANNER)
		return banner_parse(self, line, err);
	if (!apsp_line_word(line, &at, &word) || *word.text == '%')
		return 0;
	if (self->stage == SIZE)
		return size_parse(self, line, err);
	if (!self->is_array)
		return coordinate_parse(self, line, err);
	at = 0;
	while (r == 0 && apsp_line_word(line, &at, &word))
		r = array_word_parse(self, &word, err);
	return r;
}

static int mtx_open(void *parser, struct apsp_err *err)
{
	struct mtx *self = parser;

	(void)err;
	self->lines.on_line = on_line;
	return 0;
}

static int mtx_end(void *parser, struct apsp_err *err)
{
	struct mtx *self = parser;
	int r = apsp_lines_end(&self->lines, err);

	if (r < 0)
		return r;
	if (self->stage != ENTRIES)
		return apsp_refuse(err,
			(struct apsp_text_position){
				self->lines.number + 1, 1, false},
			"the file ends, expected %s",
			self->stage == BANNER ? "'%%MatrixMarket matrix …'"
					      : "the size of the matrix");
	if (self->n_seen < self->n_entries)
		return apsp_refuse(err,
			(struct apsp_text_position){
				self->lines.number + 1, 1, false},
			"the file ends after %" PRIu64
			" entries, expected %" PRIu64,
			self->n_seen, self->n_entries);
	return 0;
}

const struct apsp_parser apsp_parser_mtx = {
	sizeof(struct mtx), mtx_open, apsp_lines_feed, mtx_end, NULL};
