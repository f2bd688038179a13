/*
 * Tables; see table.h. Rows are read one by one, and a format writes each row
 * in parts. A pass is a loop over all rows; some formats need one pass for each
 * value. If a question asks for the nearest pairs, they are kept in a heap,
 * whose root is the farthest of these pairs.
 */
#include "api/tables/table.h"

#include <math.h>
#include <stdlib.h>

#include "api/http/stream.h"
#include "api/tables/table_internal.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	BLOCK_BYTES = 1 << 17,
	/* if the memory of a block's text has at most this many bytes, it is
	   used again for the next block */
	KEPT_BYTES = 1 << 19,
	STEP_MS = 5,
	CELL_BYTES = 32,   /* estimated size of a cell's text in bytes */
	PART_CELLS = 4096, /* number of cells that one step writes */
	COLUMN_CELLS =
		64, /* number of cells of a column that one call reads: few,
		       because each cell may lie in another block of the file */
	COLUMN_BYTES = sizeof(double) + 2 * sizeof(uint32_t) +
		       sizeof(bool), /* bytes of a column's arrays for each
					cell: distance or width, hops,
					predecessor, reachable */
	SMALL_CELLS = 4096, /* if a table of one vertex has at most this many
			       cells, it is written without the thread pool */
};

void apsp_table_free(void *ctx)
{
	struct apsp_table *t = ctx;

	if (!t)
		return;
	apsp_row_reader_free(t->rows);
	free(t->column);
	free(t->positions);
	apsp_text_done(&t->text);
	apsp_table_question_done(&t->q);
	free(t);
}

APSP_AUTO_DEFINE(table_end, struct apsp_table, apsp_table_free);

/* Whether the filter compares distances or widths. */
static bool is_bounded(const struct apsp_pair_filter *filter)
{
	return filter->has_max_distance || filter->has_min_width ||
	       filter->nearest > 0;
}

/* Returns the kinds of values (distances, widths or reachability) by which the
   filter chooses pairs, as bits of enum apsp_row_value. */
static unsigned int filter_values(const struct apsp_pair_filter *filter)
{
	if (is_bounded(filter))
		return filter->widest ? APSP_ROW_WIDTH : APSP_ROW_DISTANCE;
	return filter->has_reachable ? APSP_ROW_REACHABLE : 0;
}

/*
 * The values by which the pairs of a row are compared. `sign` is 1 for
 * distances, and -1 for widths. Of two pairs, the one with the larger product
 * of `sign` and value is farther, or narrower.
 */
struct measure {
	const double *values;
	double sign;
};

/*
 * Whether the pair at position a of the row is farther (or narrower, if widths
 * are compared) than the pair at position b. If the values are equal, the later
 * position counts as farther.
 */
static bool farther(const struct measure *by, uint32_t a, uint32_t b)
{
	double of_a = by->sign * by->values[a], of_b = by->sign * by->values[b];

	return of_a != of_b ? of_a > of_b : a > b;
}

/* In the heap of positions, move the item at index `at` down until none of its
   children is farther. */
static void sink(const struct measure *by, uint32_t *heap, size_t n, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		uint32_t held = heap[at];

		if (child >= n)
			return;
		if (child + 1 < n && farther(by, heap[child + 1], heap[child]))
			child++;
		if (!farther(by, heap[child], held))
			return;
		heap[at] = heap[child];
		heap[child] = held;
		at = child;
	}
}

/*
 * `positions` are positions of pairs in a row. Move the k nearest to the front,
 * the nearest first. If n is less than k, sort all n. Returns the number of
 * sorted positions.
 */
static size_t keep_nearest(
	const struct measure *by, uint32_t *positions, size_t n, size_t k)
{
	k = k < n ? k : n;
	for (size_t i = k / 2; i-- > 0;)
		sink(by, positions, k, i);
	for (size_t i = k; i < n; i++) {
		if (!farther(by, positions[0], positions[i]))
			continue;
		positions[0] = positions[i];
		sink(by, positions, k, 0);
	}
	for (size_t left = k; left > 1; left--) {
		uint32_t farthest = positions[0];

		positions[0] = positions[left - 1];
		positions[left - 1] = farthest;
		sink(by, positions, left - 1, 0);
	}
	return k;
}

/* Whether the pair at position i of the row has a path whose distance or width
   is within the filter's bound. */
static bool is_within(const struct apsp_pair_filter *filter,
	const struct apsp_row *row, size_t i)
{
	if (filter->widest)
		return row->width[i] > 0 &&
		       (!filter->has_min_width ||
			       row->width[i] >= filter->min_width);
	return isfinite(row->distance[i]) &&
	       (!filter->has_max_distance ||
		       row->distance[i] <= filter->max_distance);
}

/*
 * Store in `positions` the positions of the pairs that the filter chooses from
 * a row, and return their number. The row has the pairs from `v` to other
 * vertices; `positions` has space for all of them. If filter->nearest is set,
 * positions are sorted by ascending distance, or by descending width; positions
 * with equal values are in ascending order. Otherwise, all positions are in
 * ascending order.
 */
static size_t filter_apply(const struct apsp_pair_filter *filter,
	const struct apsp_row *row, uint32_t v,
	const struct apsp_vertex_set *others, uint32_t *positions)
{
	const struct measure by = {filter->widest ? row->width : row->distance,
		filter->widest ? -1 : 1};
	bool bounded = is_bounded(filter);
	size_t count = 0;

	for (size_t i = 0; i < others->n; i++) {
		bool chosen = true;

		/* the conditions max_distance, min_width and nearest choose
		   only pairs that have a path */
		if (bounded)
			chosen = is_within(filter, row, i) &&
				 !(filter->nearest &&
					 apsp_vertex_set_at(others, i) == v);
		else if (filter->has_reachable)
			chosen = row->reachable[i] == filter->reachable;
		positions[count] = (uint32_t)i;
		count += chosen;
	}
	if (filter->nearest)
		count = keep_nearest(&by, positions, count, filter->nearest);
	return count;
}

/* Open a reader for the values of the answer (`values`) and for those by which
   the filter chooses. */
static int rows_open(
	struct apsp_table *t, unsigned int values, struct apsp_err *err)
{
	static const uint32_t none; /* an empty list of targets, because NULL
				       would mean all vertices */
	const struct apsp_table_question *q = &t->q;
	bool is_column = q->of_vertex && q->direction == APSP_DIRECTION_IN;
	const uint32_t *targets = q->targets.all     ? NULL
				  : q->targets.n > 0 ? q->targets.vertices
						     : &none;
	size_t n = q->targets.n;

	if (t->positions)
		values |= filter_values(&q->filter);
	apsp_row_reader_free(t->rows);
	t->rows = NULL;
	if (!values)
		return 0;
	if (is_column) {
		t->column = calloc(n + 1, COLUMN_BYTES);
		if (!t->column)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a column");
		targets = &q->vertex;
		n = 1;
	}
	if (q->by_columns)
		values |= APSP_ROW_BY_COLUMN;
	return apsp_row_reader_new(
		q->reading.tables, values, targets, n, &t->rows, err);
}

/* Begin the next pass. A pass writes the next kind of value or, if the format
   needs only one pass, all kinds. */
static int pass_begin(struct apsp_table *t, struct apsp_err *err)
{
	t->written = t->undone;
	for (int i = 0; t->format->pass_per_value && i < APSP_N_VALUES; i++)
		if (t->undone & apsp_value_names[i].value) {
			t->written = apsp_value_names[i].value;
			break;
		}
	t->undone &= ~t->written;
	t->next = 0;
	if (t->format->pass_begin)
		t->format->pass_begin(t);
	return t->q.of_vertex ? 0 : rows_open(t, t->written, err);
}

/* Choose which cells of the row that was just read are in the answer. */
static void row_filter(struct apsp_table *t, uint32_t source)
{
	t->n = t->q.targets.n;
	if (t->positions)
		t->n = filter_apply(&t->q.filter, &t->row, source,
			&t->q.targets, t->positions);
}

/* Read the next cell of a column into the column's arrays. If
   apsp_row_reader_read() needs more calls, return 0 without a new cell. */
static int cell_read(struct apsp_table *t, struct apsp_err *err)
{
	size_t n = t->q.targets.n, i = t->n_read;
	uint32_t *hops = (uint32_t *)(t->column + n);
	uint32_t *predecessor = hops + n;
	bool *reachable = (bool *)(predecessor + n);
	struct apsp_row cell;
	int r;

	r = apsp_row_reader_read(t->rows, apsp_table_target(t, i), &cell, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (cell.distance)
		t->column[i] = *cell.distance;
	if (cell.width)
		t->column[i] = *cell.width;
	if (cell.hops)
		hops[i] = *cell.hops;
	if (cell.predecessor)
		predecessor[i] = *cell.predecessor;
	if (cell.reachable)
		reachable[i] = *cell.reachable;
	t->row = (struct apsp_row){
		.distance = cell.distance ? t->column : NULL,
		.hops = cell.hops ? hops : NULL,
		.predecessor = cell.predecessor ? predecessor : NULL,
		.reachable = cell.reachable ? reachable : NULL,
		.width = cell.width ? t->column : NULL,
	};
	t->n_read++;
	return 0;
}

int apsp_table_read(struct apsp_table *t, struct apsp_err *err)
{
	size_t n = t->column ? t->q.targets.n : 0;
	int r = 0;

	if (t->rows && !t->column)
		r = apsp_row_reader_read(t->rows, t->q.vertex, &t->row, err);
	for (int i = 0; i < COLUMN_CELLS && t->n_read < n && r == 0; i++)
		r = cell_read(t, err);
	if (r < 0)
		return r;
	if (t->n_read < n)
		return 1;
	row_filter(t, t->q.vertex);
	apsp_reading_let_go(&t->q.reading);
	return 0;
}

/* Begin the next row. If apsp_row_reader_read() needs more calls, return 0 and
   leave in_row false. */
static int row_begin(struct apsp_table *t, struct apsp_err *err)
{
	uint32_t source = apsp_table_source(t, t->next);
	int r = 0;

	if (!t->q.of_vertex && t->rows)
		r = apsp_row_reader_read(t->rows, source, &t->row, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!t->q.of_vertex)
		row_filter(t, source);
	t->at = 0;
	t->in_row = true;
	if (t->format->row_begin)
		t->format->row_begin(t);
	return 0;
}

static void row_go_on(struct apsp_table *t)
{
	size_t end = t->n - t->at > PART_CELLS ? t->at + PART_CELLS : t->n;

	if (t->format->cells)
		t->format->cells(t, end);
	t->at = end;
	if (end < t->n)
		return;
	if (t->format->row_end)
		t->format->row_end(t);
	t->in_row = false;
	t->next++;
}

/* Do the next step: append a part of the text, or begin a pass or a row. */
static int step(struct apsp_table *t, struct apsp_err *err)
{
	int r;

	if (t->in_row) {
		row_go_on(t);
		return 0;
	}
	if (!t->begun) {
		if (t->format->begin && !t->headless)
			t->format->begin(t);
		t->begun = true;
		r = pass_begin(t, err);
		t->next = t->first;
		return r;
	}
	if (t->next < (t->q.of_vertex ? 1 : t->q.sources.n))
		return row_begin(t, err);
	if (t->format->pass_end)
		t->format->pass_end(t);
	if (t->undone)
		return pass_begin(t, err);
	if (t->format->end)
		t->format->end(t);
	t->ended = true;
	return 0;
}

/* Cut off the bytes of the block that are outside the requested range. */
static void block_cut(struct apsp_table *t, struct apsp_stream_block *block)
{
	size_t before = t->skip < block->size ? (size_t)t->skip : block->size;

	block->data += before;
	block->size -= before;
	t->skip -= before;
	if (block->size > t->left)
		block->size = (size_t)t->left;
	t->left -= block->size;
	t->ended |= t->left == 0;
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
	if (t->left > 0)
		block_cut(t, out);
	return r < 0 ? r : !t->ended;
}

static const struct apsp_table_format *format_of(
	const struct apsp_table_question *q, enum apsp_reply_format format)
{
	bool is_long = q->is_long || q->of_vertex;

	switch (format) {
	case APSP_REPLY_CSV:
		return is_long ? &apsp_table_csv_long : &apsp_table_csv;
	case APSP_REPLY_NDJSON:
		return is_long ? &apsp_table_ndjson_long : &apsp_table_ndjson;
	case APSP_REPLY_NPY:
		return &apsp_table_npy;
	default:
		return q->of_vertex ? &apsp_table_json_vertex
		       : q->is_long ? &apsp_table_json_long
				    : &apsp_table_json;
	}
}

static int check(const struct apsp_table_question *q,
	enum apsp_reply_format format, struct apsp_err *err)
{
	bool several = (q->values & (q->values - 1)) != 0;
	bool filters = apsp_pair_filter_is_set(&q->filter);

	if (q->of_vertex && format == APSP_REPLY_NPY && filters)
		return apsp_fail(err, APSP_EMALFORMED,
			"format=npy has a value of every vertex; nearest, "
			"max_distance, min_width and reachable leave vertices "
			"out");
	if (q->of_vertex)
		return 0;
	if (filters && !q->is_long)
		return apsp_fail(err, APSP_EMALFORMED,
			"nearest, max_distance, min_width and reachable leave "
			"pairs out: they need layout=long");
	if (format == APSP_REPLY_NPY && q->is_long)
		return apsp_fail(err, APSP_EMALFORMED,
			"format=npy is a whole table: layout=long, nearest, "
			"max_distance, min_width and reachable exclude it");
	if (format == APSP_REPLY_CSV && several && !q->is_long)
		return apsp_fail(err, APSP_EMALFORMED,
			"a wide CSV has one value; ask for one, or for "
			"layout=long");
	return 0;
}

int apsp_table_new(struct apsp_table_question *q, enum apsp_reply_format format,
	struct apsp_table **out, struct apsp_err *err)
{
	APSP_AUTO(table_end) struct apsp_table *t = NULL;
	struct apsp_tables *tables = q->reading.tables;
	size_t n = q->targets.n;
	uint64_t bytes = n * CELL_BYTES + KEPT_BYTES;
	int r;

	r = check(q, format, err);
	if (r < 0)
		return r;
	if (q->steps) /* it has an element for each vertex */
		bytes += q->reading.generation->n_vertices * sizeof(*q->steps);
	/* add an upper bound of the memory for the values */
	if ((q->values || !q->of_vertex) && q->by_columns)
		bytes += apsp_row_reader_columns_bytes(
				 tables, q->of_vertex ? 1 : n) +
			 n * COLUMN_BYTES;
	else if (q->values || !q->of_vertex)
		bytes += apsp_row_reader_bytes(
			tables, q->targets.all ? 0 : n, q->of_vertex);
	r = apsp_share_grow(&q->share, bytes, "the table", err);
	if (r < 0)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a table");
	if (q->is_long || q->of_vertex) {
		t->positions = calloc(n + 1, sizeof(uint32_t));
		if (!t->positions)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a table");
	}
	t->reply_format = format;
	t->format = format_of(q, format);
	t->undone = q->values;
	if (q->steps)
		t->undone |= APSP_VALUE_STEPS;
	if (t->format == &apsp_table_json_vertex)
		t->undone |= APSP_VALUE_VERTEX;
	t->json.text = t->csv.text = &t->text;
	t->q = *q;
	r = q->of_vertex ? rows_open(t, q->values, err) : 0;
	if (r < 0) {
		t->q = (struct apsp_table_question){
			0}; /* the caller still owns the contents of *q, so t
			       must not free them */
		return r;
	}
	*q = (struct apsp_table_question){0};
	*out = APSP_TAKE(t);
	return 0;
}

int apsp_table_reply(struct apsp_request *req, unsigned int status,
	struct apsp_table *t, struct apsp_err *err)
{
	bool is_npy = t->reply_format == APSP_REPLY_NPY;
	const struct apsp_stream stream = {
		.type = apsp_reply_formats[t->reply_format].type,
		.size = !is_npy	      ? APSP_STREAM_SIZE_UNKNOWN
			: t->left > 0 ? t->left
				      : apsp_table_npy_size(t),
		.as_it_is = is_npy,
		.in_pool = t->q.of_vertex ? t->n > SMALL_CELLS : req->in_pool,
		.next = table_next,
		.done = apsp_table_free,
		.ctx = t,
	};

	return apsp_stream_reply(req, status, &stream, err);
}
