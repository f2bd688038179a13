/*
 * Reading the values of one vertex; see vertex_values.h.
 */
#include "api/tables/vertex_values.h"

#include <stdlib.h>
#include <string.h>

#include "api/encode/npy_header.h"
#include "api/http/reply_format.h"
#include "api/tables/npy_row.h"
#include "api/tables/vertex_formats.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	STEP_CELLS = 64, /* of a column: each may be a block of its own */
	BLOCK_BYTES = 1 << 16,
	KEPT_BYTES = 4 * BLOCK_BYTES,
	STEP_MS = 5,
	COLUMN_BYTES = 21, /* of all arrays, a vertex */
};

void apsp_vertex_values_free(void *ctx)
{
	struct apsp_vertex_values *v = ctx;

	if (!v)
		return;
	apsp_row_reader_free(v->rows);
	free(v->distance);
	free(v->hops);
	free(v->predecessor);
	free(v->reachable);
	free(v->positions);
	apsp_text_done(&v->text);
	apsp_vertex_question_done(&v->q);
	free(v);
}

APSP_AUTO_DEFINE(
	values_cleanup, struct apsp_vertex_values, apsp_vertex_values_free);

/* Arrays for a column, which is read cell by cell. */
static int column_new(struct apsp_vertex_values *v, unsigned int values,
	size_t n, struct apsp_err *err)
{
	v->distance = calloc(n + 1, sizeof(*v->distance));
	v->hops = calloc(n + 1, sizeof(*v->hops));
	v->predecessor = calloc(n + 1, sizeof(*v->predecessor));
	v->reachable = calloc(n + 1, sizeof(*v->reachable));
	if (!v->distance || !v->hops || !v->predecessor || !v->reachable)
		return apsp_fail(err, APSP_ENOMEM, "no memory for distances");
	v->row = (struct apsp_row){
		.distance = values & APSP_ROW_DISTANCE ? v->distance : NULL,
		.hops = values & APSP_ROW_HOPS ? v->hops : NULL,
		.predecessor =
			values & APSP_ROW_PREDECESSOR ? v->predecessor : NULL,
		.reachable = values & APSP_ROW_REACHABLE ? v->reachable : NULL,
	};
	return 0;
}

static int memory_take(struct apsp_vertex_question *q, unsigned int values,
	struct apsp_err *err)
{
	uint64_t bytes = q->others.n * sizeof(uint32_t) + KEPT_BYTES;

	if (q->steps) /* it was made for all vertices */
		bytes += q->reading.generation->n_vertices * sizeof(*q->steps);
	if (values)
		bytes += apsp_row_reader_bytes(q->reading.tables, q->others.n) +
			 q->others.n * COLUMN_BYTES;
	return apsp_share_grow(&q->share, bytes, "the distances", err);
}

/* A reader of the row, or of cells of the column. */
static int reader_new(
	struct apsp_vertex_values *v, unsigned int values, struct apsp_err *err)
{
	const struct apsp_vertex_list *others = &v->q.others;
	int r;

	if (!values)
		return 0;
	if (v->q.direction == APSP_DIRECTION_OUT)
		return apsp_row_reader_new(v->q.reading.tables, values,
			others->all ? NULL : others->vertices, others->n,
			&v->rows, err);
	r = column_new(v, values, others->n, err);
	if (r < 0)
		return r;
	return apsp_row_reader_new(
		v->q.reading.tables, values, &v->q.vertex, 1, &v->rows, err);
}

int apsp_vertex_values_new(struct apsp_vertex_question *q,
	enum apsp_reply_format format, struct apsp_vertex_values **out,
	struct apsp_err *err)
{
	APSP_AUTO(values_cleanup) struct apsp_vertex_values *v = NULL;
	unsigned int values = q->values | apsp_pair_filter_values(&q->filter);
	int r;

	if (format == APSP_REPLY_NPY && apsp_pair_filter_is_set(&q->filter))
		return apsp_fail(err, APSP_EMALFORMED,
			"format=npy has a value of every vertex; what nearest, "
			"max_distance and reachable leave has not");
	r = memory_take(q, values, err);
	if (r < 0)
		return r;
	v = calloc(1, sizeof(*v));
	if (!v)
		return apsp_fail(err, APSP_ENOMEM, "no memory for distances");
	v->format = format;
	v->member = -2;
	v->json.text = v->csv.text = &v->text;
	v->positions = calloc(q->others.n + 1, sizeof(*v->positions));
	if (!v->positions)
		return apsp_fail(err, APSP_ENOMEM, "no memory for distances");
	v->q = *q;
	r = reader_new(v, values, err);
	if (r < 0) {
		v->q = (struct apsp_vertex_question){0}; /* the caller's */
		return r;
	}
	*q = (struct apsp_vertex_question){0};
	*out = APSP_TAKE(v);
	return 0;
}

/* One cell of the column. */
static int cell_read(struct apsp_vertex_values *v, struct apsp_err *err)
{
	size_t i = v->next;
	struct apsp_row cell;
	int r;

	r = apsp_row_reader_read(
		v->rows, apsp_vertex_list_at(&v->q.others, i), &cell, err);
	if (r < 0)
		return r;
	if (cell.distance)
		v->distance[i] = cell.distance[0];
	if (cell.hops)
		v->hops[i] = cell.hops[0];
	if (cell.predecessor)
		v->predecessor[i] = cell.predecessor[0];
	if (cell.reachable)
		v->reachable[i] = cell.reachable[0];
	v->next++;
	return 0;
}

int apsp_vertex_values_step(struct apsp_vertex_values *v, struct apsp_err *err)
{
	bool is_column = v->rows && v->q.direction == APSP_DIRECTION_IN;
	int r = 0;

	if (v->rows && !is_column)
		r = apsp_row_reader_read(v->rows, v->q.vertex, &v->row, err);
	for (int i = 0; is_column && i < STEP_CELLS &&
			v->next < v->q.others.n && r == 0;
		i++)
		r = cell_read(v, err);
	if (r < 0)
		return r;
	if (is_column && v->next < v->q.others.n)
		return 1;
	v->n = apsp_pair_filter_apply(
		&v->q.filter, &v->row, v->q.vertex, &v->q.others, v->positions);
	return 0;
}

static int values_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	int64_t until = apsp_clock_ns() + (int64_t)STEP_MS * 1000000;
	struct apsp_vertex_values *v = ctx;
	int r;

	apsp_text_clear(&v->text, KEPT_BYTES);
	while (!v->ended && v->text.size < BLOCK_BYTES &&
		apsp_clock_ns() < until)
		apsp_vertex_formats_tell(v);
	r = apsp_text_check(&v->text, err);
	*out = (struct apsp_stream_block){v->text.data, v->text.size};
	return r < 0 ? r : !v->ended;
}

struct apsp_stream apsp_vertex_values_stream(struct apsp_vertex_values *v)
{
	return (struct apsp_stream){
		.type = apsp_reply_format_type(v->format),
		.size = APSP_STREAM_SIZE_UNKNOWN,
		.as_it_is = v->format == APSP_REPLY_NPY,
		.next = values_next,
		.in_pool = v->n > STEP_CELLS * 64,
		.done = apsp_vertex_values_free,
		.ctx = v,
	};
}
