/*
 * Panels on the device; see panels.h.
 */
#include "compute/panels.h"

#include <stdlib.h>
#include <string.h>

#include "compute/program.h"
#include "daemon/base/auto.h"

enum {
	/* Work-items of the strided kernels, enough to fill any device. */
	STRIDED_ITEMS = 1 << 20,
	STRIDED_GROUP = 64,
};

#define TILE_VALUES ((uint64_t)APSP_TILE * APSP_TILE)

static uint32_t tiles_of(uint32_t n_vertices)
{
	return (n_vertices + APSP_TILE - 1) / APSP_TILE;
}

uint64_t apsp_panels_bytes(uint32_t n_vertices, enum apsp_element element)
{
	uint64_t tiles = tiles_of(n_vertices);

	return tiles * tiles * (TILE_VALUES * apsp_element_size(element) + 1) +
	       sizeof(cl_uint) * (uint64_t)n_vertices;
}

uint64_t apsp_device_arcs_bytes(uint64_t n_arcs, enum apsp_element element)
{
	return n_arcs * (2 * sizeof(cl_uint) + apsp_element_size(element));
}

void apsp_element_store(enum apsp_element element, const int64_t *lengths,
	uint64_t n, void *out)
{
	uint16_t *u16 = out;
	int32_t *i32 = out;
	double *f64 = out;

	for (uint64_t e = 0; e < n; e++) {
		int64_t w = lengths[e];

		if (element == APSP_ELEMENT_U16)
			u16[e] = w < APSP_V_INFINITY_U16 ? (uint16_t)w
							 : APSP_V_INFINITY_U16;
		else if (element == APSP_ELEMENT_I32)
			i32[e] = w < APSP_V_INFINITY_I32 ? (int32_t)w
							 : APSP_V_INFINITY_I32;
		else
			f64[e] = (double)w;
	}
}

/* A group's local size: a CPU likes one item with a long loop. */
static size_t strided_group(const struct apsp_device *device)
{
	return device->tuning->gpu ? STRIDED_GROUP : 1;
}

static size_t strided_items(const struct apsp_device *device, uint64_t n)
{
	uint64_t most = device->tuning->gpu ? STRIDED_ITEMS
					    : device->info.compute_units;

	return n < most ? n : most;
}

int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	enum apsp_element element, struct apsp_device_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done)
	struct apsp_device_arcs arcs = {.n_arcs = lengths->n_arcs};
	APSP_AUTO(apsp_free) uint32_t *from = NULL;
	APSP_AUTO(apsp_free) uint32_t *to = NULL;
	APSP_AUTO(apsp_free) void *values = NULL;
	uint64_t n = lengths->n_arcs;
	int r;

	from = malloc(sizeof(*from) * n + 1);
	to = malloc(sizeof(*to) * n + 1);
	values = malloc(apsp_element_size(element) * n + 1);
	if (!from || !to || !values)
		return apsp_fail(err, APSP_ENOMEM, "order %llu arcs",
			(unsigned long long)n);
	for (uint32_t u = 0; u < lengths->n_vertices; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			from[e] = order->positions[u];
			to[e] = order->positions[lengths->heads[e]];
		}
	apsp_element_store(element, integers->lengths, n, values);
	r = apsp_device_buffer(
		device, sizeof(*from) * n, from, &arcs.from, err);
	if (r >= 0)
		r = apsp_device_buffer(
			device, sizeof(*to) * n, to, &arcs.to, err);
	if (r >= 0)
		r = apsp_device_buffer(device, apsp_element_size(element) * n,
			values, &arcs.lengths, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(arcs);
	return 0;
}

void apsp_device_arcs_done(struct apsp_device_arcs *arcs)
{
	apsp_device_buffer_done(&arcs->from);
	apsp_device_buffer_done(&arcs->to);
	apsp_device_buffer_done(&arcs->lengths);
	arcs->n_arcs = 0;
}

uint32_t apsp_panels_in_buffer(const struct apsp_panels *panels, uint32_t b)
{
	uint32_t first = b * panels->panels_per_buffer;
	uint32_t left = panels->n_tiles - first;

	return left < panels->panels_per_buffer ? left
						: panels->panels_per_buffer;
}

cl_mem apsp_panels_buffer(
	const struct apsp_panels *panels, uint32_t i, cl_uint *out_base)
{
	uint32_t b = i / panels->panels_per_buffer;

	*out_base = b * panels->panels_per_buffer;
	return panels->buffers[b];
}

/* How many panels a buffer may hold: the device's limit, in whole blocks. */
static int panels_divide(struct apsp_panels *panels, struct apsp_err *err)
{
	const struct apsp_device *device = panels->device;
	uint64_t panel = panels->n_tiles * TILE_VALUES *
			 apsp_element_size(panels->element);
	uint64_t block = device->tuning->pivot_tiles;
	uint64_t fit = device->info.largest_buffer_bytes / panel;
	uint32_t n_buffers;

	if (fit < block)
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices need buffers of %.3g GB at least; the "
			"device allows %.3g GB",
			panels->n_vertices, (double)(panel * block) / 1e9,
			(double)device->info.largest_buffer_bytes / 1e9);
	fit -= fit % block;
	panels->panels_per_buffer =
		fit < panels->n_tiles ? (uint32_t)fit : panels->n_tiles;
	n_buffers = (panels->n_tiles + panels->panels_per_buffer - 1) /
		    panels->panels_per_buffer;
	if (n_buffers > APSP_PANEL_BUFFERS_MAX)
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices need %u buffers on the device, more than "
			"%d",
			panels->n_vertices, n_buffers, APSP_PANEL_BUFFERS_MAX);
	panels->n_buffers = n_buffers;
	return 0;
}

static int panels_allocate(struct apsp_panels *panels, struct apsp_err *err)
{
	static const cl_uchar none = 0;
	uint64_t tiles = (uint64_t)panels->n_tiles * panels->n_tiles;
	int r;

	for (uint32_t b = 0; b < panels->n_buffers; b++) {
		r = apsp_device_buffer(panels->device,
			apsp_panels_in_buffer(panels, b) * panels->n_tiles *
				TILE_VALUES *
				apsp_element_size(panels->element),
			NULL, &panels->buffers[b], err);
		if (r < 0)
			return r;
	}
	r = apsp_device_buffer(
		panels->device, tiles, NULL, &panels->finite, err);
	if (r < 0)
		return r;
	return apsp_device_check(
		clEnqueueFillBuffer(panels->device->queue, panels->finite,
			&none, 1, 0, tiles, 0, NULL, NULL),
		"clear the tiles' marks", err);
}

/* The three kernels of load.cl on one buffer. */
static int buffer_load(const struct apsp_panels *panels, cl_program program,
	uint32_t b, const struct apsp_device_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_kernel_done) cl_kernel fill = NULL;
	APSP_AUTO(apsp_device_kernel_done) cl_kernel scatter = NULL;
	APSP_AUTO(apsp_device_kernel_done) cl_kernel zero = NULL;
	const struct apsp_device *device = panels->device;
	cl_uint base = b * panels->panels_per_buffer;
	cl_uint n_panels = apsp_panels_in_buffer(panels, b);
	cl_ulong n_values = n_panels * panels->n_tiles * TILE_VALUES;
	cl_ulong n_arcs = arcs->n_arcs;
	const struct apsp_kernel_arg fill_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(n_values)};
	const struct apsp_kernel_arg scatter_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(base),
		APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
		APSP_ARG(panels->finite), APSP_ARG(arcs->from),
		APSP_ARG(arcs->to), APSP_ARG(arcs->lengths), APSP_ARG(n_arcs)};
	const struct apsp_kernel_arg zero_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(base),
		APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
		APSP_ARG(panels->finite), APSP_ARG(panels->n_vertices)};
	size_t group = strided_group(device);
	int r;

	r = apsp_kernel_make(program, "fill", &fill, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "scatter", &scatter, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "zero", &zero, err);
	if (r >= 0)
		r = apsp_kernel_args(fill, fill_args, 2, err);
	if (r >= 0)
		r = apsp_kernel_launch(device, fill,
			strided_items(device, n_values), 1, group, 1, err);
	if (r >= 0)
		r = apsp_kernel_args(scatter, scatter_args, 9, err);
	if (r >= 0)
		r = apsp_kernel_launch(device, scatter,
			strided_items(device, n_arcs), 1, group, 1, err);
	if (r >= 0)
		r = apsp_kernel_args(zero, zero_args, 6, err);
	if (r >= 0)
		r = apsp_kernel_launch(
			device, zero, panels->n_vertices, 1, group, 1, err);
	return r;
}

int apsp_panels_open(const struct apsp_device *device,
	const struct apsp_order *order, enum apsp_element element,
	struct apsp_panels *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_panels_done)
	struct apsp_panels panels = {
		.device = device,
		.element = element,
		.n_vertices = order->n_vertices,
		.n_tiles = tiles_of(order->n_vertices),
	};
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	int r = panels_divide(&panels, err);

	if (r >= 0)
		r = apsp_program_build(
			device, "rows", element, "", &program, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "rows", &panels.rows, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "put", &panels.put, err);
	if (r >= 0)
		r = apsp_device_buffer(device,
			sizeof(*order->positions) * panels.n_vertices,
			order->positions, &panels.position, err);
	if (r >= 0)
		r = panels_allocate(&panels, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(panels);
	return 0;
}

int apsp_panels_load(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	int r = apsp_program_build(
		panels->device, "load", panels->element, "", &program, err);

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++)
		r = buffer_load(panels, program, b, arcs, err);
	return r;
}

void apsp_panels_done(struct apsp_panels *panels)
{
	for (uint32_t b = 0; b < panels->n_buffers; b++)
		apsp_device_buffer_done(&panels->buffers[b]);
	apsp_device_buffer_done(&panels->finite);
	apsp_device_buffer_done(&panels->position);
	apsp_device_kernel_done(&panels->rows);
	apsp_device_kernel_done(&panels->put);
	memset(panels, 0, sizeof(*panels));
}

int apsp_panels_rows(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	const struct apsp_tuning *tuning = panels->device->tuning;
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base = b * panels->panels_per_buffer;
		cl_uint n_panels = apsp_panels_in_buffer(panels, b);
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
			APSP_ARG(panels->position),
			APSP_ARG(panels->n_vertices), APSP_ARG(first),
			APSP_ARG(out)};

		r = apsp_kernel_args(panels->rows, args, 8, err);
		if (r >= 0)
			r = apsp_kernel_launch(panels->device, panels->rows,
				(panels->n_vertices + tuning->span - 1) /
					tuning->span,
				n_rows, tuning->row_group, 1, err);
	}
	return r;
}

int apsp_panels_put(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem rows, struct apsp_err *err)
{
	const struct apsp_tuning *tuning = panels->device->tuning;
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base = b * panels->panels_per_buffer;
		cl_uint n_panels = apsp_panels_in_buffer(panels, b);
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
			APSP_ARG(panels->n_vertices), APSP_ARG(first),
			APSP_ARG(rows)};

		r = apsp_kernel_args(panels->put, args, 7, err);
		if (r >= 0)
			r = apsp_kernel_launch(panels->device, panels->put,
				(panels->n_vertices + tuning->span - 1) /
					tuning->span,
				n_rows, tuning->row_group, 1, err);
	}
	return r;
}

int apsp_panels_essential(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, uint8_t *flags,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_device_kernel_done) cl_kernel kernel = NULL;
	APSP_AUTO(apsp_device_buffer_done) cl_mem marks = NULL;
	const struct apsp_device *device = panels->device;
	cl_ulong n_arcs = arcs->n_arcs;
	int r;

	r = apsp_program_kernel(
		device, "rows", panels->element, "", "essential", &kernel, err);
	if (r < 0)
		return r;
	r = apsp_device_buffer(device, n_arcs, NULL, &marks, err);
	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base = b * panels->panels_per_buffer;
		cl_uint n_panels = apsp_panels_in_buffer(panels, b);
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
			APSP_ARG(arcs->from), APSP_ARG(arcs->to),
			APSP_ARG(arcs->lengths), APSP_ARG(n_arcs),
			APSP_ARG(marks)};

		r = apsp_kernel_args(kernel, args, 9, err);
		if (r >= 0)
			r = apsp_kernel_launch(device, kernel,
				strided_items(device, n_arcs), 1,
				strided_group(device), 1, err);
	}
	if (r < 0 || n_arcs == 0)
		return r;
	return apsp_device_check(
		clEnqueueReadBuffer(device->queue, marks, CL_TRUE, 0, n_arcs,
			flags, 0, NULL, NULL),
		"read the essential arcs", err);
}
