/*
 * The known graph; see self_test.h.
 */
#include "compute/self_test.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "compute/monitor.h"
#include "compute/panels.h"
#include "daemon/base/auto.h"

enum {
	N = APSP_TILE + 3, /* two tiles a side */
	STRIDE = 5,	   /* of the chords */
	CHORD = 4,	   /* length, where there are lengths; a step has 1 */
};

/* V(i, j): chords as far as they go, then steps. */
static int64_t known(int64_t chord, uint32_t i, uint32_t j)
{
	uint32_t gap = (j + N - i) % N;

	return gap / STRIDE * chord + gap % STRIDE;
}

/* As a double, which holds infinity too. */
static double value_at(enum apsp_element element, const void *values, size_t at)
{
	if (element == APSP_ELEMENT_U16)
		return ((const uint16_t *)values)[at];
	if (element == APSP_ELEMENT_I32)
		return ((const int32_t *)values)[at];
	return ((const double *)values)[at];
}

/* Vertices in reverse, so that positions and indices differ. */
static void ring_make(int64_t chord, uint64_t *offsets, uint32_t *heads,
	double *lengths, uint32_t *order)
{
	for (uint32_t v = 0; v < N; v++) {
		offsets[v] = 2 * v;
		heads[2 * v] = (v + 1) % N;
		lengths[2 * v] = 0; /* and one for the hop */
		heads[2 * v + 1] = (v + STRIDE) % N;
		lengths[2 * v + 1] = (double)chord - 1;
		order[v] = N - 1 - v;
	}
	offsets[N] = 2 * N;
}

static int rows_compare(
	const struct apsp_panels *panels, int64_t chord, struct apsp_err *err)
{
	size_t size = (size_t)N * N * apsp_element_size(panels->element);
	APSP_AUTO(apsp_device_buffer_done) cl_mem rows = NULL;
	APSP_AUTO(apsp_free) void *values = NULL;
	int r;

	values = malloc(size);
	if (!values)
		return apsp_fail(err, APSP_ENOMEM, "test the device");
	r = apsp_device_buffer(panels->device, size, NULL, &rows, err);
	if (r >= 0)
		r = apsp_panels_rows(panels, 0, N, rows, err);
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(panels->device->queue, rows,
				CL_TRUE, 0, size, values, 0, NULL, NULL),
			"read the device's test", err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++)
			if (value_at(panels->element, values,
				    (size_t)i * N + j) !=
				(double)known(chord, i, j))
				return apsp_fail(err, APSP_EDEVICE,
					"'%s' computes wrongly: V(%u,%u) of "
					"the test graph",
					panels->device->info.name, i, j);
	return 0;
}

int apsp_self_test(const struct apsp_device *device,
	const struct apsp_algorithm *algorithm, enum apsp_element element,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	const int64_t chord = algorithm->hops_only ? 1 : CHORD;
	uint64_t offsets[N + 1];
	uint32_t heads[2 * N], order[N];
	double lengths[2 * N];
	const struct apsp_lengths ring = {.n_vertices = N,
		.n_arcs = 2 * N,
		.offsets = offsets,
		.heads = heads,
		.lengths = lengths};
	const struct apsp_integers integers = {
		.kind = algorithm->hops_only ? APSP_DISTANCE_HOPS
					     : APSP_DISTANCE_SCALED,
		.scale = 1};
	const struct apsp_order reversed = {
		.n_vertices = N, .vertices = order, .positions = order};
	const struct apsp_task task = {&ring, &integers, &reversed, &arcs};
	struct apsp_monitor silent;
	int r;

	ring_make(chord, offsets, heads, lengths, order);
	apsp_monitor_init(&silent, NULL, NULL);
	r = apsp_device_arcs_load(
		device, &ring, &integers, &reversed, element, &arcs, err);
	if (r >= 0)
		r = apsp_algorithm_panels(
			algorithm, device, &task, element, N, &panels, err);
	if (r >= 0)
		r = algorithm->run(&task, &panels, &silent, err);
	if (r >= 0)
		r = rows_compare(&panels, chord, err);
	return r;
}
