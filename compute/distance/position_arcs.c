/*
 * Writes the arcs of a task to the device, as rows by position; see
 * position_arcs.h.
 */
#include "compute/distance/position_arcs.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/graph/integers.h"
#include "compute/graph/split_sort.h"
#include "compute/graph/v_element.h"
#include "daemon/base/auto.h"

/* The task's arcs, and the device's arrays that receive these arcs. */
struct source {
	const struct apsp_task *task;
	bool by_tail;
	enum apsp_element element;
	int64_t infinity;
	/* for each position, the number of arcs whose tails come before this
	   position */
	uint64_t *before;
	struct apsp_split_sort sort;
	/* the device's array of the arcs' ends; NULL while arcs are only
	   counted */
	uint32_t *ends;
	char *lengths;
};

static void source_done(struct source *source)
{
	free(source->before);
	apsp_split_sort_done(&source->sort);
}

static int source_open(struct source *source, struct apsp_err *err)
{
	const struct apsp_lengths *l = source->task->lengths;
	const uint32_t *vertices = source->task->order->vertices;
	uint32_t n = l->n_vertices;

	source->before = malloc(((size_t)n + 1) * sizeof(*source->before));
	if (!source->before)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu arcs by position",
			(unsigned long long)l->n_arcs);
	source->before[0] = 0;
	for (uint32_t p = 0; p < n; p++) {
		uint32_t u = vertices[p];

		source->before[p + 1] =
			source->before[p] + l->offsets[u + 1] - l->offsets[u];
	}
	return 0;
}

/* Count arc e of vertex u if source->ends is NULL; otherwise store the arc in
   its row. The position of u is p. */
static void arc_put(const struct source *source, uint32_t p, uint32_t u,
	uint64_t e, uint64_t *places)
{
	const struct apsp_lengths *l = source->task->lengths;
	uint32_t head = source->task->order->of[l->heads[e]];
	int64_t length;
	uint64_t place;

	if (l->heads[e] == u)
		return;
	length = apsp_integers_at(l, source->task->integers, u, e);
	if (length >= source->infinity)
		return;
	place = places[source->by_tail ? p : head]++;
	if (!source->ends)
		return;
	source->ends[place] = source->by_tail ? head : p;
	apsp_v_element_store(source->element, &length, 1,
		source->lengths + place * apsp_element_size(source->element));
}

/* Count or store the arcs [first, end). Arcs are numbered in the order of their
   tails' positions. The functions of split_sort.h call this function. */
static void part_put(void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct source *source = ctx;
	const struct apsp_lengths *l = source->task->lengths;
	const uint64_t *before = source->before;

	for (uint32_t p = apsp_lengths_row_of(before, l->n_vertices, first);
		first < end; p++) {
		uint32_t u = source->task->order->vertices[p];
		uint64_t e = l->offsets[u] + (first - before[p]);
		uint64_t last = before[p + 1] < end ? before[p + 1] : end;

		for (; first < last; first++)
			arc_put(source, p, u, e++, places);
	}
}

/* Count the arcs of each row, and fill *arcs except the buffers on the
   device. */
static int arcs_count(struct source *source, struct apsp_position_arcs *arcs,
	struct apsp_err *err)
{
	size_t n = arcs->n_vertices;
	APSP_AUTO(apsp_free) uint64_t *starts = NULL;
	int r;

	starts = malloc((n + 1) * sizeof(*starts));
	arcs->starts = malloc((n + 1) * sizeof(*arcs->starts));
	if (!starts || !arcs->starts)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the rows of %zu positions", n);
	r = apsp_split_sort_count(&source->sort, source->task->lengths->n_arcs,
		n, part_put, source, starts, err);
	if (r < 0)
		return r;
	arcs->n_arcs = (uint32_t)starts[n];
	for (size_t p = 0; p <= n; p++)
		arcs->starts[p] = (uint32_t)starts[p];
	return 0;
}

/* Make the device's buffers and fill them. */
static int buffers_fill(struct source *source, const struct apsp_device *device,
	struct apsp_position_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_map_done) struct apsp_device_map ends = {0};
	APSP_AUTO(apsp_device_map_done) struct apsp_device_map lengths = {0};
	size_t n = arcs->n_arcs;
	int r = apsp_device_map_open(
		device, n * sizeof(uint32_t), &arcs->ends, &ends, err);

	if (r >= 0)
		r = apsp_device_map_open(device,
			n * apsp_element_size(source->element), &arcs->lengths,
			&lengths, err);
	if (r < 0)
		return r;
	source->ends = ends.bytes;
	source->lengths = lengths.bytes;
	apsp_split_sort_place(&source->sort, part_put, source);
	/* The ends are checked, because kernels use them as indices, and a
	   wrong end could be out of range. The lengths are not checked here,
	   because the proofs of the tables find wrong lengths. */
	r = apsp_device_map_close(&ends, true, err);
	return r < 0 ? r : apsp_device_map_close(&lengths, false, err);
}

int apsp_position_arcs_load(const struct apsp_task *task,
	const struct apsp_panels *panels, enum apsp_arc_rows rows,
	struct apsp_position_arcs *out, struct apsp_err *err)
{
	const struct apsp_lengths *l = task->lengths;
	APSP_AUTO(source_done)
	struct source source = {.task = task,
		.by_tail = rows == APSP_ROWS_BY_TAIL,
		.element = panels->element,
		.infinity = apsp_v_element_infinity(panels->element)};
	APSP_AUTO(apsp_position_arcs_done)
	struct apsp_position_arcs arcs = {.n_vertices = l->n_vertices};
	int r;

	assert(l->n_arcs <= UINT32_MAX);
	r = source_open(&source, err);
	if (r >= 0)
		r = arcs_count(&source, &arcs, err);
	if (r >= 0)
		r = buffers_fill(&source, panels->device, &arcs, err);
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
