/*
 * Tables; see table.h. Rows are made one by one and told by a format; passes go
 * over all sources, one for each value where the format wants that.
 */
#include "api/tables/table.h"

#include <stdlib.h>
#include <string.h>

#include "api/encode/npy_header.h"
#include "api/http/reply_format.h"
#include "api/tables/npy_row.h"
#include "api/tables/table_internal.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	BLOCK_BYTES = 1 << 17,
	KEPT_BYTES = 1 << 19, /* a larger block is freed once sent */
	STEP_MS = 5,
	CELL_BYTES = 32, /* of text, about */
};

static void table_free(void *ctx)
{
	struct apsp_table *t = ctx;

	if (!t)
		return;
	apsp_row_reader_free(t->rows);
	free(t->positions);
	apsp_text_done(&t->text);
	apsp_table_question_done(&t->q);
	free(t);
}

APSP_AUTO_DEFINE(table_cleanup, struct apsp_table, table_free);

/* The next value's rows, or all values'. */
static int pass_begin(struct apsp_table *t, struct apsp_err *err)
{
	unsigned int values;

	t->told =
		t->format->pass_per_value ? t->undone & -t->undone : t->undone;
	t->undone &= ~t->told;
	values = t->told;
	if (t->q.is_long)
		values |= apsp_pair_filter_values(&t->q.filter);
	t->next = 0;
	apsp_row_reader_free(t->rows);
	t->rows = NULL;
	t->format->pass_begin(t);
	return apsp_row_reader_new(t->q.reading.tables, values, t->targets,
		t->q.targets.n, &t->rows, err);
}

static int row_make(struct apsp_table *t, struct apsp_err *err)
{
	uint32_t source = apsp_vertex_list_at(&t->q.sources, t->next);
	size_t n = t->q.targets.n;
	struct apsp_row row;
	int r;

	r = apsp_row_reader_read(t->rows, source, &row, err);
	if (r < 0)
		return r;
	if (t->q.is_long)
		n = apsp_pair_filter_apply(&t->q.filter, &row, source,
			&t->q.targets, t->positions);
	t->format->row(t, t->next++, &row, n);
	return 0;
}

/* Append what comes next. */
static int step(struct apsp_table *t, struct apsp_err *err)
{
	if (!t->begun) {
		t->format->begin(t);
		t->begun = true;
		return pass_begin(t, err);
	}
	if (t->next < t->q.sources.n)
		return row_make(t, err);
	t->format->pass_end(t);
	if (t->undone)
		return pass_begin(t, err);
	t->format->end(t);
	t->ended = true;
	return 0;
}

static int table_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	int64_t until = apsp_clock_ns() + (int64_t)STEP_MS * 1000000;
	struct apsp_table *t = ctx;
	int r = 0;

	apsp_text_clear(&t->text, KEPT_BYTES);
	while (r == 0 && !t->ended && t->text.size < BLOCK_BYTES) {
		r = step(t, err);
		if (apsp_clock_ns() > until)
			break;
	}
	if (r == 0)
		r = apsp_text_check(&t->text, err);
	*out = (struct apsp_stream_block){t->text.data, t->text.size};
	return r < 0 ? r : !t->ended;
}

static const struct apsp_table_format *format_of(
	const struct apsp_table_question *q, enum apsp_reply_format format)
{
	switch (format) {
	case APSP_REPLY_CSV:
		return q->is_long ? &apsp_table_csv_long : &apsp_table_csv;
	case APSP_REPLY_NDJSON:
		return q->is_long ? &apsp_table_ndjson_long
				  : &apsp_table_ndjson;
	case APSP_REPLY_NPY:
		return &apsp_table_npy;
	default:
		return q->is_long ? &apsp_table_json_long : &apsp_table_json;
	}
}

static int check(const struct apsp_table_question *q,
	enum apsp_reply_format format, struct apsp_err *err)
{
	bool several = (q->values & (q->values - 1)) != 0;

	if (apsp_pair_filter_is_set(&q->filter) && !q->is_long)
		return apsp_fail(err, APSP_EMALFORMED,
			"nearest, max_distance and reachable leave pairs out: "
			"they need layout=long");
	if (format == APSP_REPLY_NPY && q->is_long)
		return apsp_fail(err, APSP_EMALFORMED,
			"format=npy is a whole table: layout=long, nearest, "
			"max_distance and reachable exclude it");
	if (format == APSP_REPLY_CSV && several && !q->is_long)
		return apsp_fail(err, APSP_EMALFORMED,
			"a wide CSV has one value; ask for one, or for "
			"layout=long");
	return 0;
}

static uint64_t npy_size(const struct apsp_table_question *q)
{
	uint64_t n = (uint64_t)q->sources.n * q->targets.n;
	unsigned int values = (unsigned int)__builtin_popcount(q->values);

	return APSP_NPY_HEADER_SIZE +
	       n * values * apsp_npy_cell_size(apsp_npy_cell_of(q->values));
}

int apsp_table_stream(struct apsp_table_question *q,
	enum apsp_reply_format format, struct apsp_stream *out,
	struct apsp_err *err)
{
	APSP_AUTO(table_cleanup) struct apsp_table *t = NULL;
	int r;

	r = check(q, format, err);
	if (r == 0)
		r = apsp_share_grow(&q->share,
			apsp_row_reader_bytes(q->reading.tables, q->targets.n) +
				q->targets.n * CELL_BYTES + KEPT_BYTES,
			"the table", err);
	if (r < 0)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a table");
	if (q->is_long)
		t->positions = calloc(q->targets.n + 1, sizeof(uint32_t));
	if (q->is_long && !t->positions)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a table");
	t->format = format_of(q, format);
	t->undone = q->values;
	t->targets = q->targets.all ? NULL : q->targets.vertices;
	t->json.text = t->csv.text = &t->text;
	t->q = *q;
	*q = (struct apsp_table_question){0};
	*out = (struct apsp_stream){
		.type = apsp_reply_format_type(format),
		.size = format == APSP_REPLY_NPY ? npy_size(&t->q)
						 : APSP_STREAM_SIZE_UNKNOWN,
		.as_it_is = format == APSP_REPLY_NPY,
		.next = table_next,
		.done = table_free,
		.ctx = t,
	};
	t = NULL;
	return 0;
}
