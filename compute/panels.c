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
	uint32_t left = panels->n_panels - first;

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
		panels->n_vertices, panels->n_panels, panels->element, block);
	uint64_t fit =
		largest / apsp_panel_bytes(panels->n_tiles, panels->element);

	if (largest < need)
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices need buffers of %.3g GB at least; the "
			"device allows %.3g GB",
			panels->n_vertices, (double)need / 1e9,
			(double)largest / 1e9);
	if (fit < panels->n_panels)
		fit -= fit % block;
	panels->panels_per_buffer =
		fit < panels->n_panels ? (uint32_t)fit : panels->n_panels;
	panels->n_buffers = (panels->n_panels + panels->panels_per_buffer - 1) /
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

bool apsp_panels_whole(const struct apsp_panels *panels)
{
	return panels->n_panels == panels->n_tiles;
}

/* Rows that there is room for. */
static uint32_t room(const struct apsp_panels *panels)
{
	return apsp_panels_whole(panels) ? panels->n_vertices
					 : panels->n_panels * APSP_TILE;
}

static int words_write(const struct apsp_panels *panels, cl_mem buffer,
	const uint32_t *words, uint32_t first, uint32_t n, struct apsp_err *err)
{
	return apsp_device_check(
		clEnqueueWriteBuffer(panels->device->queue, buffer, CL_TRUE,
			first * sizeof(*words), n * sizeof(*words), words, 0,
			NULL, NULL),
		"tell which rows are wanted", err);
}

int apsp_panels_window(struct apsp_panels *panels,
	const struct apsp_order *order, uint32_t first, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *places = NULL;
	APSP_AUTO(apsp_free) uint32_t *sources = NULL;
	uint32_t left = panels->n_vertices - first, row = 0;
	int r;

	panels->first = first;
	panels->n_rows = left < room(panels) ? left : room(panels);
	places = malloc(panels->n_rows * sizeof(*places));
	sources = malloc(panels->n_rows * sizeof(*sources));
	if (!places || !sources)
		return apsp_fail(
			err, APSP_ENOMEM, "order %u rows", panels->n_rows);
	for (uint32_t p = 0; p < panels->n_vertices; p++) {
		uint32_t at = order->vertices[p] - first; /* may wrap */

		if (at >= panels->n_rows)
			continue;
		places[at] = row;
		sources[row++] = p;
	}
	r = words_write(
		panels, panels->places, places, first, panels->n_rows, err);
	return r < 0 ? r
		     : words_write(panels, panels->sources, sources, 0,
			       panels->n_rows, err);
}

int apsp_panels_open(const struct apsp_device *device,
	const struct apsp_order *order, enum apsp_element element,
	uint32_t rows, struct apsp_panels *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_panels_done)
	struct apsp_panels panels = {
		.device = device,
		.element = element,
		.n_vertices = order->n_vertices,
		.n_tiles = apsp_panels_tiles(order->n_vertices),
	};
	size_t size = sizeof(uint32_t) * panels.n_vertices;
	int r;

	panels.n_panels = apsp_panels_tiles(
		rows < panels.n_vertices ? rows : panels.n_vertices);
	r = apsp_panels_divide(&panels, device->tuning->pivot_tiles, err);
	if (r >= 0)
		r = apsp_program_kernel(
			device, "rows", element, "", "rows", &panels.rows, err);
	if (r >= 0)
		r = apsp_device_buffer(device, size, NULL, &panels.places, err);
	if (r >= 0)
		r = apsp_device_buffer(device, sizeof(uint32_t) * room(&panels),
			NULL, &panels.sources, err);
	if (r >= 0)
		r = apsp_device_buffer(
			device, size, order->vertices, &panels.vertices, err);
	if (r >= 0)
		r = apsp_panels_window(&panels, order, 0, err);
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
	apsp_device_buffer_done(&panels->places);
	apsp_device_buffer_done(&panels->sources);
	apsp_device_buffer_done(&panels->vertices);
	apsp_device_kernel_done(&panels->rows);
	memset(panels, 0, sizeof(*panels));
}
