/*
 * Writes the arcs of a task to the device, as rows by position; see
 * position_arcs.h.
 */
#include "compute/distance/position_arcs.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/graph/in_arcs.h"
#include "compute/graph/integers.h"
#include "compute/graph/v_element.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	BLOCK = 256, /* number of lengths that are converted together */
	ROWS = 256,  /* number of rows that a thread stores at a time */
};

/* The rows of arcs in host memory, and the device's arrays that receive these
   rows. */
struct source {
	const struct apsp_task *task;
	enum apsp_element element;
	int64_t infinity;
	/* the arcs by head, if rows are by head; otherwise NULL */
	const struct apsp_in_arcs *in;
	/* lists of the arcs by head that this file has built, because the task
	   has no such lists; owned */
	struct apsp_in_arcs own;
	struct apsp_position_arcs *arcs;
	/* for each position, the number of arcs that row_store() stored in its
	   row; owned */
	uint32_t *counts;
	atomic_bool too_long; /* whether some arc was left out */
	uint32_t *ends;
	char *lengths;
};

static void source_done(struct source *source)
{
	apsp_in_arcs_done(&source->own);
	free(source->counts);
}

/* Get the lists of the arcs by head. */
static int in_open(struct source *source, struct apsp_err *err)
{
	struct apsp_lengths lengths = *source->task->lengths;
	int r;

	source->in = &source->task->lengths->in;
	if (source->in->offsets)
		return 0;
	lengths.in = (struct apsp_in_arcs){0};
	r = apsp_in_arcs_build(&lengths, err);
	source->own = lengths.in;
	source->in = &source->own;
	return r;
}

/* Store the arcs of the row of vertex v, from index `at` on, without the arcs
   that are too long for the element. Returns the number of stored arcs. */
static uint32_t row_store(const struct source *source, uint32_t v, uint32_t at)
{
	const struct apsp_lengths *l = source->task->lengths;
	const struct apsp_in_arcs *in = source->in;
	const uint32_t *positions = source->task->order->of;
	const uint64_t *offsets = in ? in->offsets : l->offsets;
	size_t size = apsp_element_size(source->element);
	int64_t block[BLOCK];
	uint32_t n = 0, filled = 0;

	for (uint64_t a = offsets[v]; a < offsets[v + 1]; a++) {
		block[filled] = apsp_integers_at(l, source->task->integers,
			in ? in->tails[a] : v, in ? in->arcs[a] : a);
		if (block[filled] >= source->infinity)
			continue;
		source->ends[at + n + filled] =
			positions[in ? in->tails[a] : l->heads[a]];
		if (++filled < BLOCK)
			continue;
		apsp_v_element_store(source->element, block, filled,
			source->lengths + (at + n) * size);
		n += filled;
		filled = 0;
	}
	apsp_v_element_store(source->element, block, filled,
		source->lengths + (at + n) * size);
	return n + filled;
}

static void rows_store(void *ctx, unsigned int thread, size_t i)
{
	struct source *source = ctx;
	const struct apsp_position_arcs *arcs = source->arcs;
	size_t p = i * ROWS, end = p + ROWS;

	(void)thread;
	if (end > arcs->n_vertices)
		end = arcs->n_vertices;
	for (; p < end; p++) {
		uint32_t at = arcs->starts[p];

		source->counts[p] =
			row_store(source, source->task->order->vertices[p], at);
		if (at + source->counts[p] != arcs->starts[p + 1])
			atomic_store(&source->too_long, true);
	}
}

/* Store all rows. At first, starts[] reserves space for all arcs of each row.
   If some arcs are left out, the rows have gaps. In this case, the rows are
   stored again, without gaps. */
static void all_store(struct source *source)
{
	struct apsp_position_arcs *arcs = source->arcs;
	uint32_t n = arcs->n_vertices;
	size_t n_parts = (n + ROWS - 1) / ROWS;
	unsigned int width = apsp_parallel_processors();

	apsp_parallel_for(n_parts, width, rows_store, source);
	if (!atomic_load(&source->too_long))
		return;
	for (uint32_t p = 0; p < n; p++)
		arcs->starts[p + 1] = arcs->starts[p] + source->counts[p];
	arcs->n_arcs = arcs->starts[n];
	apsp_parallel_for(n_parts, width, rows_store, source);
}

/* Make the device's buffers and fill them. */
static int buffers_fill(struct source *source, const struct apsp_device *device,
	struct apsp_err *err)
{
	struct apsp_position_arcs *arcs = source->arcs;
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
	all_store(source);
	/* if arcs were left out, some bytes after the last arc may be
	   undefined, but the check below reads the whole buffer twice and
	   expects the same bytes */
	memset(source->ends + arcs->n_arcs, 0,
		(n - arcs->n_arcs) * sizeof(*source->ends));
	/* The ends are checked, because kernels use them as indices, and a
	   wrong end could be out of range. The lengths are not checked here,
	   because the proofs of the tables find wrong lengths. */
	r = apsp_device_map_close(&ends, true, err);
	return r < 0 ? r : apsp_device_map_close(&lengths, false, err);
}

/* Allocate memory for the rows of *arcs. Set starts[] so that each row has
   space for all of its arcs. */
static int starts_make(struct source *source, struct apsp_err *err)
{
	struct apsp_position_arcs *arcs = source->arcs;
	const uint64_t *offsets = source->in ? source->in->offsets
					     : source->task->lengths->offsets;
	const uint32_t *vertices = source->task->order->vertices;
	size_t n = arcs->n_vertices;

	arcs->starts = malloc((n + 1) * sizeof(*arcs->starts));
	source->counts = malloc((n + 1) * sizeof(*source->counts));
	if (!arcs->starts || !source->counts)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the rows of %zu positions", n);
	arcs->starts[0] = 0;
	for (size_t p = 0; p < n; p++)
		arcs->starts[p + 1] =
			arcs->starts[p] + (uint32_t)(offsets[vertices[p] + 1] -
						     offsets[vertices[p]]);
	arcs->n_arcs = arcs->starts[n];
	return 0;
}

int apsp_position_arcs_load(const struct apsp_task *task,
	const struct apsp_panels *panels, enum apsp_arc_rows rows,
	struct apsp_position_arcs *out, struct apsp_err *err)
{
	const struct apsp_lengths *l = task->lengths;
	APSP_AUTO(apsp_position_arcs_done)
	struct apsp_position_arcs arcs = {.n_vertices = l->n_vertices};
	APSP_AUTO(source_done)
	struct source source = {.task = task,
		.element = panels->element,
		.infinity = apsp_v_element_infinity(panels->element),
		.arcs = &arcs};
	int r = 0;

	assert(l->n_arcs <= UINT32_MAX);
	if (rows == APSP_ROWS_BY_HEAD)
		r = in_open(&source, err);
	if (r >= 0)
		r = starts_make(&source, err);
	if (r >= 0)
		r = buffers_fill(&source, panels->device, err);
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
