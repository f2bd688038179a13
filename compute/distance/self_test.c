/*
 * The known graph; see self_test.h.
 */
#include "compute/distance/self_test.h"

#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel_form.h"
#include "compute/device/opencl.h"
#include "compute/device/panel_rows.h"
#include "compute/graph/integers.h"
#include "compute/graph/v_element.h"
#include "compute/progress.h"
#include "daemon/base/auto.h"

enum {
	N = APSP_TILE + 3, /* two tiles a side */
	STRIDE = 5,	   /* of the chords */
	CHORD = 4,	   /* V of a chord, unless all arcs have 1 */
};

/* V(i, j): as many chords as fit, then steps. */
static int64_t known(int64_t chord, uint32_t i, uint32_t j)
{
	uint32_t gap = (j + N - i) % N;

	return gap / STRIDE * chord + gap % STRIDE;
}

/* Vertices in reverse, so that positions and indices differ. */
static void ring_make(int64_t chord, uint64_t *offsets, uint32_t *heads,
	double *lengths, uint32_t *reversed)
{
	for (uint32_t v = 0; v < N; v++) {
		offsets[v] = 2 * v;
		heads[2 * v] = (v + 1) % N;
		lengths[2 * v] = 0; /* V adds 1 for the hop */
		heads[2 * v + 1] = (v + STRIDE) % N;
		lengths[2 * v + 1] = (double)chord - 1;
		reversed[v] = N - 1 - v;
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
	r = apsp_device_buffer_make(panels->device, size, NULL, &rows, err);
	if (r >= 0)
		r = apsp_panel_rows_read(panels, 0, N, rows, err);
	if (r >= 0)
		r = apsp_opencl_check(
			clEnqueueReadBuffer(panels->device->queue, rows,
				CL_TRUE, 0, size, values, 0, NULL, NULL),
			"read the device's test", err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++)
			if (apsp_v_element_get(panels->element, values,
				    (uint64_t)i * N + j) !=
				(double)known(chord, i, j))
				return apsp_fail(err, APSP_EDEVICE,
					"'%s' computes wrongly: V(%u,%u) of "
					"the test graph",
					panels->device->info.name, i, j);
	return 0;
}

static int ring_solve(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	enum apsp_element element, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	const int64_t chord = algorithm->hops_only ? 1 : CHORD;
	uint64_t offsets[N + 1];
	uint32_t heads[2 * N], reversed[N];
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
	const struct apsp_positions positions = {
		.n_vertices = N, .vertices = reversed, .of = reversed};
	const struct apsp_task task = {&ring, &integers, &positions, &arcs};
	struct apsp_progress silent;
	int r;

	ring_make(chord, offsets, heads, lengths, reversed);
	apsp_progress_init(&silent, NULL, NULL);
	r = apsp_device_arcs_load(
		device, &ring, &integers, &positions, element, &arcs, err);
	if (r >= 0)
		r = apsp_distance_algorithm_panels(
			algorithm, device, &task, element, N, &panels, err);
	if (r >= 0)
		r = algorithm->run(&task, &panels, &silent, err);
	if (r >= 0)
		r = rows_compare(&panels, chord, err);
	return r;
}

int apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	enum apsp_element element, struct apsp_err *err)
{
	int r = ring_solve(device, algorithm, element, err);

	if (r == APSP_EDEVICE && apsp_kernel_form_doubt(device))
		r = ring_solve(device, algorithm, element, err);
	if (r >= 0)
		apsp_kernel_form_trust(device);
	return r;
}
