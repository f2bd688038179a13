/*
 * How many bytes the parts of a solve take on the device, on the host and on
 * disk. Plain arithmetic in a room of its own, so that the daemon can estimate
 * without OpenCL (compute/worker/README.md, A child owns the device). Sums and
 * products that overflow are UINT64_MAX, which fits nowhere.
 */
#ifndef APSP_COMPUTE_PLAN_FOOTPRINT_H
#define APSP_COMPUTE_PLAN_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

struct apsp_tuning;

uint64_t apsp_bytes_add(uint64_t a, uint64_t b);
uint64_t apsp_bytes_multiply(uint64_t a, uint64_t b);

/* The element of predecessors among n vertices. */
enum apsp_element apsp_predecessor_element(uint64_t n_vertices);

/* Panels of n_rows rows of V on the device (panels.h). */
uint64_t apsp_panels_bytes(
	uint64_t n_vertices, uint64_t n_rows, enum apsp_element element);

enum {
	APSP_PANEL_BUFFERS_MAX = 256, /* of one matrix */
};

/*
 * The least size of a buffer where n_panels tile rows are divided among buffers
 * in blocks of `block` rows.
 */
uint64_t apsp_panels_buffer_bytes(uint64_t n_vertices, uint64_t n_panels,
	enum apsp_element element, uint32_t block);

/* How many arcs are uploaded at a time, and their bytes (panels.h). */
uint64_t apsp_device_arcs_together(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);
uint64_t apsp_device_arcs_bytes(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);

/* The arcs by head, as if all were essential (predecessors.h). */
uint64_t apsp_predecessors_bytes(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element element);

/* The larger of two buffers: lengths, or positions, of n_arcs arcs. */
uint64_t apsp_arcs_buffer_bytes(uint64_t n_arcs, enum apsp_element element);

/* On the device, the tiles' marks of a matrix in host memory (host_panels.h).
 */
uint64_t apsp_marks_bytes(uint64_t n_vertices);

enum {
	APSP_READBACK_ROWS = 128, /* of a GPU's slot at least, however large */
	APSP_READBACK_SLOTS = 2,  /* on the device, and again on the host */
};

/* Rows whose predecessors are found together (kernels/predecessor_*.cl). */
struct apsp_batch {
	uint32_t lanes; /* rows */
	uint32_t bytes; /* of the rows' values at one vertex */
};

struct apsp_batch apsp_predecessor_batch(
	uint64_t n_vertices, enum apsp_element element, bool gpu);

/*
 * Rows of a slot at least, however large: on a CPU a batch for each of `width`
 * processors, or half of staging_bytes where rows are short, so that a chunk's
 * loops are long enough for all of them; as far as a slot stays small beside
 * the table. row_bytes: a row's distances and predecessors.
 */
uint64_t apsp_download_rows_least(uint64_t n_vertices, uint64_t row_bytes,
	unsigned int width, const struct apsp_tuning *tuning);

/*
 * Rows at most whose predecessors are found in one launch, so that it stays
 * short: each of a CPU's units, or all of a GPU, reads every arc once for each
 * batch of `lanes` rows. A batch for each at least, however many arcs.
 */
uint64_t apsp_download_rows_most(uint64_t n_vertices, uint64_t n_arcs,
	uint32_t lanes, uint32_t units, const struct apsp_tuning *tuning);

/*
 * Rows of a slot (download.h), on a device of so many units: as above, in whole
 * batches of `lanes`. row_bytes: a row's distances and predecessors.
 */
uint64_t apsp_download_chunk(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t row_bytes, uint32_t lanes, uint32_t units,
	const struct apsp_tuning *tuning);

/*
 * What the download of n_rows at a time writes to where the device is the host:
 * slots, which the host maps, and batches. Memory that no row reaches is not
 * held.
 */
uint64_t apsp_held_rows_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_rows, enum apsp_element element, enum apsp_element distance,
	const struct apsp_tuning *tuning);

/*
 * One slot of rows that are downloaded: staging_bytes, more for long rows, less
 * for a small table (download.h). element is the wider of V's and the table's
 * distances'.
 */
uint64_t apsp_download_bytes(uint64_t n_vertices, enum apsp_element element,
	const struct apsp_tuning *tuning);

enum {
	APSP_DOWNLOAD_PINNED = 6 * APSP_READBACK_SLOTS,
};

/*
 * Bytes of each pinned buffer that a download takes where the device's memory
 * is not the host's, in the order in which it takes them: of each slot those of
 * statistics, on a GPU, then of each slot distances, predecessors, checks and V
 * of path sums.
 * Returns how many.
 */
size_t apsp_download_pinned(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element element, enum apsp_element distance,
	const struct apsp_tuning *tuning, uint64_t out[APSP_DOWNLOAD_PINNED]);

/* The element that takes more bytes. */
enum apsp_element apsp_element_wider(enum apsp_element a, enum apsp_element b);

/*
 * Whether path sums on a CPU copy the arcs (sum_arcs.h): only where the copy is
 * at most a sixteenth of the table's distances and predecessors.
 */
bool apsp_sum_arcs_fit(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

/*
 * What path sums take on the host, as if all arcs were essential. 0 where
 * distances of this element are always V; those of F64 may be V or sums.
 */
uint64_t apsp_sums_host_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, bool gpu);

enum {
	APSP_ROW_PROOF_HANDS = 4,
};

/* Threads that prove rows, 1 to APSP_ROW_PROOF_HANDS, and what these take on
   the host (row_proof.h), with the weights of rows' marks. */
unsigned int apsp_row_proof_hands(void);
uint64_t apsp_row_proof_bytes(uint64_t n_vertices, enum apsp_element element,
	enum apsp_element distance);

/* What the statistics of rows take on the host (row_stats.h). */
uint64_t apsp_row_stats_bytes(uint64_t n_vertices);

/*
 * What statistics take on a GPU, and on its host, which reads them twice
 * (stats_device.h), beside pinned buffers; wide is the wider element of V and
 * of the table's distances. 0 on CPUs.
 */
uint64_t apsp_stats_device_bytes(uint64_t n_vertices, enum apsp_element wide,
	const struct apsp_tuning *tuning);
uint64_t apsp_stats_host_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning);

/* Rows that `reference` makes at a time, and what it takes beside sums, proof
   and statistics (host_solve.h). */
uint64_t apsp_host_solve_rows(uint64_t n_vertices, uint64_t n_arcs);
uint64_t apsp_host_solve_bytes(uint64_t n_vertices, uint64_t n_arcs);

/* Whether the device makes the path sums of a table with such distances. */
bool apsp_sums_on_device(
	enum apsp_element distance, const struct apsp_tuning *tuning);

/* Rows of path sums that a GPU makes at once (sums_device.h). */
uint64_t apsp_sums_held_rows(uint64_t n_vertices, uint64_t staging_bytes);

/*
 * What the download takes on the device: the slots; rows turned into batches
 * (predecessors.h); where the table's distances are path sums, V in the slots;
 * on a GPU, statistics, and for path sums rows of sums and the arcs' lengths in
 * float64. Distances of F64 may be V itself, and count as sums.
 */
uint64_t apsp_rows_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element element, enum apsp_element distance,
	const struct apsp_tuning *tuning);

#endif
