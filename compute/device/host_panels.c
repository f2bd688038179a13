/*
 * Fills and reads panels (rows of tiles of the distance matrix) in host memory;
 * see host_panels.h.
 */
#include "compute/device/host_panels.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "compute/graph/integers.h"
#include "compute/graph/v_element.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

/* The arguments of panel_load(), row_gather() and panel_essential(), which
   apsp_parallel_for() calls. */
struct loop {
	const struct apsp_panels *panels;
	/* row_gather() copies the rows of neighbouring vertices, from this
	   vertex on */
	uint32_t first;
	/* panel_essential() stores one byte for each arc in this array */
	uint8_t *flags;
};

/* Return the size in bytes of a row after it has been read from the panels.
   Such a row has no padding. */
static uint64_t row_bytes(const struct apsp_panels *panels)
{
	return (uint64_t)panels->n_vertices *
	       apsp_element_size(panels->element);
}

static uint32_t staging_rows(const struct apsp_panels *panels)
{
	const struct apsp_device *device = panels->device;
	uint64_t most = device->tuning->staging_bytes, n;

	if (most > device->info.largest_buffer_bytes)
		most = device->info.largest_buffer_bytes;
	n = most / row_bytes(panels);
	return n < 1			? 1
	       : n > panels->n_vertices ? panels->n_vertices
					: (uint32_t)n;
}

void *apsp_host_panels_at(
	const struct apsp_panels *panels, uint32_t i, uint32_t *out_n_rows)
{
	uint32_t b = i / panels->panels_per_buffer;
	uint32_t in_buffer = i % panels->panels_per_buffer;

	*out_n_rows = apsp_panels_in_buffer(panels, b) - in_buffer;
	return (char *)panels->host->maps[b] +
	       in_buffer * apsp_panel_bytes(panels->n_tiles, panels->element);
}

/*
 * Return the address of the first value of the row at position p. Only the
 * first APSP_TILE values of the row are contiguous, because the next values lie
 * in another tile.
 */
static char *row_at(const struct apsp_panels *panels, uint32_t p)
{
	uint32_t n_rows;

	return (char *)apsp_host_panels_at(panels, p / APSP_TILE, &n_rows) +
	       p % APSP_TILE * APSP_TILE * apsp_element_size(panels->element);
}

/* Return the offset, in elements, of a row's value for the vertex at position
   p. The offset counts from the address that row_at() returns for the row. */
static size_t column_at(uint32_t p)
{
	return (size_t)(p / APSP_TILE) * APSP_TILE * APSP_TILE + p % APSP_TILE;
}

/* Fill panel i (row i of the distance matrix's tiles) with infinity. Then store
   the lengths of the arcs that begin in its rows, and 0 on the diagonal. */
static void panel_load(void *ctx, unsigned int thread, size_t i)
{
	const struct loop *loop = ctx;
	const struct apsp_panels *panels = loop->panels;
	const struct apsp_host_panels *host = panels->host;
	size_t size = apsp_element_size(panels->element), filled = size;
	size_t bytes = apsp_panel_bytes(panels->n_tiles, panels->element);
	const int64_t nowhere = APSP_V_NOWHERE;
	uint32_t first = (uint32_t)i * APSP_TILE, n_rows;
	uint8_t *finite = host->finite + i * panels->n_tiles;
	char *panel = apsp_host_panels_at(panels, (uint32_t)i, &n_rows);

	(void)thread;
	/* a panel is a row of tiles: fill its first tile with infinity, by
	   copies that each double the filled part, and then copy this tile to
	   the other tiles */
	apsp_v_element_store(panels->element, &nowhere, 1, panel);
	for (; filled < bytes / panels->n_tiles; filled *= 2)
		memcpy(panel + filled, panel, filled);
	for (size_t at = filled; at < bytes; at += filled)
		memcpy(panel + at, panel, filled);
	memset(finite, 0, panels->n_tiles);
	finite[i] = 1;
	for (uint32_t p = first;
		p < first + APSP_TILE && p < panels->n_vertices; p++) {
		uint32_t u = host->positions->vertices[p];
		char *row = row_at(panels, p);

		for (uint64_t e = host->lengths->offsets[u];
			e < host->lengths->offsets[u + 1]; e++) {
			uint32_t q =
				host->positions->of[host->lengths->heads[e]];

			int64_t length = apsp_integers_at(
				host->lengths, host->integers, u, e);

			apsp_v_element_store(panels->element, &length, 1,
				row + column_at(q) * size);
			finite[q / APSP_TILE] = 1;
		}
		memset(row + column_at(p) * size, 0, size);
	}
}

static int host_allocate(struct apsp_panels *panels, struct apsp_err *err)
{
	const struct apsp_device *device = panels->device;
	struct apsp_host_panels *host = panels->host;
	uint64_t panel = apsp_panel_bytes(panels->n_tiles, panels->element);
	int r = 0;

	host->finite = malloc((size_t)panels->n_tiles * panels->n_tiles);
	if (!host->finite)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to mark %u tiles a row", panels->n_tiles);
	host->staging_n = staging_rows(panels);
	r = apsp_device_pinned_make(device, host->staging_n * row_bytes(panels),
		&host->staging, &host->staging_rows, err);
	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++)
		r = apsp_device_pinned_make(device,
			apsp_panels_in_buffer(panels, b) * panel,
			&panels->buffers[b], &host->maps[b], err);
	return r;
}

int apsp_host_panels_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, enum apsp_element element,
	struct apsp_panels *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_panels_done)
	struct apsp_panels panels = {
		.device = device,
		.element = element,
		.n_vertices = positions->n_vertices,
		.n_tiles = apsp_panels_tiles(positions->n_vertices),
		.n_rows = positions->n_vertices,
	};
	struct loop loop = {.panels = &panels};
	int r;

	panels.host = calloc(1, sizeof(*panels.host));
	if (!panels.host)
		return apsp_fail(err, APSP_ENOMEM, "no memory to make panels");
	panels.host->lengths = lengths;
	panels.host->integers = integers;
	panels.host->positions = positions;
	panels.n_panels = panels.n_tiles;
	r = apsp_panels_divide(&panels, 1, err);
	if (r >= 0)
		r = host_allocate(&panels, err);
	if (r < 0)
		return r;
	apsp_parallel_for(
		panels.n_tiles, apsp_parallel_processors(), panel_load, &loop);
	r = apsp_opencl_check(
		clEnqueueWriteBuffer(device->queue, panels.finite, CL_TRUE, 0,
			(size_t)panels.n_tiles * panels.n_tiles,
			panels.host->finite, 0, NULL, NULL),
		"mark the tiles", err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(panels);
	return 0;
}

/* Copy the row of vertex loop->first + i to row i of host->staging_rows. The
   values come from many tiles, and are stored in upload order. */
static void row_gather(void *ctx, unsigned int thread, size_t i)
{
	const struct loop *loop = ctx;
	const struct apsp_panels *panels = loop->panels;
	const uint32_t *of = panels->host->positions->of;
	uint32_t n = panels->n_vertices;
	const char *row = row_at(panels, of[loop->first + i]);
	char *out = (char *)panels->host->staging_rows + i * row_bytes(panels);
	const uint16_t *in16 = (const void *)row;
	const uint32_t *in32 = (const void *)row;
	const uint64_t *in64 = (const void *)row;
	uint16_t *out16 = (void *)out;
	uint32_t *out32 = (void *)out;
	uint64_t *out64 = (void *)out;

	(void)thread;
	switch (apsp_element_size(panels->element)) {
	case sizeof(*out16):
		for (uint32_t j = 0; j < n; j++)
			out16[j] = in16[column_at(of[j])];
		break;
	case sizeof(*out32):
		for (uint32_t j = 0; j < n; j++)
			out32[j] = in32[column_at(of[j])];
		break;
	default:
		for (uint32_t j = 0; j < n; j++)
			out64[j] = in64[column_at(of[j])];
	}
}

/* Gather the rows of n_rows vertices, beginning with vertex `first`, in
   host->staging_rows. Enqueue a command that copies these rows to `out` on the
   device. `n_rows` is at most host->staging_n. */
static int rows_stage(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, size_t offset, struct apsp_err *err)
{
	struct apsp_host_panels *host = panels->host;
	struct loop loop = {.panels = panels, .first = first};
	int r = apsp_opencl_await(
		&host->staged, "bring rows to the device", err);

	if (r < 0)
		return r;
	apsp_parallel_for(
		n_rows, apsp_parallel_processors(), row_gather, &loop);
	return apsp_opencl_check(
		clEnqueueWriteBuffer(panels->device->queue, out, CL_FALSE,
			offset, n_rows * row_bytes(panels), host->staging_rows,
			0, NULL, &host->staged),
		"bring rows to the device", err);
}

int apsp_host_panels_read(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	uint64_t row = row_bytes(panels);
	uint32_t most = panels->host->staging_n;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < n_rows; i += most)
		r = rows_stage(panels, first + i,
			n_rows - i < most ? n_rows - i : most, out, i * row,
			err);
	return r;
}

/* For each arc that begins in a row of panel i, store a flag: 1 if the arc can
   be the last arc of a shortest path, else 0. The kernel `essential` of rows.cl
   does the same. */
static void panel_essential(void *ctx, unsigned int thread, size_t i)
{
	const struct loop *loop = ctx;
	const struct apsp_panels *panels = loop->panels;
	const struct apsp_host_panels *host = panels->host;
	enum apsp_element element = panels->element;
	uint32_t first = (uint32_t)i * APSP_TILE;
	int64_t infinity = apsp_v_element_infinity(element);

	(void)thread;
	for (uint32_t p = first;
		p < first + APSP_TILE && p < panels->n_vertices; p++) {
		uint32_t u = host->positions->vertices[p];
		const char *row = row_at(panels, p);

		for (uint64_t e = host->lengths->offsets[u];
			e < host->lengths->offsets[u + 1]; e++) {
			uint32_t q =
				host->positions->of[host->lengths->heads[e]];
			int64_t length = apsp_integers_at(
				host->lengths, host->integers, u, e);

			loop->flags[e] =
				length < infinity &&
				apsp_v_element_get(element, row,
					column_at(q)) >= (double)length;
		}
	}
}

void apsp_host_panels_essential(
	const struct apsp_panels *panels, uint8_t *flags)
{
	struct loop loop = {.panels = panels, .flags = flags};

	apsp_parallel_for(panels->n_tiles, apsp_parallel_processors(),
		panel_essential, &loop);
}
