/*
 * Makes the table of algorithms, and the lists of their names, from
 * algorithm_list.h; see algorithm.h. The functions here are the formulas for
 * operations, steps and bytes that algorithm_list.h names.
 */
#include "compute/plan/algorithm.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compute/parallel.h"
#include "compute/plan/batch_size.h"
#include "compute/plan/cost.h"
#include "compute/plan/footprint.h"
#include "compute/plan/tuning.h"

/* The time to find the list of a vertex's arcs, divided by the time to visit
   one arc. */
#define ROW_ARCS 3.0

/* In a road network, `blocked-fw` makes this share of all relaxations, and
   skips the other relaxations. */
#define ROAD_FILL 0.6

/* Return the number of steps: one for each row of tiles. */
static double cost_tile_rows(const struct apsp_workload *work)
{
	return ceil((double)work->n_vertices / APSP_TILE);
}

/*
 * Return the number of operations: n³ relaxations, minus the relaxations in
 * tiles that stay infinite to the end.
 *
 * The formula supposes that one component has a share p of all vertices, and
 * that every other component has one vertex. Then the share of pairs that have
 * a path, work->reachable, is p², and the algorithm makes a share p³ of all
 * relaxations. So the exponent of work->reachable is 1.5. Vertices are padded
 * to whole tiles.
 */
static double cost_cubic(const struct apsp_workload *work)
{
	return pow(APSP_TILE * cost_tile_rows(work), 3) *
	       pow(work->reachable, 1.5);
}

/*
 * Return the number of operations: the result of cost_cubic(), minus the
 * relaxations that `blocked-fw` skips because a tile has no finite distance
 * yet.
 *
 * If vertices have few neighbours, the matrix fills slowly, and `blocked-fw`
 * makes only a part of all relaxations. Measured shares:
 *
 *	           H200   PoCL
 *	rome99     0.87   0.58
 *	grid:64    0.64   0.64
 *	grid:128   0.46   0.44
 */
static double cost_filled_cubic(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 1);
	bool road = apsp_cost_is_road((double)work->n_arcs / n, work->hubs);

	return cost_cubic(work) * (road ? ROAD_FILL : 1);
}

/*
 * Return how often the algorithm `multi-source` visits each useful arc while it
 * solves one batch of sources. The number of visits grows with the number of
 * arcs of the longest path. Measured ("under hops" means that all lengths are
 * 1):
 *
 *	graph                         arcs of the longest path   visits
 *	connectomes, random graphs    11 to 18                   2.4 to 5.1
 *	grid:24                       46                         4.2
 *	grid:64                       131                        6.8
 *	grid:128                      265                        12.3
 *	rome99                        108                        9.4
 *	rmat:12:32 (hubs)                                        2.2
 *	rmat:12:32 under hops         6                          1.5
 *	larva under hops              12                         1.6
 *	rome99 under hops             52                         3.6
 */
static double visits_per_arc(const struct apsp_workload *work)
{
	double hops = (double)work->hops;

	if (work->visits > 0)
		return work->visits;
	if (work->unit_lengths)
		return 1.3 + 0.044 * hops;
	return work->hubs ? 2.2 : fmax(4.5, 2.5 + 0.037 * hops);
}

/* Return the number of operations: the visits of useful arcs by the batches of
   `multi-source`. */
static double cost_visits(const struct apsp_workload *work)
{
	return (double)work->n_vertices * (double)apsp_cost_useful(work) *
	       work->reachable * visits_per_arc(work);
}

/*
 * Return the number of operations on a CPU: the result of cost_visits(), plus
 * the time to find the lists of arcs, counted in operations.
 *
 * Before the algorithm `multi-source` follows the arcs of a vertex, it must
 * find the list of these arcs. Finding a list takes as long as ROW_ARCS visits
 * of an arc. In measurements, the time for each visited arc was 1.7 times as
 * long in graphs with 3 or 4 arcs for each vertex (rome99, grid:64) as in
 * graphs with 8 arcs for each vertex.
 */
static double cost_row_visits(const struct apsp_workload *work)
{
	double useful = fmax((double)apsp_cost_useful(work), 1);
	double rows = work->unit_lengths
			      ? 0
			      : ROW_ARCS * (double)work->n_vertices / useful;

	return cost_visits(work) * (1 + rows);
}

/* Return the number of rounds of Bellman–Ford: one round for each arc of the
   longest path, and a last round that changes nothing. */
static double rounds(const struct apsp_workload *work)
{
	/* if the number of hops is not known, assume a number between the hops
	   of a small world and the hops of a grid */
	double hops = work->hops ? (double)work->hops
				 : sqrt((double)work->n_vertices);

	return hops + 1;
}

/* Return the number of pairs of vertices. Each pair counts as a step (cost.h):
   even if there are few arcs, the algorithm `multi-source` initializes and
   writes all of the distance matrix V. */
static double pairs(const struct apsp_workload *work)
{
	return pow((double)work->n_vertices, 2);
}

/*
 * Return the number of steps on a CPU: one for each pair of vertices. If all
 * lengths are 1, there are several steps for each pair, because the
 * breadth-first searches of a batch reach a vertex in several rounds.
 *
 * In each of these rounds, `multi-source` handles the vertex once. The number
 * of rounds grows with the number of arcs of the paths, but not in proportion,
 * because neighbouring sources often reach a vertex in the same round. The
 * function assumes that each vertex is reached in sqrt(rounds()) rounds.
 * Measured seconds without the visits of arcs (PoCL 3.1, two cores):
 *
 *	                arcs of the longest path   seconds of a pair
 *	sparse:2048:8   7                          4.2e-10
 *	rmat:12:32      4                          4.9e-10
 *	larva           11                         9e-10
 *	rome99          52                         13e-10
 *	grid:64         124                        12e-10
 */
static double cost_passed_pairs(const struct apsp_workload *work)
{
	return pairs(work) * (work->unit_lengths ? sqrt(rounds(work)) : 1);
}

/*
 * Return the number of steps on a GPU: one for each pair of vertices in each
 * sweep.
 *
 * For each batch of sources, a GPU makes about as many sweeps over all vertices
 * as Bellman–Ford has rounds. Measured on an H200:
 *
 *	                  arcs of the longest path   sweeps
 *	rome99            108                        114
 *	grid:64           131                        129
 *	rmat:12:32        6                          12
 *	sparse:32768:50   17                         19
 */
static double cost_swept_pairs(const struct apsp_workload *work)
{
	return rounds(work) * pairs(work);
}

/* The device memory that algorithms allocate for themselves, in addition to the
   distance matrix V and the arcs. The functions own_bytes_*() below return the
   numbers of bytes. tests/test_footprint.c compares these numbers with the
   bytes that solves allocate. */

enum {
	/* bytes of the state and the counters of a batch of `multi-source` */
	BATCH_BYTES = 24,
	/*
	 * A window is the rows of the distance matrix V that are computed at a
	 * time. On a CPU, a window has this number of batches for each
	 * processor if a batch holds a value for each of its sources at each
	 * vertex. Measured seconds of whole solves of rome99 in 32 bits (PoCL
	 * 3.1 on two cores; with other graphs and other orders of vertices, the
	 * number of batches changes the seconds less):
	 *
	 *	batches   2      4      8      14     all rows
	 *	seconds   0.080  0.067  0.068  0.070  0.072
	 */
	WINDOW_BATCHES = 4,
	/* On a CPU, a window has this number of batches for each processor if a
	   batch holds only a bit for each of its sources at each vertex. The
	   number is smaller than WINDOW_BATCHES, because a batch of bits has
	   more sources than a batch of values. */
	WINDOW_BATCHES_BITS = 1,
	/* A window has at most 1/4 of all rows, so that a solve takes fewer
	   bytes than its tables. But a window has at least one batch for each
	   processor. */
	WINDOW_SHARE = 4,
};

/* Return the bytes that the algorithms `bf-dense-*` allocate: the bytes of a
   second matrix, and of a mark for each source. */
static uint64_t own_bytes_matrix(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)tuning;
	return apsp_panels_bytes(
		       work->n_vertices, work->n_vertices, work->element) +
	       sizeof(uint32_t) * (work->n_vertices + 1);
}

/* Return the bytes that `minplus-squaring` allocates: the bytes of two
   checksums for each tile, and of a flag that is set if a squaring changed a
   value. */
static uint64_t own_bytes_tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t tiles = apsp_panels_tiles(work->n_vertices);

	(void)tuning;
	return tiles * tiles * 16 + sizeof(uint32_t);
}

/* Return the bytes of a batch of `bf-edges` or `bfs-levels`: its rows, one mark
   for each row, and one mark for all rows. */
static uint64_t edge_batch(const struct apsp_workload *work, uint32_t lanes,
	uint32_t word_bytes, const struct apsp_tuning *tuning)
{
	uint64_t row = work->n_vertices * word_bytes;
	uint64_t rows = apsp_batch_size_edge_rows(
		work->n_vertices, work->n_arcs, lanes, word_bytes, tuning);

	return rows * (row + sizeof(uint32_t)) + sizeof(uint32_t);
}

/* Return the bytes that `bf-edges` allocates: the bytes of the list of edges,
   and of a batch of rows. */
static uint64_t own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint32_t value = work->element == APSP_ELEMENT_F64 ? 8 : 4;
	uint64_t list = work->n_arcs * (2 * sizeof(uint32_t) + value);

	return list + edge_batch(work, 1, value, tuning);
}

/* Return the bytes that `bfs-levels` allocates: the bytes of the list of edges,
   and of a batch of rows. */
static uint64_t own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t list = work->n_arcs * 2 * sizeof(uint32_t);
	uint32_t lanes = tuning->level_lanes;

	return list + edge_batch(work, lanes, lanes, tuning);
}

/* Return the number of sources whose rows a work-item of `bf-edges` solves
   together: the member `lanes` of struct apsp_algorithm. */
static uint64_t own_bytes_edges_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)work;
	return tuning->edge_rows;
}

/* Return the number of sources whose rows a work-item of `bfs-levels` solves
   together: the member `lanes` of struct apsp_algorithm. */
static uint64_t own_bytes_levels_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)work;
	return (uint64_t)tuning->edge_rows * tuning->level_lanes;
}

/* Return how many rows the algorithms `bf-edges` and `bfs-levels` should
   compute at a time if there is enough memory: the member `window` of struct
   apsp_algorithm. They should compute all rows of the distance matrix V,
   rounded up to whole tiles. */
static uint64_t own_bytes_all_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)tuning;
	return apsp_panels_tiles(work->n_vertices) * APSP_TILE;
}

/* Return the smallest number of bytes that `streamed-fw` allocates. It then has
   at most APSP_STREAMED_PLACES slabs, each of one row of tiles. */
static uint64_t own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t tiles = apsp_panels_tiles(work->n_vertices);
	uint64_t places =
		tiles < APSP_STREAMED_PLACES ? tiles : APSP_STREAMED_PLACES;

	(void)tuning;
	return places *
	       apsp_panels_buffer_bytes(work->n_vertices, 1, work->element, 1);
}

static struct apsp_lane_batch batch_of(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	/* If the number of useful arcs is not known, n_useful is 0. The sizes
	   are then upper bounds, because a GPU computes more batches together
	   if there are fewer arcs. */
	return apsp_batch_size_lanes(work->n_vertices, work->n_useful,
		work->element, work->unit_lengths, UINT64_MAX, tuning);
}

/*
 * Return the bytes that `multi-source` allocates: the bytes of its batches, of
 * a copy of the useful arcs, and of two numbers for each vertex. The numbers
 * are the index of the vertex's first arc, and the position of the vertex in
 * the order of a sweep.
 */
static uint64_t own_bytes_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	struct apsp_lane_batch batch = batch_of(work, tuning);
	uint64_t arcs = apsp_cost_useful(work) *
			(sizeof(uint32_t) + apsp_element_size(work->element));
	uint64_t vertices = (2 * work->n_vertices + 3) * sizeof(uint32_t);
	/* On a CPU, widest paths need the values of the paths from and to the
	   root (root_widths.h). `root` is the number of bytes of these
	   values. */
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

/* Return the least size in bytes of the buffer in which `multi-source` holds
   distances: the member `own_buffer` of struct apsp_algorithm. The least size
   is that of one batch. The buffer holds more batches if the device allows a
   larger buffer. */
static uint64_t own_bytes_lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return batch_of(work, tuning).d_bytes;
}

/* Return the number of sources in one batch of `multi-source`: the member
   `lanes` of struct apsp_algorithm. */
static uint64_t own_bytes_lanes_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return batch_of(work, tuning).sources;
}

/*
 * Return the number of rows of a window of `multi-source`: the member `window`
 * of struct apsp_algorithm.
 *
 * On a CPU a window has a few batches for each processor, so that some of the
 * new rows are still in the processors' caches when the rows are downloaded. On
 * a GPU a window has all rows.
 */
static uint64_t own_bytes_lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t lanes = batch_of(work, tuning).lanes;
	uint64_t least = apsp_parallel_processors();
	/*
	 * The number of sources that a window has for each processor. If all
	 * lengths are 1, these are the sources of WINDOW_BATCHES_BITS batches.
	 * Otherwise they are the sources of WINDOW_BATCHES batches that have
	 * tuning->lane_bytes bytes at each vertex. If the real batches are
	 * smaller, the window has more batches.
	 */
	uint64_t sources = work->unit_lengths
				   ? lanes * WINDOW_BATCHES_BITS
				   : tuning->lane_bytes /
					     apsp_element_size(work->element) *
					     WINDOW_BATCHES;
	uint64_t batches = least * sources / lanes;
	uint64_t share = work->n_vertices / WINDOW_SHARE / lanes;
	uint64_t rows;

	/* If there would be more than `share` batches, take `share` batches,
	   rounded down so that all processors get the same number of batches.
	   But a window has at least one batch for each processor. */
	if (batches > share)
		batches = share > least ? share - share % least : least;
	rows = tuning->gpu ? work->n_vertices : batches * lanes;
	return (rows + APSP_TILE - 1) / APSP_TILE * APSP_TILE;
}

#define HOPS_ONLY_ANY false
#define HOPS_ONLY_SUMS false
#define HOPS_ONLY_ONES true
#define WIDEST_ANY true
#define WIDEST_SUMS false
#define WIDEST_ONES false

const struct apsp_algorithm apsp_algorithms[APSP_N_ALGORITHMS] = {
#define APSP_ALGORITHM(id, stem, text, from, lengths, ...)                     \
	[APSP_ALGORITHM_##id] = {.name = text,                                 \
		.start = APSP_START_##from,                                    \
		.hops_only = HOPS_ONLY_##lengths,                              \
		.widest = WIDEST_##lengths,                                    \
		__VA_ARGS__},
#include "compute/plan/algorithm_list.h"
};

const char *const apsp_algorithm_names[] = {
#define APSP_ALGORITHM(id, stem, name, ...) name,
#define APSP_CLOSURE(id, stem, name, ...) name,
#include "compute/plan/algorithm_list.h"
	NULL,
};

#define NAME_IF_ANY(name)
#define NAME_IF_SUMS(name)
#define NAME_IF_ONES(name) name,

const char *const apsp_algorithm_hops_only[] = {
#define APSP_ALGORITHM(id, stem, name, start, lengths, ...)                    \
	NAME_IF_##lengths(name)
#include "compute/plan/algorithm_list.h"
	NULL,
};

#define NAME_UNLESS_ANY(name)
#define NAME_UNLESS_SUMS(name) name,
#define NAME_UNLESS_ONES(name) name,

const char *const apsp_algorithm_shortest_only[] = {
#define APSP_ALGORITHM(id, stem, name, start, lengths, ...)                    \
	NAME_UNLESS_##lengths(name)
#include "compute/plan/algorithm_list.h"
	NULL,
};

int apsp_algorithm_find(const char *name)
{
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		if (strcmp(apsp_algorithms[i].name, name) == 0)
			return i;
	return -1;
}

double apsp_algorithm_seconds(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, bool gpu,
	const struct apsp_rate *rate)
{
	double operations = gpu && algorithm->gpu_operations
				    ? algorithm->gpu_operations(work)
				    : algorithm->operations(work);
	double steps = gpu && algorithm->gpu_steps ? algorithm->gpu_steps(work)
						   : algorithm->steps(work);

	return operations * rate->operation_s + steps * rate->step_s;
}
