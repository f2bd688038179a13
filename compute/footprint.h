/*
 * How many bytes a solve takes on the device, on the host and on disk: plain
 * arithmetic, apart from what allocates them, so that the daemon can estimate
 * without OpenCL (design.md, decision 1). Sums and products that overflow are
 * UINT64_MAX, which fits nowhere.
 */
#ifndef APSP_COMPUTE_FOOTPRINT_H
#define APSP_COMPUTE_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

struct apsp_tuning;

uint64_t apsp_bytes_add(uint64_t a, uint64_t b);
uint64_t apsp_bytes_multiply(uint64_t a, uint64_t b);

/* The element of predecessors among n vertices. */
enum apsp_element apsp_predecessor_element(uint64_t n_vertices);

/* Panels of V on the device, with room for so many rows (panels.h). */
uint64_t apsp_panels_bytes(
	uint64_t n_vertices, uint64_t n_rows, enum apsp_element element);

enum {
	APSP_PANEL_BUFFERS_MAX = 256, /* that such panels are divided among */
};

/*
 * The least that one buffer must hold for n_panels tile rows that are divided
 * in blocks of so many.
 */
uint64_t apsp_panels_buffer_bytes(uint64_t n_vertices, uint64_t n_panels,
	enum apsp_element element, uint32_t block);

/* How many arcs are on the device together, and their bytes (panels.h). */
uint64_t apsp_device_arcs_together(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);
uint64_t apsp_device_arcs_bytes(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);

/* The arcs once more, by head, all being essential (predecessor.h). */
uint64_t apsp_predecessors_bytes(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element element);

/* As many lengths or positions of arcs in one buffer. */
uint64_t apsp_arcs_buffer_bytes(uint64_t n_arcs, enum apsp_element element);

/* The tiles' marks of panels that are in host memory (panels_host.h). */
uint64_t apsp_marks_bytes(uint64_t n_vertices);

enum {
	APSP_READBACK_ROWS = 128, /* together at least, whatever they take */
	APSP_READBACK_SLOTS = 2,  /* of them, on the device and on the host */
};

/* Rows whose predecessors are found together, kernels/predecessor*.cl. */
struct apsp_batch {
	uint32_t lanes; /* rows */
	uint32_t bytes; /* of their values at one vertex */
};

struct apsp_batch apsp_predecessor_batch(
	uint64_t n_vertices, enum apsp_element element, bool gpu);

/*
 * One slot of rows on their way back, staging_bytes of them if there are as
 * many (readback.h). element is the wider of V's and the table's distances'.
 */
uint64_t apsp_readback_bytes(
	uint64_t n_vertices, enum apsp_element element, uint64_t staging_bytes);

/* The element that takes more bytes. */
enum apsp_element apsp_element_wider(enum apsp_element a, enum apsp_element b);

/*
 * Whether a CPU's path sums have so many arcs once more (sum_arcs.h): where
 * they are at most a sixteenth of the table's distances and predecessors.
 */
bool apsp_sum_arcs_fit(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

/*
 * What path sums have on the host, all arcs being essential: 0 where distances
 * of this element are V for certain; those of F64 may be either.
 */
uint64_t apsp_sums_host_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, bool gpu);

/* Whether the device makes path sums, of a table with such distances. */
bool apsp_sums_on_device(
	enum apsp_element distance, const struct apsp_tuning *tuning);

/* Rows of path sums that a GPU makes at once (sums_device.h). */
uint64_t apsp_sums_held_rows(uint64_t n_vertices, uint64_t staging_bytes);

/*
 * What is on the device for the rows on their way: the slots; rows turned into
 * batches (predecessor.h); and on a GPU, where the table's distances are path
 * sums, those rows and the arcs' lengths in float64. Distances of F64 may be V
 * itself, and count as sums.
 */
uint64_t apsp_rows_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element element, enum apsp_element distance,
	const struct apsp_tuning *tuning);

/*
 * The solver's own memory all the while: arcs, order, closure and its
 * transpose; not what it has of a device.
 */
uint64_t apsp_host_bytes(uint64_t n_vertices, uint64_t n_arcs);

/*
 * Weights, until the tables have them; transformed: lengths are neither the
 * weights themselves nor ones (lengths.h).
 */
uint64_t apsp_weights_bytes(uint64_t n_arcs, bool transformed);

/* With them, what it takes beside that before V is begun. */
uint64_t apsp_read_bytes(uint64_t n_arcs, bool transformed);

/* The table file, whose distances have the given element, and the graph's. */
uint64_t apsp_disk_bytes(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

#endif
