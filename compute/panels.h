/*
 * The matrix V on a device: row panels of contiguous tiles in several buffers
 * (design.md, decision 10).
 *
 *	buffer 0 | panel 0 | panel 1 | … |   buffer 1 | panel p | …
 *	panel i  | tile (i,0) | tile (i,1) | … | tile (i,n_tiles-1) |
 *
 * A buffer holds a multiple of pivot_tiles panels, so that a pivot block lies
 * in one. Vertices stand at positions (order.h). Panels that are larger than
 * the device's memory have their home in the host's (panels_host.h).
 *
 * An algorithm that makes each row by itself does with a window of them: the
 * rows of some vertices that follow one another in upload order, which stand in
 * the order of their positions. Columns are all there, and all rows of what has
 * no window are: row and position are then the same.
 */
#ifndef APSP_COMPUTE_PANELS_H
#define APSP_COMPUTE_PANELS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device.h"
#include "compute/footprint.h"
#include "compute/lengths.h"
#include "compute/order.h"
#include "daemon/base/err.h"

struct apsp_host_panels;

struct apsp_panels {
	const struct apsp_device *device; /* borrowed */
	enum apsp_element element;
	uint32_t n_vertices;
	uint32_t n_tiles;	    /* in a row */
	uint32_t n_panels;	    /* as many as n_tiles, or a window's */
	uint32_t first;		    /* whose rows are there: this vertex' */
	uint32_t n_rows;	    /* and of those after it */
	uint32_t panels_per_buffer; /* but for the last */
	uint32_t n_buffers;
	cl_mem buffers[APSP_PANEL_BUFFERS_MAX];
	cl_mem finite;	 /* n_tiles × n_tiles bytes: may hold finite values */
	cl_kernel rows;	 /* of rows.cl */
	cl_mem places;	 /* vertex → row, u32 */
	cl_mem sources;	 /* row → position, u32 */
	cl_mem vertices; /* position → vertex, u32 */
	/*
	 * Owned; NULL: the device is their home. Else the buffers are in host
	 * memory and no kernel takes them; rows, places, sources and vertices
	 * are empty.
	 */
	struct apsp_host_panels *host;
};

/*
 * The arcs as a device takes them: positions and lengths in V's element, those
 * that infinity does not exceed being infinity. As many as a staging buffer
 * holds are on the device together: all of them once and for all, or one chunk
 * after the other each time.
 */
struct apsp_device_arcs {
	const struct apsp_device *device; /* borrowed, as the next three */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_order *order;
	enum apsp_element element;
	bool transposed; /* taken the other way round */
	uint64_t n_arcs;
	uint64_t n_together;
	cl_mem from; /* positions, u32 */
	cl_mem to;
	cl_mem values; /* lengths in V's element */
	void *staging; /* of a chunk on the host; NULL: all are there */
};

/*
 * Make the panels: what they hold is undefined, no tile is marked finite. They
 * are for all rows, or for a window of at most `rows`, which is then the first
 * one. The caller ends *out with apsp_panels_done(). APSP_ELIMIT: the device's
 * buffers are too small for a pivot block; the message has both sizes. Whether
 * all of them fit its memory is for the caller to see first. APSP_ENOMEM,
 * APSP_EDEVICE.
 */
int apsp_panels_open(const struct apsp_device *device,
	const struct apsp_order *order, enum apsp_element element,
	uint32_t rows, struct apsp_panels *out, struct apsp_err *err);
void apsp_panels_done(struct apsp_panels *panels);

/* Whether they are for all rows at once. */
bool apsp_panels_whole(const struct apsp_panels *panels);

/*
 * Have the window begin at vertex `first`: as many rows as there is room for,
 * or as are left; what they hold is undefined. Blocks. APSP_ENOMEM,
 * APSP_EDEVICE.
 */
int apsp_panels_window(struct apsp_panels *panels,
	const struct apsp_order *order, uint32_t first, struct apsp_err *err);

/*
 * Fill them with the arcs, 0 on the diagonal, infinity elsewhere. APSP_EDEVICE.
 */
int apsp_panels_load(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, struct apsp_err *err);

/* Tiles in a row or column. */
uint32_t apsp_panels_tiles(uint32_t n_vertices);

/* Bytes of one panel. */
uint64_t apsp_panel_bytes(uint32_t n_tiles, enum apsp_element element);

/*
 * Fill in how the panels, whose device, element and sizes are set, are divided
 * among buffers that each hold a multiple of `block` panels. APSP_ELIMIT as
 * apsp_panels_open().
 */
int apsp_panels_divide(
	struct apsp_panels *panels, uint32_t block, struct apsp_err *err);

/* Make `finite`, no tile being marked. APSP_EDEVICE. */
int apsp_panels_marks(struct apsp_panels *panels, struct apsp_err *err);

/* The buffer that holds tile row i, and its first tile row. */
cl_mem apsp_panels_buffer(
	const struct apsp_panels *panels, uint32_t i, cl_uint *out_base);

/* Tile rows in buffer b. */
uint32_t apsp_panels_in_buffer(const struct apsp_panels *panels, uint32_t b);

/*
 * Enqueue: rows [first, first + n_rows) in upload order, which are there, into
 * the device buffer out, n_rows × n_vertices of V.
 */
int apsp_panels_rows(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err);

/*
 * Mark in flags (n_arcs bytes on the host) the arcs that are no longer than V
 * between their ends: the essential ones, and those that show V to be wrong.
 * All rows are there. Blocks.
 */
int apsp_panels_essential(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, uint8_t *flags,
	struct apsp_err *err);

/*
 * Make the arcs ready for the device. Lengths at or past V's infinity become
 * infinity. What is pointed to must outlive *out, which the caller ends with
 * apsp_device_arcs_done(). APSP_ENOMEM, APSP_ELIMIT, APSP_EDEVICE.
 */
int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	enum apsp_element element, struct apsp_device_arcs *out,
	struct apsp_err *err);

/*
 * See to it that the *out_n arcs from `first` on, a multiple of n_together, are
 * in the buffers, once what was enqueued before is done with them.
 */
int apsp_device_arcs_bring(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t *out_n, struct apsp_err *err);
void apsp_device_arcs_done(struct apsp_device_arcs *arcs);

/* Store n integer lengths as V's element, clamped to its infinity, at out. */
void apsp_element_store(enum apsp_element element, const int64_t *lengths,
	uint64_t n, void *out);

#endif
