/*
 * Rows of arcs by position; see position_arcs.h.
 */
#include "compute/distance/position_arcs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/graph/counting_sort.h"
#include "compute/graph/integers.h"
#include "compute/graph/v_element.h"
#include "daemon/base/auto.h"

/* The task's arcs, and which of them go into rows. */
struct source {
	const struct apsp_task *task;
	const uint8_t *useless;
	bool by_tail;
	int64_t infinity;
};

/* Whether an arc of that length goes into a row. */
static bool useful(const struct source *source, uint32_t u, uint64_t e,
	int64_t length)
{
	return source->task->lengths->heads[e] != u &&
	       length < source->infinity;
}

static bool known_useless(const struct source *source, uint64_t e)
{
	return source->useless && source->useless[e];
}

static void count(const struct source *source, struct apsp_position_arcs *arcs)
{
	const struct apsp_lengths *l = source->task->lengths;
	const uint32_t *of = source->task->order->of;

	for (uint32_t u = 0; u < l->n_vertices; u++)
		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			uint32_t end = source->by_tail ? u : l->heads[e];

			if (!known_useless(source, e) &&
				useful(source, u, e,
					apsp_integers_at(
						l, source->task->integers, u,
						e)))
				apsp_counting_sort_count32(
					arcs->starts, of[end]);
		}
	arcs->n_arcs = apsp_counting_sort_sum32(arcs->starts, l->n_vertices);
}

/* Store the arcs in their rows; starts become the rows' first places. */
static void fill(const struct source *source, struct apsp_position_arcs *arcs,
	uint32_t *ends, char *lengths)
{
	const struct apsp_lengths *l = source->task->lengths;
	const struct apsp_positions *positions = source->task->order;
	const struct apsp_integers *integers = source->task->integers;
	size_t size = apsp_element_size(arcs->element);

	for (uint32_t p = 0; p < l->n_vertices; p++) {
		uint32_t u = positions->vertices[p];

		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			uint32_t head = positions->of[l->heads[e]];
			uint32_t row = source->by_tail ? p : head;
			uint32_t place;
			int64_t length;

			if (known_useless(source, e))
				continue;
			length = apsp_integers_at(l, integers, u, e);
			if (!useful(source, u, e, length))
				continue;
			place = apsp_counting_sort_place32(arcs->starts, row);
			ends[place] = source->by_tail ? head : p;
			apsp_v_element_store(arcs->element, &length, 1,
				lengths + place * size);
		}
	}
}

/* Make the device's buffers and fill them. */
static int buffers_fill(const struct source *source,
	struct apsp_position_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_map_done) struct apsp_device_map ends = {0};
	APSP_AUTO(apsp_device_map_done) struct apsp_device_map lengths = {0};
	size_t n = arcs->n_arcs;
	int r = apsp_device_map_open(
		arcs->device, n * sizeof(uint32_t), &arcs->ends, &ends, err);

	if (r >= 0)
		r = apsp_device_map_open(arcs->device,
			n * apsp_element_size(arcs->element), &arcs->lengths,
			&lengths, err);
	if (r < 0)
		return r;
	fill(source, arcs, ends.bytes, lengths.bytes);
	r = apsp_device_map_close(&ends, err);
	return r < 0 ? r : apsp_device_map_close(&lengths, err);
}

int apsp_position_arcs_load(const struct apsp_task *task,
	const struct apsp_device *device, enum apsp_element element,
	enum apsp_arc_rows rows, const uint8_t *useless,
	struct apsp_position_arcs *out, struct apsp_err *err)
{
	const struct apsp_lengths *l = task->lengths;
	const struct source source = {task, useless, rows == APSP_ROWS_BY_TAIL,
		apsp_v_element_infinity(element)};
	APSP_AUTO(apsp_position_arcs_done)
	struct apsp_position_arcs arcs = {.device = device,
		.element = element,
		.n_vertices = l->n_vertices};
	int r;

	if (l->n_arcs > UINT32_MAX)
		return apsp_fail(err, APSP_ELIMIT,
			"%llu arcs are too many for an algorithm that walks "
			"them; blocked-fw has no such limit",
			(unsigned long long)l->n_arcs);
	arcs.starts = calloc((size_t)l->n_vertices + 2, sizeof(*arcs.starts));
	if (!arcs.starts)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu arcs by position",
			(unsigned long long)l->n_arcs);
	count(&source, &arcs);
	r = buffers_fill(&source, &arcs, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
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
