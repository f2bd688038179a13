/*
 * The pairs of a batch, read from JSON events or from the fields of a CSV; see
 * pairs_reader.h. Each end of a pair is kept as a 32-bit number. If the highest
 * bit of this number is not set, the number is a vertex. If the bit is set, the
 * end is wrong, and the other bits are an offset in the member `text`. At this
 * offset is a description of the fault: a byte of enum apsp_pair_fault, a
 * string and a NUL. Three examples:
 *
 *	NO_VERTEX "no_such" \0   NO_STRING "a number" \0   NO_PAIR "" \0
 *
 * The fields of the first line of a CSV are kept until the line is known to be
 * a header or a pair.
 */
#include "api/paths/pairs_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/body.h"
#include "daemon/base/array.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/content_type.h"
#include "storage/ingest/formats/edge_columns.h"

enum {
	KEPT_MAX =
		200, /* an unknown label is cut to this many bytes, because the
			error message that shows it has at most 511 bytes */
	FIRST_PAIRS = 64,
	FIRST_TEXT = 256,
};

/* Members of the body. SOURCES and TARGETS are also indices in set_readers and
   sets. */
enum member {
	SOURCES,
	TARGETS,
	PAIRS,
};

static const char *const member_names[] = {
	[SOURCES] = "sources", [TARGETS] = "targets", [PAIRS] = "pairs", NULL};

static const uint32_t fault_bit = UINT32_C(1) << 31;

/*
 * Append the fault of one end of a pair to reader->text, and store in *out the
 * number that represents this end.
 */
static int fault_add(struct apsp_pairs_reader *reader,
	enum apsp_pair_fault fault, const char *text, size_t size,
	uint32_t *out, struct apsp_err *err)
{
	size_t need;
	int r;

	if (size > KEPT_MAX)
		size = apsp_utf8_cut(text, KEPT_MAX);
	need = reader->text_size + size + 2;
	r = apsp_array_reserve(&reader->text, need, &reader->text_room,
		&(struct apsp_array_growth){
			1, FIRST_TEXT, "the batch", reader->share},
		err);
	if (r < 0)
		return r;
	*out = fault_bit | (uint32_t)reader->text_size;
	reader->text[reader->text_size] = (char)fault;
	memcpy(reader->text + reader->text_size + 1, text, size);
	reader->text[need - 1] = '\0';
	reader->text_size = need;
	return 0;
}

/* Returns the JSON type of an event's value in words, such as "a list", as
   apsp_json_kind() does. */
static const char *kind_of(const struct apsp_json_event *event)
{
	switch (event->kind) {
	case APSP_JSON_OBJECT:
		return "an object";
	case APSP_JSON_ARRAY:
		return "a list";
	case APSP_JSON_STRING:
		return "a string";
	case APSP_JSON_NUMBER:
		return "a number";
	default:
		return event->size == 4 && memcmp(event->text, "null", 4) == 0
			       ? "null"
			       : "a truth value";
	}
}

/* Append the present pair to reader->pairs. */
static int pair_keep(struct apsp_pairs_reader *reader, struct apsp_err *err)
{
	const struct apsp_array_growth growth = {sizeof(*reader->pairs),
		FIRST_PAIRS, "the batch", reader->share};
	int r = apsp_array_reserve(
		&reader->pairs, reader->n + 1, &reader->room, &growth, err);

	if (r == 0)
		reader->pairs[reader->n++] = reader->current;
	return r;
}

/* Store one end of the present pair: the vertex with this label, or a fault if
   no vertex has this label. */
static int label_keep(struct apsp_pairs_reader *reader, size_t side,
	const char *text, size_t size, struct apsp_err *err)
{
	int64_t v = apsp_labels_find(reader->generation->labels, text, size);

	if (v < 0)
		return fault_add(reader, APSP_PAIR_NO_VERTEX, text, size,
			&reader->current.ends[side], err);
	reader->current.ends[side] = (uint32_t)v;
	return 0;
}

/* End the pair that was just read from JSON. */
static int pair_end(struct apsp_pairs_reader *reader, struct apsp_err *err)
{
	int r = 0;

	if (!reader->in_list || reader->n_ends != 2)
		r = fault_add(reader, APSP_PAIR_NO_PAIR, "", 0,
			&reader->current.ends[0], err);
	reader->in_list = false;
	return r < 0 ? r : pair_keep(reader, err);
}

static int pair_begin(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = req->state;

	if (reader->n == reader->max) {
		apsp_body_point(req, "pairs", strlen("pairs"));
		return apsp_fail(err, APSP_ETOOLARGE,
			"pairs has more than %u items, which is the limit",
			reader->max);
	}
	reader->current = (struct apsp_kept_pair){0};
	reader->in_list = event->kind == APSP_JSON_ARRAY;
	reader->n_ends = 0;
	/* if the pair is a list or an object, value_read() calls pair_end() at
	   the end of the list or object */
	return event->kind == APSP_JSON_ARRAY || event->kind == APSP_JSON_OBJECT
		       ? 0
		       : pair_end(reader, err);
}

static int end_read(struct apsp_pairs_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	size_t i = reader->n_ends++;
	const char *kind;

	if (i >= 2 || !reader->in_list)
		return 0;
	if (event->kind != APSP_JSON_STRING) {
		kind = kind_of(event);
		return fault_add(reader, APSP_PAIR_NO_STRING, kind,
			strlen(kind), &reader->current.ends[i], err);
	}
	return label_keep(reader, i, event->text, event->size, err);
}

static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = req->state;
	bool ends = event->kind == APSP_JSON_OBJECT_END ||
		    event->kind == APSP_JSON_ARRAY_END;

	if (reader->body.member != PAIRS)
		return apsp_vertex_set_event(req,
			&reader->set_readers[reader->body.member], event, err);
	if (event->depth == 2 && ends)
		return pair_end(reader, err);
	if (ends || (event->depth == 1 && event->kind == APSP_JSON_ARRAY))
		return 0;
	if (event->depth == 1)
		return apsp_body_refuse(req, "pairs", err,
			"pairs is %s; expected a list of [from, to]",
			kind_of(event));
	if (event->depth == 2)
		return pair_begin(req, event, err);
	return event->depth == 3 ? end_read(reader, event, err) : 0;
}

/* End the pair that was just read from a line of CSV. */
static int line_end(struct apsp_pairs_reader *reader, struct apsp_err *err)
{
	if (reader->n == reader->max)
		return apsp_fail(err, APSP_ETOOLARGE,
			"the body has more than %u pairs, which is the limit",
			reader->max);
	return pair_keep(reader, err);
}

/* Store one end of the present pair: the vertex whose label is in a field of
   the CSV, or a fault. */
static int end_report(struct apsp_pairs_reader *reader, size_t side,
	const struct apsp_field *field, struct apsp_err *err)
{
	if (!apsp_utf8_valid(field->text, field->size))
		return apsp_refuse(err, field->place,
			"'%s' is not UTF-8 text without NUL",
			apsp_excerpt_of(field->text, field->size).text);
	return label_keep(reader, side, field->text, field->size, err);
}

static int field_read(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = ctx;
	int r = 0;

	if (!reader->started)
		return apsp_kept_record_add(&reader->first, field, err);
	for (size_t side = 0; side < 2 && r == 0; side++)
		if (field->index == reader->columns[side])
			r = end_report(reader, side, field, err);
	return r;
}

/* Parse the first line. If it names both columns, it is a header; otherwise it
   is a pair. */
static int first_parse(struct apsp_pairs_reader *reader,
	struct apsp_text_position place, struct apsp_err *err)
{
	int r = 0;

	for (size_t side = 0; side < 2 && r == 0; side++)
		r = apsp_edge_column_find(&reader->first, (enum apsp_role)side,
			"", &reader->columns[side], err);
	reader->has_header = reader->columns[0] != APSP_NO_COLUMN &&
			     reader->columns[1] != APSP_NO_COLUMN;
	if (r < 0 || reader->has_header)
		return r;
	if (reader->n_fields != 2)
		return apsp_refuse(err, place,
			"found %zu column%s and no header that names both "
			"ends; expected a header with from and to, or 2 "
			"columns (from, to)",
			reader->n_fields, reader->n_fields == 1 ? "" : "s");
	for (size_t side = 0; side < 2 && r == 0; side++) {
		struct apsp_field field =
			apsp_kept_record_get(&reader->first, side);

		reader->columns[side] = side;
		r = end_report(reader, side, &field, err);
	}
	return r < 0 ? r : line_end(reader, err);
}

static int record_read(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = ctx;
	int r;

	if (!reader->started) {
		reader->started = true;
		reader->n_fields = n_fields;
		r = first_parse(reader, place, err);
		apsp_kept_record_done(&reader->first);
		return r;
	}
	if (n_fields != reader->n_fields)
		return apsp_refuse(err, place,
			"found %zu column%s, expected %zu as in the first line",
			n_fields, n_fields == 1 ? "" : "s", reader->n_fields);
	return line_end(reader, err);
}

static int csv_feed(struct apsp_request *req, const char *data, size_t size,
	struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = req->state;

	return apsp_csv_reader_feed(reader->csv, data, size, err);
}

static int csv_end(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = req->state;
	int r = reader->csv ? apsp_csv_reader_end(reader->csv, err) : 0;

	if (r < 0)
		return r;
	free(reader->csv);
	reader->csv = NULL;
	return 0;
}

int apsp_pairs_reader_type(
	const struct apsp_request *req, bool *out_csv, struct apsp_err *err)
{
	static const char *const types[] = {
		"text/csv", "text/tab-separated-values"};
	const char *type = apsp_request_header(req, "Content-Type");
	enum apsp_format format;
	int r;

	for (size_t i = 0; type && i < sizeof(types) / sizeof(*types); i++) {
		if (strncasecmp(type, types[i], strlen(types[i])) != 0)
			continue;
		r = apsp_content_type_format(type, &format, err);
		if (r < 0)
			return r;
		*out_csv =
			format == APSP_FORMAT_CSV || format == APSP_FORMAT_TSV;
		return *out_csv ? 0
				: apsp_fail(err, APSP_EMEDIATYPE,
					  "the Content-Type is '%s'; pairs are "
					  "application/json, text/csv or "
					  "text/tab-separated-values",
					  type);
	}
	return 0;
}

int apsp_pairs_reader_begin(struct apsp_request *req, struct apsp_err *err)
{
	static const struct apsp_body_syntax syntax = {
		"a CSV of pairs", csv_feed, csv_end};
	struct apsp_pairs_reader *reader = req->state;
	const struct apsp_csv_handler handler = {
		field_read, record_read, reader};
	int r = 0;

	reader->max = req->config->limits.max_pairs;
	if (reader->is_csv) {
		reader->body.syntax = &syntax;
		reader->first.share = reader->share;
		r = apsp_csv_reader_new(
			APSP_SEPARATOR_DETECT, &handler, &reader->csv, err);
	}
	reader->body.members = member_names;
	reader->body.expected = "pairs, or sources and targets";
	reader->body.hint =
		"; a CSV of pairs needs the header Content-Type: text/csv";
	reader->body.value = value_read;
	return r < 0 ? r
		     : apsp_vertex_sets_begin(req, reader->set_readers,
			       reader->generation, reader->share, "the batch",
			       err);
}

void apsp_pairs_reader_done(struct apsp_pairs_reader *reader)
{
	apsp_body_stream_done(&reader->body);
	free(reader->csv);
	apsp_kept_record_done(&reader->first);
	apsp_vertex_sets_done(reader->set_readers);
	for (int m = SOURCES; m <= TARGETS; m++)
		apsp_vertex_set_done(&reader->sets[m]);
	free(reader->pairs);
	free(reader->text);
}

/* Complete both sets, and count their pairs. */
static int sets_end(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = req->state;
	uint64_t n;
	int r = 0;

	for (int m = SOURCES; m <= TARGETS && r == 0; m++)
		r = apsp_vertex_set_end(
			req, &reader->set_readers[m], &reader->sets[m], err);
	if (r < 0)
		return r;
	n = (uint64_t)reader->sets[SOURCES].n * reader->sets[TARGETS].n;
	if (n > reader->max)
		return apsp_fail(err, APSP_ETOOLARGE,
			"%zu sources and %zu targets make %" PRIu64
			" pairs, but a batch has at most %u; choose fewer "
			"vertices, or ask POST …/table, which has no such "
			"limit",
			reader->sets[SOURCES].n, reader->sets[TARGETS].n, n,
			reader->max);
	reader->n = (size_t)n;
	return 0;
}

int apsp_pairs_reader_end(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_pairs_reader *reader = req->state;
	bool pairs = reader->body.seen >> PAIRS & 1;
	bool sets = reader->body.seen & (1U << SOURCES | 1U << TARGETS);
	int r = apsp_body_stream_end(req, err);

	if (r < 0 || reader->is_csv || (pairs && !sets))
		return r;
	if (sets && !pairs)
		return sets_end(req, err);
	return apsp_body_refuse(req, "pairs", err,
		sets ? "the body has pairs and also sources or targets; "
		       "expected either pairs, or sources and targets"
		     : "pairs is missing; expected a list of [from, to], or "
		       "sources and targets");
}

void apsp_pairs_reader_get(const struct apsp_pairs_reader *reader, size_t i,
	struct apsp_pair_end out[2])
{
	const struct apsp_vertex_set *sets = reader->sets;

	if (!reader->pairs) {
		/* the pairs of the first source come first, one for each
		   target, then the pairs of the second source, and so on */
		out[0] = (struct apsp_pair_end){
			.vertex = apsp_vertex_set_at(
				&sets[SOURCES], i / sets[TARGETS].n)};
		out[1] = (struct apsp_pair_end){
			.vertex = apsp_vertex_set_at(
				&sets[TARGETS], i % sets[TARGETS].n)};
		return;
	}
	for (int side = 0; side < 2; side++) {
		uint32_t end = reader->pairs[i].ends[side];
		const char *text = reader->text + (end & ~fault_bit);

		out[side] = (struct apsp_pair_end){.vertex = end};
		if (!(end & fault_bit))
			continue;
		out[side] = (struct apsp_pair_end){
			.fault = (enum apsp_pair_fault) * text,
			.text = text + 1,
		};
	}
	if (out[0].fault == APSP_PAIR_NO_PAIR)
		out[1] = out[0];
}

int apsp_pairs_reader_sources(const struct apsp_pairs_reader *reader,
	uint32_t **out, size_t *out_n, struct apsp_err *err)
{
	struct apsp_pair_end ends[2];
	uint32_t *sources;
	size_t n = 0;
	int r = apsp_share_grow(
		reader->share, reader->n * sizeof(*sources), "the pairs", err);

	if (r < 0)
		return r;
	sources = malloc((reader->n + 1) * sizeof(*sources));
	if (!sources)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (size_t i = 0; i < reader->n; i++) {
		apsp_pairs_reader_get(reader, i, ends);
		if (ends[0].fault == APSP_PAIR_GOOD &&
			ends[1].fault == APSP_PAIR_GOOD)
			sources[n++] = ends[0].vertex;
	}
	*out = sources;
	*out_n = n;
	return 0;
}
