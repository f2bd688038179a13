/*
 * Panels on the device; see panels.h.
 */
#include "compute/panels.h"

#include <string.h>

#include "compute/panels_host.h"
#include "compute/program.h"
#include "daemon/base/auto.h"

#define TILE_VALUES ((uint64_t)APSP_TILE * APSP_TILE)

uint32_t apsp_panels_tiles(uint32_t n_vertices)
{
	return (n_vertices + APSP_TILE - 1) / APSP_TILE;
}

uint64_t apsp_panel_bytes(uint32_t n_tiles, enum apsp_element element)
{
	return n_tiles * TILE_VALUES * apsp_element_size(element);
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

int apsp_panels_divide(
	struct apsp_panels *panels, uint32_t block, struct apsp_err *err)
{
	uint64_t largest = panels->device->info.largest_buffer_bytes;
	uint64_t need = apsp_panels_buffer_bytes(
		panels->n_vertices, panels->element, block);
	uint64_t fit =
		largest / apsp_panel_bytes(panels->n_tiles, panels->element);

	if (largest < need)
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices need buffers of %.3g GB at least; the "
			"device allows %.3g GB",
			panels->n_vertices, (double)need / 1e9,
			(double)largest / 1e9);
	if (fit < panels->n_tiles)
		fit -= fit % block;
	panels->panels_per_buffer =
		fit < panels->n_tiles ? (uint32_t)fit : panels->n_tiles;
	panels->n_buffers = (panels->n_tiles + panels->panels_per_buffer - 1) /
			    panels->panels_per_buffer;
	return 0;
}

int apsp_panels_marks(struct apsp_panels *panels, struct apsp_err *err)
{
	static const cl_uchar none = 0;
	size_t tiles = (size_t)panels->n_tiles * panels->n_tiles;
	int r = apsp_device_buffer(
		panels->device, tiles, NULL, &panels->finite, err);

	if (r < 0)
		return r;
	return apsp_device_check(
		clEnqueueFillBuffer(panels->device->queue, panels->finite,
			&none, 1, 0, tiles, 0, NULL, NULL),
		"clear the tiles' marks", err);
}

static int panels_allocate(struct apsp_panels *panels, struct apsp_err *err)
{
	uint64_t panel = apsp_panel_bytes(panels->n_tiles, panels->element);

	for (uint32_t b = 0; b < panels->n_buffers; b++) {
		int r = apsp_device_buffer(panels->device,
			apsp_panels_in_buffer(panels, b) * panel, NULL,
			&panels->buffers[b], err);

		if (r < 0)
			return r;
	}
	return apsp_panels_marks(panels, err);
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
		.n_tiles = apsp_panels_tiles(order->n_vertices),
	};
	int r = apsp_panels_divide(&panels, device->tuning->pivot_tiles, err);

	if (r >= 0)
		r = apsp_program_kernel(
			device, "rows", element, "", "rows", &panels.rows, err);
	if (r >= 0)
		r = apsp_device_buffer(device,
			sizeof(*order->positions) * panels.n_vertices,
			order->positions, &panels.positions, err);
	if (r >= 0)
		r = apsp_device_buffer(device,
			sizeof(*order->vertices) * panels.n_vertices,
			order->vertices, &panels.vertices, err);
	if (r >= 0)
		r = panels_allocate(&panels, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(panels);
	return 0;
}

void apsp_panels_done(struct apsp_panels *panels)
{
	if (panels->host)
		apsp_host_panels_free(panels);
	for (uint32_t b = 0; b < panels->n_buffers; b++)
		apsp_device_buffer_done(&panels->buffers[b]);
	apsp_device_buffer_done(&panels->finite);
	apsp_device_buffer_done(&panels->positions);
	apsp_device_buffer_done(&panels->vertices);
	apsp_device_kernel_done(&panels->rows);
	memset(panels, 0, sizeof(*panels));
}
