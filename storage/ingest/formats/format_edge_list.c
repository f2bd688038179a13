/*
 * The formats csv and tsv: edge lists with one arc in each line.
 *
 * The fields of a record are copied and kept until the record is complete,
 * because an arc's tail gets its index before the arc's head, and columns may
 * have any order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/edge_columns.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"

#define ROW_NAMES "column 1 (row names)"
#define NAMELESS "a column without a name"

enum {
	CELL_SIZE = APSP_LABEL_MAX, /* also fits any number */
};

struct cell {
	size_t size;
	struct apsp_text_position place;
	char text[CELL_SIZE];
};

enum stage {
	FIRST,	 /* the first record, which shows the role of each column */
	SECOND,	 /* the record after a header; it shows whether the file has row
		    names */
	STARTED, /* all later records */
};

struct edge_list {
	struct apsp_graph_builder *builder;
	struct apsp_csv_reader *fields;
	enum stage stage;
	/* a copy of the first or the second record */
	struct apsp_kept_record kept;
	struct apsp_edge_columns columns;
	struct cell cells[APSP_N_ROLES];
};

_Static_assert((int)CELL_SIZE >= (int)APSP_NUMBER_MAX, "a number fits a cell");

/* Whether a field may be a weight that would be lost: it has a value, no column
   has the weights, and the field's column has no role. Such a column has no
   name, because apsp_edge_columns_find() refuses a header of three names
   without weights. */
static bool is_lost_weight(
	const struct edge_list *self, const struct apsp_field *field)
{
	return self->columns.lacks_weight && field->size > 0 &&
	       field->index > 0 && field->index < self->columns.n &&
	       field->index != self->columns.of[APSP_ROLE_FROM] &&
	       field->index != self->columns.of[APSP_ROLE_TO];
}

/* Whether a field says that its row is an edge without a direction, as Gephi
   writes it, and the request says nothing of directions. */
static bool is_undirected(
	const struct edge_list *self, const struct apsp_field *field)
{
	const struct apsp_file_options *file = &self->builder->file;
	static const char word[] = "undirected";

	return !file->undirected && !file->directed &&
	       field->size == strlen(word) &&
	       strncasecmp(field->text, word, field->size) == 0;
}

/* Store a field. Before the columns are known, all fields are stored. After
   that, only the fields in columns that have a role are stored. */
static int field_parse(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct edge_list *self = ctx;
	bool has_role = false;

	if (self->stage != STARTED)
		return apsp_kept_record_add(&self->kept, field, err);
	if (is_lost_weight(self, field))
		return apsp_refuse(err, field->place,
			"found '%s' in a column without a name, which may be a "
			"weight: write 'weight' above it in the first line, or "
			"leave the column out",
			apsp_excerpt_of(field->text, field->size).text);
	for (size_t role = 0; role < APSP_N_ROLES; role++) {
		struct cell *cell = &self->cells[role];

		if (self->columns.of[role] != field->index)
			continue;
		has_role = true;
		if (field->size > CELL_SIZE)
			return apsp_refuse(err, field->place,
				"'%s' has %zu bytes, expected at most %d",
				apsp_excerpt_of(field->text, field->size).text,
				field->size, CELL_SIZE);
		cell->size = field->size;
		cell->place = field->place;
		/* copy nothing from an empty field, because its text may be
		   NULL */
		if (field->size > 0)
			memcpy(cell->text, field->text, field->size);
	}
	if (!has_role && is_undirected(self, field))
		return apsp_refuse(err, field->place,
			"'%s' says that this row connects in both directions: "
			"say undirected=true, or undirected=false to read each "
			"row as one arc",
			apsp_excerpt_of(field->text, field->size).text);
	return 0;
}

static int record_parse(struct edge_list *self, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	const struct cell *from = &self->cells[APSP_ROLE_FROM];
	const struct cell *to = &self->cells[APSP_ROLE_TO];
	const struct cell *weight = &self->cells[APSP_ROLE_WEIGHT];
	uint32_t tail, head;
	double w = 1;
	int r;

	if (n_fields != self->columns.n)
		return apsp_refuse(err, place,
			"found %zu field%s, expected %zu as in the first line",
			n_fields, n_fields == 1 ? "" : "s", self->columns.n);
	r = apsp_graph_builder_vertex(
		self->builder, from->text, from->size, from->place, &tail, err);
	if (r < 0)
		return r;
	r = apsp_graph_builder_vertex(
		self->builder, to->text, to->size, to->place, &head, err);
	if (r < 0)
		return r;
	if (self->columns.of[APSP_ROLE_WEIGHT] == APSP_NO_COLUMN)
		return apsp_graph_builder_arc(
			self->builder, tail, head, w, place, err);
	r = apsp_graph_builder_weight(self->builder, weight->text, weight->size,
		weight->place, &w, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return apsp_graph_builder_arc(
		self->builder, tail, head, w, weight->place, err);
}

/* If the file has weights, announce them to the builder. If the name of their
   column means lengths, announce them as lengths. */
static int weights_announce(struct edge_list *self,
	struct apsp_text_position place, struct apsp_err *err)
{
	const struct apsp_edge_columns *columns = &self->columns;
	size_t i = columns->of[APSP_ROLE_WEIGHT];
	struct apsp_excerpt name;
	struct apsp_field field;

	if (columns->counted) { /* give each row the weight 1; the builder adds
				   the weights of rows with the same pair */
		self->builder->findings.rows_counted = true;
		if (self->builder->profile.duplicates != APSP_DUPLICATES_SUM)
			return apsp_refuse(err, place,
				"weight_column=count counts rows, which needs "
				"duplicates=sum; leave out duplicates");
		return apsp_graph_builder_weighted(self->builder,
			APSP_MEANING_UNSAID, APSP_COLUMN_COUNT, place, err);
	}
	if (i == APSP_NO_COLUMN)
		return 0;
	field = apsp_kept_record_get(&self->kept, i);
	name = apsp_excerpt_of(field.text, field.size);
	return apsp_graph_builder_weighted(self->builder,
		columns->lengths ? APSP_MEANING_LENGTHS : APSP_MEANING_UNSAID,
		columns->has_header ? name.text : NULL, field.place, err);
}

/* Record for the receipt which columns are read and which are ignored. */
static void columns_report(struct edge_list *self)
{
	struct apsp_findings *findings = &self->builder->findings;
	const struct apsp_edge_columns *columns = &self->columns;

	if (!columns->has_header) {
		findings->n_columns = columns->n;
		if (columns->counted && columns->n > 2)
			apsp_findings_ignore(
				findings, "column 3", strlen("column 3"));
		return;
	}
	findings->count_is_column =
		!columns->counted &&
		strcmp(self->builder->file.columns[APSP_ROLE_WEIGHT],
			APSP_COLUMN_COUNT) == 0;
	for (size_t i = 0; i < columns->n; i++) {
		struct apsp_field field = apsp_kept_record_get(&self->kept, i);
		struct apsp_excerpt name =
			apsp_excerpt_of(field.text, field.size);
		size_t role = 0;

		while (role < APSP_N_ROLES && columns->of[role] != i)
			role++;
		if (role < APSP_N_ROLES)
			snprintf(findings->columns[role], APSP_COLUMN_SIZE,
				"%s", name.text);
		else if (field.size > 0)
			apsp_findings_ignore(findings, field.text, field.size);
		else if (i > 0 && !columns->lacks_weight)
			apsp_findings_ignore(
				findings, NAMELESS, strlen(NAMELESS));
	}
}

/* Parse the record in self->kept as an arc, like all later records. */
static int kept_parse(struct edge_list *self, struct apsp_text_position place,
	struct apsp_err *err)
{
	int r = 0;

	self->stage = STARTED;
	for (size_t i = 0; i < self->kept.n_fields && r == 0; i++) {
		struct apsp_field field = apsp_kept_record_get(&self->kept, i);

		r = field_parse(self, &field, err);
	}
	if (r == 0)
		r = record_parse(self, self->kept.n_fields, place, err);
	apsp_kept_record_done(&self->kept);
	return r;
}

/* Find the columns from the first record, which is a header or an arc. */
static int first_parse(struct edge_list *self, struct apsp_text_position place,
	struct apsp_err *err)
{
	const struct apsp_profile *profile = &self->builder->profile;
	int r;

	r = apsp_edge_columns_find(&self->kept, &self->builder->file,
		profile->transform != APSP_TRANSFORM_HOPS ||
			profile->has_min_weight ||
			profile->normalise != APSP_NORMALISE_NONE,
		&self->columns, err);
	if (r == 0)
		r = weights_announce(self, place, err);
	if (r < 0)
		return r;
	columns_report(self);
	if (!self->columns.has_header)
		return kept_parse(self, place, err);
	self->stage = SECOND;
	apsp_kept_record_done(&self->kept);
	return 0;
}

/*
 * Whether the first column has row names. R's write.table writes no header
 * field for this column, so the record after the header (self->kept) has one
 * field more than the header.
 *
 * A record can have one field more for three other reasons; then there are no
 * row names. The line ends with one separator too many (the last field is
 * blank). Or the header has two names, and the third field is a weight without
 * a name (a number). Or a comma is both separator and decimal mark, so that a
 * number without quotes is two fields.
 */
static bool has_row_names(const struct edge_list *self)
{
	const struct apsp_file_options *file = &self->builder->file;
	const size_t n = self->columns.n;
	struct apsp_field last;

	if (self->kept.n_fields != n + 1 ||
		(file->decimal_comma &&
			apsp_csv_reader_separator(self->fields) == ','))
		return false;
	last = apsp_kept_record_get(&self->kept, n);
	return n > 2 ? last.size > 0
		     : apsp_file_text(file, last.text, last.size);
}

static int on_record(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct edge_list *self = ctx;
	struct apsp_edge_columns *columns = &self->columns;

	if (self->stage == FIRST)
		return first_parse(self, place, err);
	if (self->stage == STARTED)
		return record_parse(self, n_fields, place, err);
	if (has_row_names(self)) {
		apsp_findings_ignore(
			&self->builder->findings, ROW_NAMES, strlen(ROW_NAMES));
		columns->n++;
		for (size_t role = 0; role < APSP_N_ROLES; role++)
			if (columns->of[role] != APSP_NO_COLUMN)
				columns->of[role]++;
	}
	return kept_parse(self, place, err);
}

static void edge_list_done(void *parser)
{
	struct edge_list *self = parser;

	free(self->fields);
	apsp_kept_record_done(&self->kept);
}

static int edge_list_open(
	struct edge_list *self, char separator, struct apsp_err *err)
{
	const char *name = self->builder->file.columns[APSP_ROLE_WEIGHT];
	int r = 0;

	/*
	 * If the client names a column of weights, the file has weights. If the
	 * name means lengths, weights_announce() announces lengths later;
	 * otherwise announce weights now. If the client names no column of
	 * weights, the first line shows whether there are weights.
	 */
	if (*name && !apsp_edge_name_says_lengths(name, strlen(name)))
		r = apsp_graph_builder_weighted(self->builder,
			APSP_MEANING_UNSAID, name,
			(struct apsp_text_position){0}, err);
	if (r < 0)
		return r;
	self->kept.share = self->builder->share;
	return apsp_csv_reader_new(separator,
		&(struct apsp_csv_handler){field_parse, on_record, self},
		&self->fields, err);
}

static int csv_open(void *parser, struct apsp_err *err)
{
	const struct edge_list *self = parser;

	return edge_list_open(parser,
		self->builder->file.decimal_comma ? APSP_SEPARATOR_NO_COMMA
						  : APSP_SEPARATOR_DETECT,
		err);
}

static int tsv_open(void *parser, struct apsp_err *err)
{
	return edge_list_open(parser, '\t', err);
}

static int edge_list_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err)
{
	struct edge_list *self = parser;

	return apsp_csv_reader_feed(self->fields, data, size, err);
}

static int edge_list_end(void *parser, struct apsp_err *err)
{
	struct edge_list *self = parser;
	struct apsp_findings *findings = &self->builder->findings;
	int r = apsp_csv_reader_end(self->fields, err);

	findings->separator = apsp_csv_reader_separator(self->fields);
	findings->rival = apsp_csv_reader_rival(self->fields);
	return r;
}

const struct apsp_parser apsp_parser_csv = {sizeof(struct edge_list), csv_open,
	edge_list_feed, edge_list_end, edge_list_done};

const struct apsp_parser apsp_parser_tsv = {sizeof(struct edge_list), tsv_open,
	edge_list_feed, edge_list_end, edge_list_done};
