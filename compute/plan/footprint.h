/*
 * How many bytes the parts of a solve take on the device, on the host and on
 * disk. Plain arithmetic in a room of its own, so that the daemon can estimate
 * without OpenCL (compute/worker/README.md, A child owns the device). No sum or
 * product overflows: a graph has at most 2^20 vertices and 2^31 arcs.
 */
#ifndef APSP_COMPUTE_PLAN_FOOTPRINT_H
#define APSP_COMPUTE_PLAN_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "daemon/base/table_file.h"

struct apsp_tuning;

/* The element of predecessors in a table of n_vertices. */
enum apsp_element apsp_predecessor_element(uint64_t n_vertices);

/* Tiles in a row or column of V. */
uint32_t apsp_panels_tiles(uint64_t n_vertices);

/* Panels of n_rows rows of V on the device (panels.h). */
uint64_t apsp_panels_bytes(
	uint64_t n_vertices, uint64_t n_rows, enum apsp_element element);

enum {
	APSP_PANEL_BUFFERS_MAX = 256, /* of one matrix */
};

/*
 * The least size of a buffer, if n_panels tile rows are divided among buffers
 * in blocks of `block` rows.
 */
uint64_t apsp_panels_buffer_bytes(uint64_t n_vertices, uint64_t n_panels,
	enum apsp_element element, uint32_t block);

/* The number of arcs that are uploaded at a time, and their bytes (panels.h).
 */
uint64_t apsp_device_arcs_together(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);
uint64_t apsp_device_arcs_bytes(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);

/* n_arcs arcs by head on the device (predecessors.h). */
uint64_t apsp_predecessors_bytes(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element element);

/* The larger of two buffers: of the lengths and of the positions of n_arcs
 * arcs.
 */
uint64_t apsp_arcs_buffer_bytes(uint64_t n_arcs, enum apsp_element element);

/* On the device: the marks of the tiles of a matrix in host memory
   (host_panels.h). */
uint64_t apsp_marks_bytes(uint64_t n_vertices);

enum {
	APSP_READBACK_ROWS = 128, /* a GPU's slot has at least so many */
	APSP_READBACK_SLOTS = 2,  /* on the device, and also on the host */
};

/* Rows whose predecessors are searched together (kernels/predecessor_*.cl). */
struct apsp_batch {
	uint32_t lanes; /* rows */
	uint32_t bytes; /* of the rows' values at one vertex */
};

struct apsp_batch apsp_predecessor_batch(
	uint64_t n_vertices, enum apsp_element element, bool gpu);

/*
 * The least number of rows of a slot. On a CPU: a batch for each of `width`
 * processors or, if rows are short, half of staging_bytes, so that the loops
 * over a chunk are long enough for all processors; less if the slot would not
 * be small beside the table. row_bytes: a row's distances and predecessors.
 */
uint64_t apsp_download_rows_least(uint64_t n_vertices, uint64_t row_bytes,
	unsigned int width, const struct apsp_tuning *tuning);

/*
 * The largest number of rows whose predecessors are searched in one launch,
 * which must stay short. For each batch of `lanes` rows every arc is read once,
 * by one unit of a CPU or by all units of a GPU. Each unit gets at least one
 * batch, however many arcs there are.
 */
uint64_t apsp_download_rows_most(uint64_t n_vertices, uint64_t n_arcs,
	uint32_t lanes, uint32_t units, const struct apsp_tuning *tuning);

/*
 * The number of rows of a slot (download.h) on a device of so many units,
 * between the two numbers above, in whole batches of `lanes`. row_bytes: a
 * row's distances and predecessors.
 */
uint64_t apsp_download_chunk(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t row_bytes, uint32_t lanes, uint32_t units,
	const struct apsp_tuning *tuning);

/*
 * The memory that a download of n_rows at a time touches, if the device is the
 * host: slots, which the host maps, and batches. Memory that is never touched
 * is not held. n_kept: the arcs that are searched for predecessors.
 */
uint64_t apsp_held_rows_bytes(const struct apsp_workload *work, uint64_t n_kept,
	uint64_t n_rows, const struct apsp_tuning *tuning);

/*
 * One slot of rows that are downloaded: staging_bytes, more for long rows, less
 * for a small table (download.h). element is the wider one of V and of the
 * table's distances.
 */
uint64_t apsp_download_bytes(uint64_t n_vertices, enum apsp_element element,
	const struct apsp_tuning *tuning);

enum {
	APSP_DOWNLOAD_PINNED = 6 * APSP_READBACK_SLOTS,
};

/*
 * Store the bytes of each pinned buffer of a download, if the device is not the
 * host, in the order in which the download takes them: on a GPU the statistics
 * of each slot, then for each slot distances, predecessors, checks and, with
 * path sums, V. Returns the number of buffers.
 */
size_t apsp_download_pinned(const struct apsp_workload *work,
	const struct apsp_tuning *tuning, uint64_t out[APSP_DOWNLOAD_PINNED]);

/* The element that takes more bytes. */
enum apsp_element apsp_element_wider(enum apsp_element a, enum apsp_element b);

/*
 * Whether path sums on a CPU copy the arcs (sum_arcs.h): only if the copy takes
 * at most a sixteenth of the table's distances and predecessors.
 */
bool apsp_sum_arcs_fit(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

/*
 * The bytes of path sums on the host, as if all arcs were essential. 0 if
 * distances of this element are always V; distances of F64 may be V or sums.
 */
uint64_t apsp_sums_host_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, bool gpu);

enum {
	APSP_SAMPLED_ROWS_PROOF_HANDS = 4,
};

/* The number of threads that prove rows, 1 to APSP_SAMPLED_ROWS_PROOF_HANDS,
   and the bytes that they take on the host (sampled_rows_proof.h), with the
   weights of rows' marks. */
unsigned int apsp_sampled_rows_proof_hands(void);
uint64_t apsp_sampled_rows_proof_bytes(const struct apsp_workload *work);

/* The bytes of the rows' statistics on the host (row_stats.h). */
uint64_t apsp_row_stats_bytes(uint64_t n_vertices);

/*
 * The bytes of statistics on a GPU, and on its host, which reads them twice
 * (stats_device.h), without pinned buffers; 0 if the device is a CPU. wide is
 * the wider element of V and of the table's distances.
 */
uint64_t apsp_stats_device_bytes(uint64_t n_vertices, enum apsp_element wide,
	const struct apsp_tuning *tuning);
uint64_t apsp_stats_host_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning);

/* The rows that `reference` computes at a time, and its bytes without sums,
   proof and statistics (host_solve.h). */
uint64_t apsp_host_solve_rows(uint64_t n_vertices, uint64_t n_arcs);
uint64_t apsp_host_solve_bytes(uint64_t n_vertices, uint64_t n_arcs);

/* Whether the device computes the path sums of a table with such distances. */
bool apsp_sums_on_device(
	enum apsp_element distance, const struct apsp_tuning *tuning);

/* Rows of path sums that a GPU computes at a time (sums_device.h). */
uint64_t apsp_sums_held_rows(uint64_t n_vertices, uint64_t staging_bytes);

/*
 * The bytes of the download on the device: slots; rows transposed into batches
 * (predecessors.h); V in the slots if the table's distances are path sums;
 * statistics on a GPU, and there for path sums also rows of sums and the arcs'
 * lengths in float64. Distances of F64 may be V itself, but count as sums.
 */
uint64_t apsp_rows_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

#endif
