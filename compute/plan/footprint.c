/*
 * Computes numbers of bytes by plain arithmetic; see footprint.h.
 * tests/test_footprint.c and tests/test_memory.c compare the results with the
 * bytes that solves allocate.
 */
#include "compute/plan/footprint.h"

#include "compute/parallel.h"
#include "compute/plan/tuning.h"

enum {
	VECTOR_BYTES = 64, /* bytes of a vector in predecessor_cpu.cl */
	LANES_MOST = VECTOR_BYTES / sizeof(uint16_t),
	/* On a CPU, a slot (a buffer of downloaded rows) has at least one batch
	   of rows for each processor, or 1/SLOT_SHARE of all rows if these are
	   fewer (apsp_download_rows_least()). */
	SLOT_SHARE = 8,
	/*
	 * On a CPU, a slot (a buffer of downloaded rows) has for each processor
	 * at least as many rows as fit in tuning->staging_bytes / STAGING_WIDTH
	 * bytes, or altogether 1/SLOT_SHARE_MOST of all rows if these are fewer
	 * (apsp_download_rows_least()).
	 */
	SLOT_SHARE_MOST = 4,
	/* On a CPU, a slot (a buffer of downloaded rows) has for each processor
	   at least tuning->staging_bytes / STAGING_WIDTH bytes, or altogether
	   1/SLOT_SHARE_MOST of all rows if these take fewer bytes
	   (apsp_download_rows_least()). */
	STAGING_WIDTH = 2,
	/* The device checks the rows of a slot (a buffer of downloaded rows),
	   and counts the results. The counters take this number of bytes
	   (predecessor_gpu.cl, sums.cl). */
	CHECKS_BYTES = 20,
	/* The device counts the paths in a slot (a buffer of downloaded rows)
	   by their numbers of arcs. HOPS_BYTES is the size of the counters
	   (sums_device.h). */
	HOPS_BYTES = 4 * 257,
	/*
	 * Bytes of the facts that the device stores about each row to check it:
	 * two checksums, the number of arcs of the row's paths, and whether the
	 * device computed the row's path sums.
	 */
	MARKS_BYTES = 16,
	/* number of rows whose path sums are computed at a time; this number is
	   enough to keep any GPU busy */
	SUMS_ROWS = 1024,
	/* bytes of an arc that is copied for path sums (sums.c) */
	SUMS_ARC_BYTES = 4 + 8,
	/* bytes of a vertex in each thread that computes path sums on the host
	   (sums.c) */
	SUMS_VERTEX_BYTES = 180,
	/* For path sums, a CPU copies the arcs only if the copy takes at most
	   1/SUMS_ARCS_SHARE of the bytes of the tables. */
	SUMS_ARCS_SHARE = 16,
	/* largest number of threads that prove sampled rows (the rows that
	   sampled_rows_proof.h chooses) */
	PROOF_HANDS = 4,
	/* Bytes for each vertex in each thread that proves sampled rows
	   (sampled_rows_proof.c). */
	PROOF_VERTEX_BYTES = 48,
	/* additional bytes for each vertex in each thread that proves sampled
	   rows, if the proof walks along the paths of the rows
	   (row_group_proof.c) */
	PROOF_WALK_BYTES = 84,
	/* additional bytes for each vertex in each thread that proves sampled
	   rows, if distances are path sums */
	PROOF_SUM_BYTES = 64,
	/* Checksums of rows are computed from weights (row_marks.h). The
	   weights take this number of bytes for each vertex. */
	WEIGHTS_BYTES = 10,
	/* Bytes of a vertex's statistics on the host: 10 published statistics
	   (80 bytes), 7 numbers about the vertex's column (48), memory to find
	   components (24), and partial sums of rows (32). */
	STATS_VERTEX_BYTES = 80 + 48 + 24 + 32,
	/* bytes that each thread takes for statistics on the host */
	STATS_THREAD_BYTES = 65536 + 512,
	/* Bytes that a GPU takes for the statistics of the whole table
	   (made_stats.h). */
	STATS_BYTES = 4,
	/* Bytes that a GPU takes for the statistics of one column: two copies
	   of 48 bytes each. */
	STATS_COLUMN_BYTES = 2 * 48,
	/* Bytes that a GPU takes for the statistics of one row. */
	STATS_ROW_BYTES = 48,
	/* Bytes that a GPU takes for the statistics of one slot (a buffer of
	   downloaded rows). The statistics of the slot's rows take
	   STATS_ROW_BYTES more bytes for each row. */
	STATS_SLOT_BYTES = 4 * (4 + 2 * 2046),
	/* Bytes of a pair of vertices in a strip: a value of V (the matrix of
	   integer distances), a path sum and a predecessor. A strip is the few
	   rows that `reference` computes at a time (host_solve.c). */
	STRIP_CELL_BYTES = 8 + 8 + 4,
	/* The algorithm `reference` computes the rows in strips of a few rows.
	   A strip has at most this number of bytes, so that it fits a cache. */
	STRIP_BYTES = 7 << 18,
	/* the algorithm `reference` computes a strip of rows in at most this
	   number of steps, so that a strip takes at most a tenth of a second */
	STRIP_STEPS = 1 << 24,
	/* bytes that Dijkstra's algorithm needs for each vertex and thread */
	DIJKSTRA_VERTEX_BYTES = 16 + 4 + 8 + 8 + 4,
};

/* Return the number type of the table's predecessors. */
static enum apsp_element stored_element(const struct apsp_workload *work)
{
	return work->predecessor != APSP_ELEMENT_NONE
		       ? work->predecessor
		       : apsp_index_element(work->n_vertices);
}

/* Whether predecessors are ranks. */
static bool has_ranks(const struct apsp_workload *work)
{
	return work->widest ||
	       stored_element(work) != apsp_index_element(work->n_vertices);
}

uint32_t apsp_panels_tiles(uint64_t n_vertices)
{
	return (uint32_t)(n_vertices / APSP_TILE +
			  (n_vertices % APSP_TILE > 0));
}

uint64_t apsp_marks_bytes(uint64_t n_vertices)
{
	uint64_t tiles = apsp_panels_tiles(n_vertices);

	return tiles * tiles;
}

uint64_t apsp_panels_bytes(
	uint64_t n_vertices, uint64_t n_rows, enum apsp_element element)
{
	uint64_t tile =
		(uint64_t)APSP_TILE * APSP_TILE * apsp_element_size(element);
	uint64_t tiles = (uint64_t)apsp_panels_tiles(n_rows) *
			 apsp_panels_tiles(n_vertices);
	uint64_t words = 2 * n_vertices + n_rows;

	return tile * tiles + apsp_marks_bytes(n_vertices) +
	       sizeof(uint32_t) * words;
}

uint64_t apsp_panels_buffer_bytes(uint64_t n_vertices, uint64_t n_panels,
	enum apsp_element element, uint32_t block)
{
	uint64_t least = (n_panels + APSP_PANEL_BUFFERS_MAX - 1) /
			 APSP_PANEL_BUFFERS_MAX;
	uint64_t rows = (least + block - 1) / block * block;
	uint64_t row = apsp_panels_tiles(n_vertices) * (uint64_t)APSP_TILE *
		       APSP_TILE * apsp_element_size(element);

	return (rows < n_panels ? rows : n_panels) * row;
}

/* Return the bytes of an arc on the device: the positions of its two ends, its
   length, and one byte that says whether it is essential (the last arc of a
   shortest path). */
static uint64_t arc_bytes(enum apsp_element element)
{
	return 2 * sizeof(uint32_t) + apsp_element_size(element) + 1;
}

uint64_t apsp_device_arcs_together(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes)
{
	uint64_t most = staging_bytes / arc_bytes(element);

	if (most < 1)
		most = 1;
	return n_arcs < most ? n_arcs : most;
}

uint64_t apsp_device_arcs_bytes(
	uint64_t n_arcs, enum apsp_element element, uint64_t staging_bytes)
{
	return apsp_device_arcs_together(n_arcs, element, staging_bytes) *
	       arc_bytes(element);
}

uint64_t apsp_predecessors_bytes(
	const struct apsp_workload *work, uint64_t n_arcs)
{
	/* Number of 32-bit words for an arc: one for its tail. If predecessors
	   are stored as ranks (the rank of an arc among the arcs to its head),
	   another word for the arc's rank. */
	uint64_t words = has_ranks(work) ? 2 : 1;

	/*
	 * For widest paths, predecessors are searched in two orders of all
	 * vertices (kernels/settle_cpu.clh). `both` is the number of entries of
	 * the two orders together. It is also the number of widths of the paths
	 * from and to the root.
	 */
	uint64_t both = work->widest ? 2 * work->n_vertices : 0;

	return sizeof(uint32_t) * (work->n_vertices + 1 + both) +
	       both * apsp_element_size(work->element) +
	       n_arcs * (words * sizeof(uint32_t) +
				apsp_element_size(work->element));
}

uint64_t apsp_in_arcs_bytes(const struct apsp_workload *work)
{
	return has_ranks(work) ? sizeof(uint64_t) * (work->n_vertices + 1) +
					 2 * sizeof(uint32_t) * work->n_arcs
			       : 0;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t apsp_download_rows_least(uint64_t n_vertices, uint64_t row_bytes,
	unsigned int width, const struct apsp_tuning *tuning)
{
	uint64_t batches =
		least_of((uint64_t)LANES_MOST * width, n_vertices / SLOT_SHARE);
	uint64_t rows = least_of(tuning->staging_bytes / STAGING_WIDTH * width /
					 (row_bytes > 0 ? row_bytes : 1),
		n_vertices / SLOT_SHARE_MOST);

	if (tuning->gpu)
		return APSP_READBACK_ROWS;
	if (rows < batches)
		rows = batches;
	return rows > APSP_READBACK_ROWS ? rows : APSP_READBACK_ROWS;
}

/*
 * Return the largest number of rows for which one launch searches predecessors.
 * A launch reads every arc once for each batch of `lanes` rows, so it would
 * take too long for many rows. On a GPU, all compute units work on one batch.
 * On a CPU, each of the `units` compute units works on its own batches. The
 * result is at least one batch on a GPU, and at least one batch for each
 * compute unit on a CPU.
 */
static uint64_t rows_most(uint64_t n_vertices, uint64_t n_arcs, uint32_t lanes,
	uint32_t units, const struct apsp_tuning *tuning)
{
	uint64_t batches = tuning->launch_arcs / (n_arcs + n_vertices + 1);

	if (batches < 1)
		batches = 1;
	return batches * lanes * (tuning->gpu ? 1 : units);
}

/*
 * A slot has one cell for each pair of vertices in its rows. Return the bytes
 * of a cell: the bytes of a predecessor plus the bytes of a number. The number
 * is a value of V (the matrix of integer distances) or a distance in the table,
 * whichever is larger.
 */
static uint64_t cell_bytes(const struct apsp_workload *work)
{
	return apsp_element_size(stored_element(work)) +
	       apsp_element_size(
		       apsp_element_wider(work->element, work->distance));
}

uint64_t apsp_download_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t row = work->n_vertices * cell_bytes(work);
	uint64_t all = work->n_vertices * row;
	uint64_t chunk = apsp_download_rows_least(work->n_vertices, row,
				 apsp_parallel_processors(), tuning) *
			 row;

	if (chunk < tuning->staging_bytes)
		chunk = tuning->staging_bytes;
	return chunk < all ? chunk : all;
}

enum apsp_element apsp_element_wider(enum apsp_element a, enum apsp_element b)
{
	return apsp_element_size(a) < apsp_element_size(b) ? b : a;
}

static bool may_be_sums(enum apsp_element distance)
{
	return distance == APSP_ELEMENT_F32 || distance == APSP_ELEMENT_F64;
}

/* Before a CPU computes path sums, it copies the arcs if the copy is small
   enough. Return the largest number of bytes that the copy is allowed to
   have. */
static uint64_t sum_arcs_most(uint64_t n_vertices, enum apsp_element distance)
{
	uint64_t cell = apsp_element_size(distance) +
			apsp_element_size(apsp_index_element(n_vertices));

	return n_vertices * n_vertices * cell / SUMS_ARCS_SHARE;
}

bool apsp_sum_arcs_fit(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance)
{
	return n_arcs * SUMS_ARC_BYTES <= sum_arcs_most(n_vertices, distance);
}

uint64_t apsp_sums_host_bytes(
	const struct apsp_workload *work, uint64_t n_arcs, bool gpu)
{
	uint64_t arcs = n_arcs * SUMS_ARC_BYTES;
	uint64_t most = sum_arcs_most(work->n_vertices, work->distance);

	if (!may_be_sums(work->distance))
		return 0;
	if (!gpu && (has_ranks(work) || arcs > most))
		arcs = has_ranks(work) ? 0 : most;
	/* if predecessors are ranks, the host also holds the lengths of all
	   arcs, sorted by head */
	if (has_ranks(work))
		arcs += work->n_arcs * sizeof(double);
	return arcs + work->n_vertices * SUMS_VERTEX_BYTES *
			      apsp_parallel_processors();
}

unsigned int apsp_sampled_rows_proof_hands(void)
{
	unsigned int width = apsp_parallel_processors();

	return width < PROOF_HANDS ? width : PROOF_HANDS;
}

uint64_t apsp_table_rows_bytes(const struct apsp_workload *work)
{
	bool sums = may_be_sums(work->distance);
	bool walks = sums || work->element == APSP_ELEMENT_F64;
	uint64_t proof = PROOF_VERTEX_BYTES + (walks ? PROOF_WALK_BYTES : 0) +
			 (sums ? PROOF_SUM_BYTES : 0);
	uint64_t vertex = proof * apsp_sampled_rows_proof_hands() +
			  WEIGHTS_BYTES + STATS_VERTEX_BYTES;
	uint64_t width = apsp_parallel_processors();

	return work->n_vertices * vertex + width * STATS_THREAD_BYTES;
}

uint64_t apsp_host_solve_rows(uint64_t n_vertices, uint64_t n_arcs)
{
	uint64_t least = apsp_parallel_processors();
	uint64_t by_bytes = STRIP_BYTES / STRIP_CELL_BYTES / (n_vertices + 1);
	uint64_t by_steps = STRIP_STEPS / (n_vertices + n_arcs + 1);
	uint64_t rows = by_bytes < by_steps ? by_bytes : by_steps;

	if (rows < least)
		rows = least;
	return rows < n_vertices ? rows : n_vertices;
}

uint64_t apsp_host_solve_bytes(uint64_t n_vertices, uint64_t n_arcs)
{
	uint64_t strip =
		STRIP_CELL_BYTES * apsp_host_solve_rows(n_vertices, n_arcs);
	uint64_t hands = DIJKSTRA_VERTEX_BYTES * apsp_parallel_processors();

	return n_vertices * (strip + hands);
}

bool apsp_sums_on_device(
	enum apsp_element distance, const struct apsp_tuning *tuning)
{
	return tuning->gpu && may_be_sums(distance);
}

uint64_t apsp_sums_held_rows(uint64_t n_vertices, uint64_t staging_bytes)
{
	uint64_t row = n_vertices * sizeof(double);
	uint64_t rows = staging_bytes / (row > 0 ? row : 1);

	/* a GPU needs at least APSP_READBACK_ROWS rows to be busy */
	if (rows < APSP_READBACK_ROWS)
		rows = APSP_READBACK_ROWS;
	if (rows > SUMS_ROWS)
		rows = SUMS_ROWS;
	if (rows > n_vertices)
		rows = n_vertices;
	return rows > 0 ? rows : 1;
}

struct apsp_batch apsp_predecessor_batch(
	enum apsp_element stored, enum apsp_element element, bool gpu)
{
	uint32_t v = (uint32_t)apsp_element_size(element);
	uint32_t p = (uint32_t)apsp_element_size(stored);
	struct apsp_batch batch = {.bytes = VECTOR_BYTES,
		.settle_bytes = 2 * VECTOR_BYTES + sizeof(uint32_t)};

	batch.lanes = VECTOR_BYTES / (v > p ? v : p);
	if (gpu) {
		batch.lanes = element == APSP_ELEMENT_U16 ? 64 : 32;
		batch.bytes = batch.lanes * v;
		batch.settle_bytes = batch.lanes * (v + p);
	}
	return batch;
}

/* For the search for predecessors, rows are transposed in batches. Return the
   bytes that such a batch takes at one vertex. For widest paths, the search
   needs additional memory, which the result includes. */
static uint64_t turned_bytes(
	const struct apsp_workload *work, const struct apsp_batch *batch)
{
	return batch->bytes + (work->widest ? batch->settle_bytes : 0);
}

/* Return the number of rows in a slot of `chunk` bytes. */
static uint64_t chunk_rows(const struct apsp_workload *work, uint64_t chunk)
{
	uint64_t row = work->n_vertices * cell_bytes(work);

	return chunk / (row > 0 ? row : 1);
}

uint64_t apsp_stats_device_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t chunk = apsp_download_bytes(work, tuning);
	uint64_t rows = STATS_ROW_BYTES * chunk_rows(work, chunk);
	uint64_t slots = APSP_READBACK_SLOTS * (STATS_SLOT_BYTES + rows);

	return !tuning->gpu
		       ? 0
		       : STATS_BYTES + work->n_vertices * STATS_COLUMN_BYTES +
				 slots;
}

uint64_t apsp_stats_host_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning)
{
	return !tuning->gpu ? 0 : STATS_COLUMN_BYTES * n_vertices;
}

/*
 * If distances are path sums, a slot (a buffer of downloaded rows) has two
 * numbers for each pair of vertices: a value of V (the matrix of integer
 * distances) and a path sum. cell_bytes() counts only the larger of the two.
 * Return the bytes of the smaller number, or 0 if distances cannot be path
 * sums.
 */
static uint64_t sums_v_cell(const struct apsp_workload *work)
{
	return may_be_sums(work->distance)
		       ? least_of(apsp_element_size(work->element),
				 apsp_element_size(work->distance))
		       : 0;
}

uint64_t apsp_rows_bytes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t n = work->n_vertices;
	struct apsp_batch batch = apsp_predecessor_batch(
		stored_element(work), work->element, tuning->gpu);
	uint64_t chunk = apsp_download_bytes(work, tuning);
	uint64_t rows = chunk_rows(work, chunk);
	uint64_t report = CHECKS_BYTES + HOPS_BYTES + MARKS_BYTES * rows;
	uint64_t v = rows * n * sums_v_cell(work);
	/* Bytes of a transposed copy of the rows in a slot (a buffer of
	   downloaded rows). The copy consists of whole batches. */
	uint64_t turned = (rows + batch.lanes - 1) / batch.lanes * n *
			  turned_bytes(work, &batch);
	uint64_t bytes = APSP_READBACK_SLOTS * (chunk + v + report) + turned +
			 apsp_stats_device_bytes(work, tuning);
	/* number of float64 values on the device for path sums: the potentials
	   of the vertices, and rows of sums */
	uint64_t sums = n * (1 + apsp_sums_held_rows(n, tuning->staging_bytes));

	if (!apsp_sums_on_device(work->distance, tuning))
		return bytes;
	sums += apsp_cost_useful(work); /* the arcs' real lengths */
	return bytes + sizeof(double) * sums;
}

uint64_t apsp_download_chunk(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t row_bytes, uint32_t lanes, uint32_t units,
	const struct apsp_tuning *tuning)
{
	uint64_t least = apsp_download_rows_least(
		n_vertices, row_bytes, apsp_parallel_processors(), tuning);
	uint64_t most = rows_most(n_vertices, n_arcs, lanes, units, tuning);
	uint64_t rows = tuning->staging_bytes / (row_bytes > 0 ? row_bytes : 1);
	uint64_t all = (uint64_t)lanes * units;

	rows = rows > least ? rows : least;
	/* `all` is the number of rows of one batch for each compute unit. Round
	   `rows` down to whole batches. On a CPU, if `rows` is at least `all`,
	   round it down to a multiple of `all`, so that all units get the same
	   number of batches. */
	rows -= rows % (rows < all || tuning->gpu ? lanes : all);
	rows = rows < most ? rows : most;
	return rows > 0 ? rows : 1;
}

/* Return the number of rows of a slot (a buffer of downloaded rows) that has
   `cell` bytes for each pair of vertices in its rows. */
static uint64_t slot_rows(const struct apsp_workload *work, uint64_t n_arcs,
	uint64_t cell, const struct apsp_tuning *tuning)
{
	struct apsp_batch batch = apsp_predecessor_batch(
		stored_element(work), work->element, tuning->gpu);

	return apsp_download_chunk(work->n_vertices, n_arcs,
		work->n_vertices * cell, batch.lanes,
		apsp_parallel_processors(), tuning);
}

size_t apsp_download_pinned(const struct apsp_workload *work,
	const struct apsp_tuning *tuning, uint64_t out[APSP_DOWNLOAD_PINNED])
{
	uint64_t p = apsp_element_size(stored_element(work));
	uint64_t rows = least_of(work->n_vertices,
		slot_rows(work, work->n_arcs, cell_bytes(work), tuning));
	uint64_t cells = work->n_vertices * rows;
	size_t n = 0;

	for (int s = 0; tuning->gpu && s < APSP_READBACK_SLOTS; s++) {
		out[n++] = UINT64_C(2) * STATS_SLOT_BYTES;
		out[n++] = 2 * STATS_ROW_BYTES * rows;
	}
	for (int s = 0; s < APSP_READBACK_SLOTS; s++) {
		out[n++] = apsp_element_size(work->distance) * cells;
		out[n++] = p * cells;
		out[n++] = CHECKS_BYTES + HOPS_BYTES + MARKS_BYTES * rows;
		if (may_be_sums(work->distance))
			out[n++] = apsp_element_size(work->element) * cells;
	}
	return n;
}

uint64_t apsp_held_rows_bytes(const struct apsp_workload *work, uint64_t n_kept,
	uint64_t n_rows, const struct apsp_tuning *tuning)
{
	uint64_t n = work->n_vertices;
	struct apsp_batch batch = apsp_predecessor_batch(
		stored_element(work), work->element, tuning->gpu);
	uint64_t cell = cell_bytes(work);
	uint64_t chunk = slot_rows(work, n_kept, cell, tuning);
	uint64_t held = least_of(n_rows, APSP_READBACK_SLOTS * chunk);
	uint64_t batches =
		(least_of(n_rows, chunk) + batch.lanes - 1) / batch.lanes;

	return n * (held * (cell + sums_v_cell(work)) +
			   batches * turned_bytes(work, &batch));
}
