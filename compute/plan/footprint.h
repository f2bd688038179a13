/*
 * The number of bytes that each part of a solve takes on the device and on the
 * host. The functions are plain arithmetic without OpenCL, because the daemon
 * also uses them and does not link OpenCL (compute/worker/README.md, A child
 * owns the device). No sum or product overflows: a graph has at most 2^25
 * vertices and 2^31 arcs.
 */
#ifndef APSP_COMPUTE_PLAN_FOOTPRINT_H
#define APSP_COMPUTE_PLAN_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "daemon/job/table_file.h"

struct apsp_tuning;

/* Return the number of tiles in a row or column of the distance matrix V. */
uint32_t apsp_panels_tiles(uint64_t n_vertices);

/* Return the device's bytes for n_rows rows of the distance matrix V. V is
   stored as panels (compute/device/panels.h). */
uint64_t apsp_panels_bytes(
	uint64_t n_vertices, uint64_t n_rows, enum apsp_element element);

enum {
	/* largest number of buffers into which a matrix is divided */
	APSP_PANEL_BUFFERS_MAX = 256,
};

/*
 * Return the bytes of the largest buffer if n_panels rows of tiles are divided
 * among at most APSP_PANEL_BUFFERS_MAX buffers. No block of `block` rows of
 * tiles is split between two buffers.
 */
uint64_t apsp_panels_buffer_bytes(uint64_t n_vertices, uint64_t n_panels,
	enum apsp_element element, uint32_t block);

/* Return the number of arcs that are copied to the device at a time
   (compute/device/device_arcs.h). */
uint64_t apsp_device_arcs_together(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);
/* Return the device's bytes for the arcs that are copied to the device at a
   time. */
uint64_t apsp_device_arcs_bytes(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes);

/* Return the device's bytes for a list of n_arcs arcs, sorted by head, in
   which predecessors are searched (compute/tables/predecessors.h). */
uint64_t apsp_predecessors_bytes(
	const struct apsp_workload *work, uint64_t n_arcs);

/* Return the host's bytes for the lists of arcs by head
   (compute/graph/in_arcs.h). 0: the lists do not exist, because predecessors
   are indices. */
uint64_t apsp_in_arcs_bytes(const struct apsp_workload *work);

/* Return the device's bytes for the marks of the tiles of the distance matrix
   V. A mark says whether a tile can contain finite values. The marks are used
   only if V itself is in host memory (compute/device/host_panels.h). */
uint64_t apsp_marks_bytes(uint64_t n_vertices);

enum {
	/* The smallest number of rows that a slot (a buffer of downloaded rows)
	   should have. apsp_download_rows_least() returns this number on a GPU,
	   and at least this number on a CPU. */
	APSP_READBACK_ROWS = 128,
	/* number of slots (buffers of downloaded rows) on the device; the host
	   has the same number of slots */
	APSP_READBACK_SLOTS = 2,
};

/* A batch of rows whose predecessors are searched together
   (kernels/predecessor_cpu.cl, kernels/predecessor_gpu.cl). */
struct apsp_batch {
	uint32_t lanes; /* number of rows */
	/* bytes that the values of all rows of the batch take at one vertex */
	uint32_t bytes;
	/* additional bytes at one vertex, for the search of predecessors on
	   widest paths (kernels/settle_cpu.clh, kernels/settle_gpu.clh) */
	uint32_t settle_bytes;
};

/* Return the size of a batch of rows whose predecessors are searched together.
   `stored` is the number type of predecessors, and `element` is the number type
   of the distance matrix V. */
struct apsp_batch apsp_predecessor_batch(
	enum apsp_element stored, enum apsp_element element, bool gpu);

/*
 * Return the smallest number of rows of a slot, which is a buffer of downloaded
 * rows (download.h). On a GPU it is APSP_READBACK_ROWS. On a CPU it is the
 * largest of APSP_READBACK_ROWS and the two numbers below, so that a slot has
 * enough rows for `width` processors.
 *
 *	1. a batch of rows for each processor, but together at most 1/8 of all
 *	   rows
 *	2. for each processor, as many rows as fit into half of
 *	   tuning->staging_bytes, but together at most 1/4 of all rows, because
 *	   a slot should be small compared with the table
 *
 * row_bytes is the size of a row's distances and predecessors.
 */
uint64_t apsp_download_rows_least(uint64_t n_vertices, uint64_t row_bytes,
	unsigned int width, const struct apsp_tuning *tuning);

/*
 * Return the number of rows of a slot, which is a buffer of downloaded rows
 * (download.h). row_bytes is the size of a row's distances and predecessors,
 * `lanes` is the number of rows in a batch, and `units` is the device's number
 * of compute units.
 *
 * The function begins with at least as many rows as apsp_download_rows_least()
 * returns. It rounds this number down to a multiple of `lanes`. On a CPU, it
 * rounds a number of at least lanes · units down to a multiple of lanes ·
 * units. Then it reduces the number if one launch would need too long to search
 * for the predecessors of all rows.
 */
uint64_t apsp_download_chunk(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t row_bytes, uint32_t lanes, uint32_t units,
	const struct apsp_tuning *tuning);

/*
 * Return the number of bytes that a download of n_rows rows of the distance
 * matrix V really writes. The download allocates slots (buffers of rows) and
 * batches, but does not always write all their bytes. If the device is the
 * host, plans count only written bytes: on the host, bytes that are never
 * written take no memory. n_kept is the number of arcs among which predecessors
 * are searched.
 */
uint64_t apsp_held_rows_bytes(const struct apsp_workload *work, uint64_t n_kept,
	uint64_t n_rows, const struct apsp_tuning *tuning);

/* Return the bytes of one slot: a buffer of downloaded rows (download.h). They
   are tuning->staging_bytes bytes, more if rows are long, and fewer if the
   table is small. */
uint64_t apsp_download_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

enum {
	APSP_DOWNLOAD_PINNED = 6 * APSP_READBACK_SLOTS,
};

/*
 * A download has pinned buffers only if the device is not the host. Store the
 * sizes of these buffers in `out`, and return their number. The sizes are in
 * the order in which the download allocates the buffers. On a GPU, the first
 * buffers are for statistics: two buffers for each slot. Then each slot has one
 * buffer for distances, one for predecessors, one for checks and, if distances
 * are path sums, one for integer distances.
 */
size_t apsp_download_pinned(const struct apsp_workload *work,
	const struct apsp_tuning *tuning, uint64_t out[APSP_DOWNLOAD_PINNED]);

/* Return `a` or `b`, whichever element takes more bytes. */
enum apsp_element apsp_element_wider(enum apsp_element a, enum apsp_element b);

/*
 * Whether a CPU that computes path sums copies the arcs
 * (compute/tables/sum_arcs.h). The CPU copies them only if the copy takes at
 * most a sixteenth of the bytes of the table's distances and predecessors. Call
 * this only if predecessors are indices, not ranks.
 */
bool apsp_sum_arcs_fit(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

/*
 * Return an upper bound of the host's bytes for computing path sums.
 * Predecessors are searched among n_arcs arcs. The result is 0 if
 * work->distance is an integer type, because such distances are never path
 * sums. Distances of type F64 are always counted as path sums, even if they are
 * integer distances.
 */
uint64_t apsp_sums_host_bytes(
	const struct apsp_workload *work, uint64_t n_arcs, bool gpu);

/* Return the number of threads that prove sampled rows. */
unsigned int apsp_sampled_rows_proof_hands(void);
/*
 * Return the sum of the host's bytes for three things: the threads that prove
 * sampled rows (compute/tables/sampled_rows_proof.h), the weights for checksums
 * of rows (row_marks.h), and the statistics that the host computes
 * (compute/statistics/row_stats.h).
 */
uint64_t apsp_table_rows_bytes(const struct apsp_workload *work);

/* Return the bytes of a GPU's memory for the statistics that the GPU computes
   (compute/statistics/stats_device.h). 0: the device is a CPU. */
uint64_t apsp_stats_device_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the host's bytes for the statistics that a GPU computes. The host
   holds two copies of the statistics of columns. Pinned buffers are not
   counted. 0: the device is a CPU. */
uint64_t apsp_stats_host_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning);

/* Return the number of rows that the algorithm `reference` computes at a time
   (compute/tables/host_solve.h). */
uint64_t apsp_host_solve_rows(uint64_t n_vertices, uint64_t n_arcs);
/* Return the bytes of host memory that the algorithm `reference` takes. Path
   sums, proofs and statistics are not counted. */
uint64_t apsp_host_solve_bytes(uint64_t n_vertices, uint64_t n_arcs);

/* Whether the device computes the path sums of a table whose distances have
   this type. Otherwise the host computes them. */
bool apsp_sums_on_device(
	enum apsp_element distance, const struct apsp_tuning *tuning);

/* Return the number of rows whose path sums a GPU computes at a time
   (compute/tables/sums_device.h). */
uint64_t apsp_sums_held_rows(uint64_t n_vertices, uint64_t staging_bytes);

/*
 * Return the device's bytes for a download. The result is the sum of the bytes
 * of:
 *
 *	slots, which also hold integer distances if the table has path sums
 *	rows, transposed into batches (compute/tables/predecessors.h)
 *	on a GPU: statistics
 *	on a GPU, for path sums: rows of sums, and the arcs' float64 lengths
 *
 * Distances of type F64 are always counted as path sums, even if they are
 * integer distances.
 */
uint64_t apsp_rows_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

#endif
