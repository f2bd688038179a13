/*
 * Computes the bytes that each algorithm allocates; see own_bytes.h.
 */
#include "compute/plan/own_bytes.h"

#include "compute/parallel.h"
#include "compute/plan/batch_size.h"
#include "compute/plan/footprint.h"

enum {
	/* bytes of the state and the counters of a batch of multi-source */
	BATCH_BYTES = 24,
	/*
	 * If lanes are values, a window on a CPU has this number of batches for
	 * each processor. A window is the rows of V that are computed at a
	 * time. Measured seconds of whole solves of rome99 in 32 bits (PoCL 3.1
	 * on two cores; the seconds for other graphs and orders of vertices
	 * differ less):
	 *
	 *	batches   2      4      8      14     all rows
	 *	seconds   0.080  0.067  0.068  0.070  0.072
	 */
	WINDOW_BATCHES = 4,
	/* If lanes are bits, a window on a CPU has this number of batches for
	   each processor. The number is smaller than WINDOW_BATCHES, because a
	   batch has more lanes if lanes are bits. */
	WINDOW_BATCHES_BITS = 1,
	/* A window has at most 1/4 of all rows, so that a solve takes fewer
	   bytes of memory than its tables have. But a window has at least one
	   batch for each processor. */
	WINDOW_SHARE = 4,
};

uint64_t apsp_own_bytes_matrix(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)tuning;
	return apsp_panels_bytes(
		       work->n_vertices, work->n_vertices, work->element) +
	       sizeof(uint32_t) * (work->n_vertices + 1);
}

uint64_t apsp_own_bytes_tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t tiles = apsp_panels_tiles(work->n_vertices);

	(void)tuning;
	return tiles * tiles * 16 + sizeof(uint32_t);
}

/* Return the bytes of a batch of bf-edges or bfs-levels: its rows, one mark for
   each row, and one mark for all rows. */
static uint64_t edge_batch(const struct apsp_workload *work, uint32_t lanes,
	uint32_t word_bytes, const struct apsp_tuning *tuning)
{
	uint64_t row = work->n_vertices * word_bytes;
	uint64_t rows = apsp_batch_size_edge_rows(
		work->n_vertices, work->n_arcs, lanes, word_bytes, tuning);

	return rows * (row + sizeof(uint32_t)) + sizeof(uint32_t);
}

uint64_t apsp_own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint32_t value = work->element == APSP_ELEMENT_F64 ? 8 : 4;
	uint64_t list = work->n_arcs * (2 * sizeof(uint32_t) + value);

	return list + edge_batch(work, 1, value, tuning);
}

uint64_t apsp_own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t list = work->n_arcs * 2 * sizeof(uint32_t);
	uint32_t lanes = tuning->level_lanes;

	return list + edge_batch(work, lanes, lanes, tuning);
}

uint64_t apsp_own_bytes_edges_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)work;
	return tuning->edge_rows;
}

uint64_t apsp_own_bytes_levels_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)work;
	return (uint64_t)tuning->edge_rows * tuning->level_lanes;
}

uint64_t apsp_own_bytes_all_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)tuning;
	return apsp_panels_tiles(work->n_vertices) * APSP_TILE;
}

uint64_t apsp_own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t tiles = apsp_panels_tiles(work->n_vertices);
	uint64_t places =
		tiles < APSP_STREAMED_PLACES ? tiles : APSP_STREAMED_PLACES;

	(void)tuning;
	return places * tiles * (uint64_t)APSP_TILE * APSP_TILE *
	       apsp_element_size(work->element);
}

static struct apsp_lane_batch batch_of(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	/* If the number of useful arcs is not known, n_useful is 0, and the
	   sizes are upper bounds: on a GPU, more batches are computed together
	   if there are fewer arcs. */
	return apsp_batch_size_lanes(work->n_vertices, work->n_useful,
		work->element, work->unit_lengths, tuning);
}

/* Return the bytes of the batches, of a copy of the useful arcs, and of two
   numbers for each vertex: the index of the vertex's first arc, and the
   position of the vertex in the order of a sweep. */
uint64_t apsp_own_bytes_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	struct apsp_lane_batch batch = batch_of(work, tuning);
	uint64_t arcs = apsp_cost_useful(work) *
			(sizeof(uint32_t) + apsp_element_size(work->element));
	uint64_t vertices = (2 * work->n_vertices + 3) * sizeof(uint32_t);
	/* for widest paths on CPUs, V of the paths to and from the root */
	uint64_t root = work->widest && !tuning->gpu
				? 2 * work->n_vertices *
					  apsp_element_size(work->element)
				: 0;
	uint64_t d = work->likely && work->hops > 0
			     ? apsp_batch_size_written(&batch, work->hops)
			     : batch.d_bytes;
	uint64_t each = d + batch.marks_bytes + BATCH_BYTES;

	return arcs + vertices + root + batch.n_together * each;
}

uint64_t apsp_own_bytes_lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return batch_of(work, tuning).d_bytes;
}

uint64_t apsp_own_bytes_lanes_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return batch_of(work, tuning).sources;
}

/*
 * On a CPU a window has a few batches for each processor, so that some of the
 * new rows are still in the processors' caches when the rows are downloaded. On
 * a GPU a window has all rows.
 */
uint64_t apsp_own_bytes_lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t lanes = batch_of(work, tuning).lanes;
	uint64_t least = apsp_parallel_processors();
	/* Number of sources in a window for each processor. The number assumes
	   that a batch has all lanes that lane_bytes allows. If batches have
	   fewer lanes, a window has more batches. */
	uint64_t sources = work->unit_lengths
				   ? lanes * WINDOW_BATCHES_BITS
				   : tuning->lane_bytes /
					     apsp_element_size(work->element) *
					     WINDOW_BATCHES;
	uint64_t batches = least * sources / lanes;
	uint64_t share = work->n_vertices / WINDOW_SHARE / lanes;
	uint64_t rows;

	/* If `batches` is more than `share`, reduce it to `share`, rounded down
	   so that all processors get the same number of batches. But keep at
	   least one batch for each processor. */
	if (batches > share)
		batches = share > least ? share - share % least : least;
	rows = tuning->gpu ? work->n_vertices : batches * lanes;
	return (rows + APSP_TILE - 1) / APSP_TILE * APSP_TILE;
}
