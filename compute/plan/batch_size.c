/*
 * Computes the sizes of batches of sources; see batch_size.h.
 */
#include "compute/plan/batch_size.h"

#include <limits.h>

#include "compute/parallel.h"

enum {
	/* The smallest number of rows in a batch of `bf-edges` or `bfs-levels`.
	   16 rows are enough to keep a CPU busy. */
	EDGE_ROWS_LEAST = 16,
	/* In kernels/multi_source_cpu.cl, each vertex has a mark of one bit. A
	   word has the marks of this number of vertices. */
	MARKS_OF_WORD = 64,
	/*
	 * On a CPU, a batch has so many sources that their values at one vertex
	 * (the lanes of the batch) take at least this number of bytes: two
	 * cache lines, which processors fetch together. With 64 bytes, solves
	 * were slower (tuning.c, lanes_bytes).
	 */
	LANE_BYTES_LEAST = 128,
	/* The number of sources of a batch in kernels/multi_source_bits_cpu.cl.
	   Each source has a lane of one bit. */
	BITS_LANES = 512,
	/*
	 * A batch with half as many sources as a full batch takes HALF_COST /
	 * WHOLE_COST of a full batch's time. Measured seconds of a whole solve
	 * with different numbers of sources in a batch (larva with all lengths
	 * 1, 16 processors, PoCL 5.0). With 128 sources in a batch, some
	 * processors solve two batches one after the other.
	 *
	 *	sources   512     256     128
	 *	seconds   0.0119  0.0087  0.0131
	 */
	HALF_COST = 3,
	WHOLE_COST = 4,
	BITS_SOURCES_LEAST = 64,
	/*
	 * If all lengths are 1, a batch has several words at each vertex. A
	 * word has one bit (a lane) for each source. There is one word for each
	 * bit of a distance, and BITS_WORDS words more: `seen` and two fronts,
	 * which are the sets of sources that have reached the vertex, at any
	 * time or in a certain level (kernels/multi_source_bits_cpu.cl).
	 */
	BITS_WORDS = 3,
	/* Number of planes if the values of the distance matrix V have 16 bits.
	   There is one plane for each bit of a distance. Distances of 16 bits
	   are less than 2^15. */
	PLANES_U16 = 15,
	/* Smallest number of planes (one for each bit of a distance) if the
	   values of the distance matrix V have more than 16 bits. All graphs of
	   up to 2^20 vertices with wide values have this number of planes, so
	   that they use the same compiled kernels. */
	PLANES_WIDE = 20,
	/* Size in bytes of the pages in which Linux allocates large buffers
	   (compute/device/device_buffer.c). */
	HUGE_PAGE = 2 << 20,
	/*
	 * On a GPU, the time that the algorithm `multi-source` needs to visit
	 * an arc, divided by the time that the algorithm `blocked-fw` needs for
	 * a relaxation. A relaxation is faster, because its values are held in
	 * registers.
	 */
	PULL_COST = 4,
};

uint64_t apsp_batch_size_edge_rows(uint64_t n_vertices, uint64_t n_arcs,
	uint32_t lanes, uint32_t word_bytes, const struct apsp_tuning *tuning)
{
	uint64_t row = n_vertices * word_bytes;
	uint64_t all = n_vertices / lanes + (n_vertices % lanes > 0);
	uint64_t visits = n_arcs * lanes;
	uint64_t rows = tuning->launch_arcs / (visits + 1);
	uint64_t fit = tuning->batch_bytes / (row + 1);

	if (rows < EDGE_ROWS_LEAST)
		rows = EDGE_ROWS_LEAST;
	if (rows > fit)
		rows = fit > 0 ? fit : 1;
	return rows < all ? rows : all;
}

uint32_t apsp_batch_size_lane_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning)
{
	uint32_t bytes = tuning->lane_bytes;

	while (!tuning->gpu && bytes > LANE_BYTES_LEAST &&
		n_vertices * bytes > tuning->lanes_bytes)
		bytes /= 2;
	return bytes;
}

static struct apsp_lane_batch values_batch(uint64_t n_vertices,
	enum apsp_element element, const struct apsp_tuning *tuning)
{
	uint64_t words =
		n_vertices / MARKS_OF_WORD + (n_vertices % MARKS_OF_WORD > 0);

	uint32_t bytes = apsp_batch_size_lane_bytes(n_vertices, tuning);

	return (struct apsp_lane_batch){
		.lanes = bytes / (uint32_t)apsp_element_size(element),
		.d_bytes = n_vertices * bytes,
		.marks_bytes = tuning->gpu ? n_vertices * sizeof(uint32_t)
					   : words * sizeof(uint64_t),
	};
}

/* Return the number of bits (planes) in which a distance is stored. All lengths
   are 1, so a distance is a number of arcs, which is less than n_vertices. */
static uint32_t planes_of(uint64_t n_vertices, enum apsp_element element)
{
	uint32_t planes = PLANES_WIDE;

	if (element == APSP_ELEMENT_U16)
		return PLANES_U16;
	while (planes < 32 && (n_vertices - 1) >> planes > 0)
		planes++;
	return planes;
}

static struct apsp_lane_batch bits_batch(uint64_t n_vertices,
	enum apsp_element element, const struct apsp_tuning *tuning)
{
	uint32_t planes = planes_of(n_vertices, element);
	uint64_t words = BITS_WORDS + planes;
	uint32_t lanes =
		tuning->gpu ? CHAR_BIT * tuning->lane_bytes : BITS_LANES;

	return (struct apsp_lane_batch){
		.lanes = lanes,
		.d_bytes = n_vertices * (words * (lanes / CHAR_BIT)),
		.marks_bytes = n_vertices * sizeof(uint32_t),
		.planes = planes,
	};
}

/* Return the number of batches that a GPU can solve together. It is the smaller
   of two numbers: the number of batches that fit the GPU's cache, and the
   number of batches whose arcs one launch can visit. */
static uint64_t together_on_gpu(uint64_t n_vertices, uint64_t n_arcs,
	uint32_t lanes, const struct apsp_tuning *tuning)
{
	uint64_t row = n_vertices * tuning->lane_bytes;
	uint64_t visits = n_arcs * lanes;
	uint64_t held = tuning->lanes_bytes / (row + 1);
	uint64_t done = tuning->launch_relaxations / PULL_COST / (visits + 1);

	return held < done ? held : done;
}

/* Return the number of batches that the busiest of `width` processors solves.
   If `width` is 1, this is the number of all batches. */
static uint64_t turns_of(
	uint64_t n_vertices, uint32_t sources, unsigned int width)
{
	uint64_t batches = n_vertices / sources + (n_vertices % sources > 0);

	return batches / width + (batches % width > 0);
}

/*
 * Return the number of sources in a batch in which each source has one bit (a
 * lane) of every word. The function begins with `lanes` sources, and halves
 * their number as long as each halving shortens the estimated time in which
 * `width` processors solve all batches. The result is at least
 * BITS_SOURCES_LEAST.
 */
static uint32_t sources_of(
	uint64_t n_vertices, uint32_t lanes, unsigned int width)
{
	uint32_t sources = lanes;

	while (sources > BITS_SOURCES_LEAST &&
		turns_of(n_vertices, sources / 2, width) * HALF_COST <
			turns_of(n_vertices, sources, width) * WHOLE_COST)
		sources /= 2;
	return sources;
}

struct apsp_lane_batch apsp_batch_size_lanes(uint64_t n_vertices,
	uint64_t n_arcs, enum apsp_element element, bool unit_lengths,
	uint64_t largest_buffer_bytes, const struct apsp_tuning *tuning)
{
	struct apsp_lane_batch batch =
		unit_lengths ? bits_batch(n_vertices, element, tuning)
			     : values_batch(n_vertices, element, tuning);
	unsigned int width = apsp_parallel_processors();
	uint64_t all;

	batch.sources = batch.lanes;
	if (unit_lengths && !tuning->gpu)
		batch.sources = sources_of(n_vertices, batch.lanes, width);
	batch.n_together = tuning->gpu ? together_on_gpu(n_vertices, n_arcs,
						 batch.lanes, tuning)
				       : width;
	all = turns_of(n_vertices, batch.sources, 1);
	if (batch.n_together > all)
		batch.n_together = all;
	if (batch.n_together * batch.d_bytes > largest_buffer_bytes)
		batch.n_together = largest_buffer_bytes / batch.d_bytes;
	if (batch.n_together == 0)
		batch.n_together = 1;
	return batch;
}

uint64_t apsp_batch_size_written(
	const struct apsp_lane_batch *batch, uint64_t hops)
{
	uint32_t planes = 1;
	uint64_t written;

	if (batch->planes == 0)
		return batch->d_bytes;
	while (planes < batch->planes && hops >> planes > 0)
		planes++;
	written = batch->d_bytes / (BITS_WORDS + batch->planes) *
			  (BITS_WORDS + planes) +
		  HUGE_PAGE;
	return written < batch->d_bytes ? written : batch->d_bytes;
}
