/*
 * Makes and loads panels (the distance matrix in rows of tiles) on the device;
 * see panels.h.
 */
#include "compute/device/panels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

enum {
	/* largest number of arguments in `rest` of apsp_panels_launch() */
	REST_MAX = 5,
};

#define TILE_VALUES ((uint64_t)APSP_TILE * APSP_TILE)

uint64_t apsp_panel_bytes(uint32_t n_tiles, enum apsp_element element)
{
	return n_tiles * TILE_VALUES * apsp_element_size(element);
}

uint32_t apsp_panels_in_buffer(const struct apsp_panels *panels, uint32_t b)
{
	uint32_t first = b * panels->panels_per_buffer;
	uint32_t left = panels->n_panels - first;

	return left < panels->panels_per_buffer ? left
						: panels->panels_per_buffer;
}

int apsp_panels_launch(const struct apsp_panels *panels, cl_kernel kernel,
	const struct apsp_kernel_arg *rest, size_t n,
	struct apsp_kernel_items items, struct apsp_err *err)
{
	int r = 0;

	assert(n <= REST_MAX);
	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base =
			panels->first_tile + b * panels->panels_per_buffer;
		cl_uint n_panels = apsp_panels_in_buffer(panels, b);
		struct apsp_kernel_arg args[4 + REST_MAX] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(n_panels), APSP_ARG(panels->n_tiles)};

		memcpy(args + 4, rest, n * sizeof(*rest));
		r = apsp_kernel_launch(
			panels->device, kernel, args, 4 + n, items, err);
	}
	return r;
}

cl_mem apsp_panels_buffer(
	const struct apsp_panels *panels, uint32_t i, cl_uint *out_base)
{
	uint32_t b = (i - panels->first_tile) / panels->panels_per_buffer;

	*out_base = panels->first_tile + b * panels->panels_per_buffer;
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
	size_t tiles = (size_t)panels->n_tiles * panels->n_tiles;
	static const cl_uchar none = 0;
	char needed[APSP_SIZE_TEXT_SIZE], allowed[APSP_SIZE_TEXT_SIZE];
	int r;

	if (largest < need) {
		apsp_sizes_format(need, largest, needed, allowed);
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices need buffers of %s at least; the device "
			"allows %s",
			panels->n_vertices, needed, allowed);
	}
	if (fit < panels->n_panels)
		fit -= fit % block;
	panels->panels_per_buffer =
		fit < panels->n_panels ? (uint32_t)fit : panels->n_panels;
	panels->n_buffers = (panels->n_panels + panels->panels_per_buffer - 1) /
			    panels->panels_per_buffer;
	r = apsp_device_buffer_make(
		panels->device, tiles, NULL, &panels->finite, err);
	return r < 0 ? r
		     : apsp_opencl_fill(panels->device->queue, panels->finite,
			       &none, 1, 0, tiles, "clear the tiles' marks",
			       err);
}

/* Return the largest number of rows of the distance matrix that the panels can
   hold. */
static uint32_t rows_held(const struct apsp_panels *panels)
{
	return panels->n_panels == panels->n_tiles
		       ? panels->n_vertices
		       : panels->n_panels * APSP_TILE;
}

int apsp_panels_window(struct apsp_panels *panels,
	const struct apsp_positions *positions, uint32_t first, uint32_t n_rows,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *places = NULL;
	APSP_AUTO(apsp_free) uint32_t *sources = NULL;
	uint32_t left = panels->n_vertices - first, row = 0;
	int r;

	panels->first = first;
	n_rows = n_rows < left ? n_rows : left;
	panels->n_rows =
		n_rows < rows_held(panels) ? n_rows : rows_held(panels);
	places = malloc(panels->n_rows * sizeof(*places));
	sources = malloc(panels->n_rows * sizeof(*sources));
	if (!places || !sources)
		return apsp_fail(err, APSP_ENOMEM, "no memory to order %u rows",
			panels->n_rows);
	for (uint32_t p = 0; p < panels->n_vertices; p++) {
		/* if the vertex comes before the window (the rows from that of
		   `first` on), the difference wraps to a large number, and the
		   vertex is skipped */
		uint32_t at = positions->vertices[p] - first;

		if (at >= panels->n_rows)
			continue;
		places[at] = panels->first_tile * APSP_TILE + row;
		sources[row++] = p;
	}
	r = apsp_device_copy_write(panels->device, panels->places,
		first * sizeof(*places), panels->n_rows * sizeof(*places),
		places, err);
	return r < 0 ? r
		     : apsp_device_copy_write(panels->device, panels->sources,
			       0, panels->n_rows * sizeof(*sources), sources,
			       err);
}

int apsp_panels_open(const struct apsp_device *device,
	const struct apsp_positions *positions, enum apsp_element element,
	const struct apsp_panels_extent *extent, struct apsp_panels *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_panels_done)
	struct apsp_panels panels = {
		.device = device,
		.element = element,
		.n_vertices = positions->n_vertices,
		.n_tiles = apsp_panels_tiles(positions->n_vertices),
		.n_panels = apsp_panels_tiles(extent->n_rows),
		.first_tile = extent->first / APSP_TILE,
	};
	size_t size = sizeof(uint32_t) * panels.n_vertices;
	uint64_t panel = apsp_panel_bytes(panels.n_tiles, element);
	int r = apsp_panels_divide(&panels, extent->block, err);

	if (r >= 0)
		r = apsp_kernel_cache_kernel(
			device, "rows", element, "", "rows", &panels.rows, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			device, size, NULL, &panels.places, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
			sizeof(uint32_t) * rows_held(&panels), NULL,
			&panels.sources, err);
	if (r >= 0)
		r = apsp_device_copy_make(device, size, positions->vertices,
			&panels.vertices, err);
	if (r >= 0)
		r = apsp_panels_window(
			&panels, positions, extent->first, extent->n_rows, err);
	for (uint32_t b = 0; r >= 0 && b < panels.n_buffers; b++)
		r = apsp_device_buffer_make(device,
			apsp_panels_in_buffer(&panels, b) * panel, NULL,
			&panels.buffers[b], err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(panels);
	return 0;
}

/* The kernels of load.cl. */
struct kernels {
	cl_kernel fill;
	cl_kernel scatter;
	cl_kernel zero;
};

static void kernels_done(struct kernels *kernels)
{
	apsp_kernel_done(&kernels->fill);
	apsp_kernel_done(&kernels->scatter);
	apsp_kernel_done(&kernels->zero);
}

/* Fill the panels with infinity. Then store 0 on the part of the distance
   matrix's diagonal that the panels hold. */
static int panels_clear(const struct apsp_panels *panels,
	const struct kernels *kernels, struct apsp_err *err)
{
	const struct apsp_kernel_arg args[] = {
		APSP_ARG(panels->finite), APSP_ARG(panels->n_vertices)};
	const struct apsp_kernel_items items = {
		panels->n_vertices, 1, panels->device->tuning->row_group, 1};
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_ulong n_values =
			apsp_panels_in_buffer(panels, b) *
			apsp_panel_bytes(panels->n_tiles, panels->element) /
			apsp_element_size(panels->element);
		const struct apsp_kernel_arg fill_args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(n_values)};

		r = apsp_kernel_launch(panels->device, kernels->fill, fill_args,
			2, apsp_kernel_elements(panels->device, n_values), err);
	}
	return r < 0 ? r
		     : apsp_panels_launch(
			       panels, kernels->zero, args, 2, items, err);
}

/* Store in the panels the lengths of the n_arcs arcs that are on the device
   now. If `transposed` is true, swap the ends of each arc. */
static int chunk_scatter(const struct apsp_panels *panels,
	const struct kernels *kernels, const struct apsp_device_arcs *arcs,
	cl_ulong n_arcs, bool transposed, struct apsp_err *err)
{
	cl_mem from = transposed ? arcs->to : arcs->from;
	cl_mem to = transposed ? arcs->from : arcs->to;
	const struct apsp_kernel_arg args[] = {APSP_ARG(panels->finite),
		APSP_ARG(from), APSP_ARG(to), APSP_ARG(arcs->values),
		APSP_ARG(n_arcs)};

	return apsp_panels_launch(panels, kernels->scatter, args, 5,
		apsp_kernel_elements(panels->device, n_arcs), err);
}

int apsp_panels_load(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, bool transposed,
	struct apsp_err *err)
{
	APSP_AUTO(kernels_done) struct kernels kernels = {0};
	const struct apsp_kernel_wanted wanted[] = {{"fill", &kernels.fill},
		{"scatter", &kernels.scatter}, {"zero", &kernels.zero}};
	uint64_t n = 0;
	int r = apsp_kernel_cache_build(
		panels->device, "load", panels->element, "", wanted, 3, err);

	if (r >= 0)
		r = panels_clear(panels, &kernels, err);
	for (uint64_t first = 0; r >= 0 && first < arcs->n_arcs; first += n) {
		r = apsp_device_arcs_bring(arcs, first, &n, err);
		if (r >= 0)
			r = chunk_scatter(
				panels, &kernels, arcs, n, transposed, err);
	}
	return r;
}

/* Free the panels' host memory. Some of it may not have been allocated. */
static void host_free(struct apsp_panels *panels)
{
	struct apsp_host_panels *host = panels->host;

	/* wait, because copies from `staging` to the device may still run */
	apsp_opencl_finish(panels->device->queue);
	if (host->staged)
		clReleaseEvent(host->staged);
	apsp_device_pinned_done(
		panels->device, &host->staging, &host->staging_rows);
	for (uint32_t b = 0; b < panels->n_buffers; b++)
		apsp_device_pinned_done(
			panels->device, &panels->buffers[b], &host->maps[b]);
	free(host->finite);
	free(host);
	panels->host = NULL;
}

void apsp_panels_done(struct apsp_panels *panels)
{
	if (panels->host)
		host_free(panels);
	for (uint32_t b = 0; b < panels->n_buffers; b++)
		apsp_device_buffer_done(&panels->buffers[b]);
	apsp_device_buffer_done(&panels->finite);
	apsp_device_buffer_done(&panels->places);
	apsp_device_buffer_done(&panels->sources);
	apsp_device_buffer_done(&panels->vertices);
	apsp_kernel_done(&panels->rows);
	memset(panels, 0, sizeof(*panels));
}
