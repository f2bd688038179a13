/*
 * The matrix V of integer distances on a device: row panels of contiguous tiles
 * in several buffers (compute/device/README.md, Panels).
 *
 *	buffer 0 | panel 0 | panel 1 | … |   buffer 1 | panel p | …
 *	panel i  | tile (i,0) | tile (i,1) | … | tile (i,n_tiles-1) |
 *
 * In each buffer on the device except the last, the number of panels is a
 * multiple of the number in a pivot block, so that all rows of a pivot block
 * lie in one buffer. Rows and columns are ordered by position (positions.h).
 *
 * Usually the panels hold all rows of V. Some algorithms compute each row
 * without the other rows. For such an algorithm, the panels can hold only some
 * of the rows of V. These rows are called a window. The vertices of a window
 * are consecutive in upload order, and the rows of these vertices are sorted by
 * position. Each row always has all columns. If there is no window, the number
 * of a row is the position of its vertex.
 *
 * If several processes share V, each process has a range of positions. The
 * panels of the process hold the rows at these positions. These rows are called
 * the process's part of V.
 *
 * Panels larger than the device's memory lie in host memory (host_panels.h).
 */
#ifndef APSP_COMPUTE_DEVICE_PANELS_H
#define APSP_COMPUTE_DEVICE_PANELS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/device/device_arcs.h"
#include "compute/device/kernel.h"
#include "compute/graph/integers.h"
#include "compute/graph/positions.h"
#include "compute/plan/footprint.h"
#include "daemon/base/err.h"

/* Additional members of panels that are in host memory instead of the device's
   memory; host_panels.c fills these members. */
struct apsp_host_panels {
	/* lengths, integers and positions are borrowed */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_positions *positions;
	void *maps[APSP_PANEL_BUFFERS_MAX]; /* the panels' buffers, mapped */
	uint8_t *finite; /* one byte for each tile: 1 if the tile got finite
			    values when the arcs were loaded, else 0 */
	cl_mem staging;	 /* buffer for rows on their way to the device */
	void *staging_rows;
	uint32_t staging_n; /* number of rows that fit `staging` */
	/* completes when the rows in `staging` are on the device */
	cl_event staged;
};

struct apsp_panels {
	const struct apsp_device *device; /* borrowed */
	enum apsp_element element;
	/* Says whether paths are extended by a sum or by a maximum
	   (compute/graph/semiring.h). apsp_distance_algorithm_panels() sets
	   this member. */
	enum apsp_distance_kind kind;
	uint32_t n_vertices;
	uint32_t n_tiles; /* number of tiles in a row */
	/* number of panels (rows of tiles): n_tiles, or fewer if the panels
	   hold only a window or a part of the distance matrix's rows */
	uint32_t n_panels;
	/* number of the tile row of the distance matrix that panel 0 holds; 0
	   unless the panels hold a part of the matrix */
	uint32_t first_tile;
	/* the first vertex whose row the panels hold; 0 if they hold the whole
	   distance matrix */
	uint32_t first;
	/* number of rows that the panels hold: all rows of the distance matrix,
	   or the rows of a window or of a part */
	uint32_t n_rows;
	uint32_t panels_per_buffer; /* number of panels (rows of tiles) in each
				       buffer; the last buffer may hold fewer */
	uint32_t n_buffers;
	cl_mem buffers[APSP_PANEL_BUFFERS_MAX];
	/* one byte for each tile: 1 if the tile may hold finite values, else
	   0 */
	cl_mem finite;
	cl_kernel rows;	 /* the kernel `rows` of rows.cl */
	cl_mem places;	 /* for each vertex, its row in the panels, u32 */
	cl_mem sources;	 /* for each row of the panels, the position of its
			    vertex, u32 */
	cl_mem vertices; /* for each position, its vertex, u32 */
	/* Owned; NULL: the panels are on the device. Not NULL: the panels'
	   buffers are in host memory, no kernel reads these buffers, and the
	   members rows, places, sources and vertices are NULL. */
	struct apsp_host_panels *host;
};

/*
 * Says which rows of the distance matrix V the panels hold: all rows, a window
 * that begins at vertex 0, or a part. A part has the rows at the positions
 * [first, first + n_rows). The vertices at these positions are the vertices
 * first to first + n_rows - 1 (apsp_positions_divide()).
 */
struct apsp_panels_extent {
	/* first row of a part, a multiple of APSP_TILE; 0 if the panels hold
	   all rows or a window */
	uint32_t first;
	/* number of rows; for a window, the largest number of rows, rounded up
	   to a multiple of APSP_TILE */
	uint32_t n_rows;
	/* In each buffer except the last, the number of panels (rows of tiles)
	   is a multiple of `block`. */
	uint32_t block;
};

/*
 * Make panels on the device. Values are undefined, and no tile is marked
 * finite. The caller has checked that the panels fit the device's memory, and
 * ends *out with apsp_panels_done(). APSP_ELIMIT: the device's largest buffer
 * is too small for extent->block panels; the message has both sizes.
 * APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_panels_open(const struct apsp_device *device,
	const struct apsp_positions *positions, enum apsp_element element,
	const struct apsp_panels_extent *extent, struct apsp_panels *out,
	struct apsp_err *err);
void apsp_panels_done(struct apsp_panels *panels);

/* Let the panels hold a window: n_rows rows of the distance matrix, from the
   row of vertex `first` on. The window has fewer rows if fewer vertices remain,
   or if the panels have no room for n_rows rows. The values in the window are
   undefined. Blocks. APSP_ENOMEM, APSP_EDEVICE. */
int apsp_panels_window(struct apsp_panels *panels,
	const struct apsp_positions *positions, uint32_t first, uint32_t n_rows,
	struct apsp_err *err);

/*
 * Store the length of each arc, 0 on the diagonal, and infinity in all other
 * cells. If `transposed` is true, the ends of each arc are swapped. Mark the
 * tiles that hold finite values. APSP_EDEVICE.
 */
int apsp_panels_load(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, bool transposed,
	struct apsp_err *err);

/* Return the size in bytes of a panel of n_tiles tiles. */
uint64_t apsp_panel_bytes(uint32_t n_tiles, enum apsp_element element);

/*
 * Divide the panels (rows of tiles) among buffers, which the caller makes. The
 * number of panels in each buffer except the last is a multiple of `block`.
 * Also make the buffer panels->finite, in which no tile is marked as finite.
 * The caller has set the members device, element, n_vertices, n_tiles and
 * n_panels. APSP_EDEVICE; APSP_ELIMIT: as for apsp_panels_open().
 */
int apsp_panels_divide(
	struct apsp_panels *panels, uint32_t block, struct apsp_err *err);

/* Return the buffer that holds row i of the distance matrix's tiles; *out_base
   is the first row of tiles in that buffer. */
cl_mem apsp_panels_buffer(
	const struct apsp_panels *panels, uint32_t i, cl_uint *out_base);

/* Return the number of tile rows in buffer b. */
uint32_t apsp_panels_in_buffer(const struct apsp_panels *panels, uint32_t b);

/*
 * Enqueue a launch of a kernel for each buffer. The kernel's arguments are the
 * buffer, its first tile row, its number of tile rows, the number of tiles in a
 * row, then the n arguments in `rest`. At most 5 such arguments are allowed.
 * APSP_EDEVICE.
 */
int apsp_panels_launch(const struct apsp_panels *panels, cl_kernel kernel,
	const struct apsp_kernel_arg *rest, size_t n,
	struct apsp_kernel_items items, struct apsp_err *err);

#endif
