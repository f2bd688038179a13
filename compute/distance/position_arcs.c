/*
 * Writes the arcs of a task to the device, sorted into rows by position; see
 * position_arcs.h.
 */
#include "compute/distance/position_arcs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/graph/integers.h"
#include "compute/graph/split_sort.h"
#include "compute/graph/v_element.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

/* The state of sorting a task's arcs by row. */
struct arc_sort {
	const struct apsp_task *task;
	enum apsp_element element;
	enum apsp_arc_rows rows;
	struct apsp_split_sort sort; /* owned */
	/* the device's arrays, mapped to host memory, that receive the sorted
	   arcs */
	uint32_t *ends;
	char *lengths;
};

static void arc_sort_done(struct arc_sort *s)
{
	apsp_split_sort_done(&s->sort);
}

/* Visit those arcs of [first, end) that are shorter than infinity. Count the
   arcs of each row in places[], or, if `store` is true, store each arc at the
   next place of its row. */
static APSP_INLINE void part_visit(const struct arc_sort *s, uint64_t *places,
	uint64_t first, uint64_t end, bool store)
{
	const struct apsp_lengths *l = s->task->lengths;
	const uint32_t *positions = s->task->order->of;
	int64_t infinity = apsp_v_element_infinity(s->element);
	size_t size = apsp_element_size(s->element);
	uint32_t tail = apsp_lengths_row_of(l->offsets, l->n_vertices, first);

	for (uint64_t a = first; a < end; a++) {
		uint32_t from, to;
		int64_t length;
		uint64_t at;

		while (l->offsets[tail + 1] <= a)
			tail++;
		length = apsp_integers_at(l, s->task->integers, tail, a);
		if (length >= infinity)
			continue;
		from = positions[tail];
		to = positions[l->heads[a]];
		at = places[s->rows == APSP_ROWS_BY_TAIL ? from : to]++;
		if (!store)
			continue;
		s->ends[at] = s->rows == APSP_ROWS_BY_TAIL ? to : from;
		apsp_v_element_store(
			s->element, &length, 1, s->lengths + at * size);
	}
}

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	part_visit(ctx, places, first, end, false);
}

static void part_store(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	part_visit(ctx, places, first, end, true);
}

/* Count the arcs of each row, and set starts[] and n_arcs of *arcs. */
static int rows_count(struct arc_sort *s, struct apsp_position_arcs *arcs,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint64_t *starts = NULL;
	size_t n = arcs->n_vertices;
	int r;

	starts = malloc((n + 1) * sizeof(*starts));
	arcs->starts = malloc((n + 1) * sizeof(*arcs->starts));
	if (!starts || !arcs->starts)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the rows of %zu positions", n);
	r = apsp_split_sort_count(&s->sort, s->task->lengths->n_arcs, n,
		part_count, s, starts, err);
	if (r < 0)
		return r;
	for (size_t p = 0; p <= n; p++)
		arcs->starts[p] = (uint32_t)starts[p];
	arcs->n_arcs = arcs->starts[n];
	return 0;
}

/* Make the device's buffers and fill them. */
static int buffers_fill(struct arc_sort *s, const struct apsp_device *device,
	struct apsp_position_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_map_done) struct apsp_device_map ends = {0};
	APSP_AUTO(apsp_device_map_done) struct apsp_device_map lengths = {0};
	size_t n = arcs->n_arcs;
	int r = apsp_device_map_open(
		device, n * sizeof(uint32_t), &arcs->ends, &ends, err);

	if (r >= 0)
		r = apsp_device_map_open(device,
			n * apsp_element_size(s->element), &arcs->lengths,
			&lengths, err);
	if (r < 0)
		return r;
	s->ends = ends.bytes;
	s->lengths = lengths.bytes;
	apsp_split_sort_visit(&s->sort, part_store, s);
	/* Check the ends (the positions of heads or tails), because kernels use
	   them as indices, and a wrong end could be out of range. Do not check
	   the lengths, because the proofs of the tables find wrong lengths. */
	r = apsp_device_map_close(&ends, true, err);
	return r < 0 ? r : apsp_device_map_close(&lengths, false, err);
}

int apsp_position_arcs_load(const struct apsp_task *task,
	const struct apsp_panels *panels, enum apsp_arc_rows rows,
	struct apsp_position_arcs *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_position_arcs_done)
	struct apsp_position_arcs arcs = {
		.n_vertices = task->lengths->n_vertices};
	APSP_AUTO(arc_sort_done)
	struct arc_sort sort = {
		.task = task, .element = panels->element, .rows = rows};
	int r;

	assert(task->lengths->n_arcs <= UINT32_MAX);
	r = rows_count(&sort, &arcs, err);
	if (r >= 0)
		r = buffers_fill(&sort, panels->device, &arcs, err);
	if (r >= 0)
		r = apsp_device_copy_make(panels->device,
			((size_t)arcs.n_vertices + 1) * sizeof(*arcs.starts),
			arcs.starts, &arcs.offsets, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(arcs);
	return 0;
}

void apsp_position_arcs_done(struct apsp_position_arcs *arcs)
{
	free(arcs->starts);
	apsp_device_buffer_done(&arcs->offsets);
	apsp_device_buffer_done(&arcs->ends);
	apsp_device_buffer_done(&arcs->lengths);
	memset(arcs, 0, sizeof(*arcs));
}
