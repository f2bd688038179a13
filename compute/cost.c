/*
 * The table of costs; see cost.h.
 */
#include "compute/cost.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/parallel.h"
#include "compute/tuning.h"

enum {
	/* Of the algorithms' own files; tests/test_footprint.c compares. */
	STREAMED_PLACES = 5,
	EDGE_ROWS_LEAST = 16,
	BITS_LANES = 512,
	BATCH_BYTES = 24, /* of a batch, however few vertices there are */
	/*
	 * Batches that each processor has of a window on a CPU. PoCL 3.1, two
	 * cores, a whole solve of rome99 in 32 bits with 2, 4, 8, 14 of values
	 * and all at once: 0.080, 0.067, 0.068, 0.070, 0.072 s; its inverse and
	 * graphs whose vertices are numbered at random differ less. Bits have
	 * more lanes.
	 */
	WINDOW_BATCHES = 4,
	WINDOW_BATCHES_BITS = 1,
	/* Of all rows, for less memory than the tables; but no processor idles.
	 */
	WINDOW_SHARE = 4,
	VISITS_GUESS = 6, /* of each arc */
};

static double tiles_of(const struct apsp_workload *work)
{
	return ceil((double)work->n_vertices / APSP_TILE);
}

static double padded(const struct apsp_workload *work)
{
	return APSP_TILE * tiles_of(work);
}

/*
 * All relaxations but those through tiles of nothing but infinity. One
 * component that holds a share p of the vertices, the others alone, reaches
 * p^2 of the pairs and needs p^3 of the work.
 */
static double cubic(const struct apsp_workload *work)
{
	return pow(padded(work), 3) * pow(work->reachable, 1.5);
}

static double whole_cubic(const struct apsp_workload *work)
{
	return pow(padded(work), 2) * (double)work->n_vertices;
}

static double no_steps(const struct apsp_workload *work)
{
	(void)work;
	return 0;
}

static double vertex_steps(const struct apsp_workload *work)
{
	return (double)work->n_vertices;
}

/* Bellman–Ford's: one for each arc of a path, and one that changes nothing. */
static double rounds(const struct apsp_workload *work)
{
	/* where it is not known: between a small world's and a grid's */
	double hops = work->hops ? (double)work->hops
				 : sqrt((double)work->n_vertices);

	return hops + 1;
}

static double rounds_cubic(const struct apsp_workload *work)
{
	return rounds(work) * pow(padded(work), 3);
}

/* All arcs in each round. */
static double rounds_edges(const struct apsp_workload *work)
{
	return rounds(work) * (double)work->n_vertices * (double)work->n_arcs;
}

/* The looks at arcs of all batches, a source each. */
static double pushes(const struct apsp_workload *work)
{
	double n = (double)work->n_vertices;
	double visits = work->visits;

	if (visits <= 0)
		visits = VISITS_GUESS * (double)work->n_arcs * work->reachable;
	return n * visits;
}

/* Rows of V that are begun and written, whatever becomes of the arcs. */
static double pairs(const struct apsp_workload *work)
{
	return pow((double)work->n_vertices, 2);
}

/*
 * A GPU sweeps over all vertices for each batch of sources, as often as
 * Bellman–Ford goes round: H200 took 114 sweeps where paths have 108 arcs
 * (rome99), 129 for 131 (grid:64), 12 for 6 (rmat:12:32), 19 for 17
 * (sparse:32768:50).
 */
static double swept_pairs(const struct apsp_workload *work)
{
	return rounds(work) * pairs(work);
}

static const char *needs_unit_lengths(const struct apsp_workload *work)
{
	return work->unit_lengths
		       ? NULL
		       : "it counts arcs, and here they have lengths";
}

/* A squaring doubles the hops that V knows; the last one changes nothing. */
static double squarings(const struct apsp_workload *work)
{
	return ceil(log2(rounds(work))) + 1;
}

static double squared_cubic(const struct apsp_workload *work)
{
	return squarings(work) * cubic(work);
}

static double squared_steps(const struct apsp_workload *work)
{
	return squarings(work) * tiles_of(work);
}

/* Dijkstra's heap: an arc and, for each vertex, the depth of the heap. */
static double dijkstras(const struct apsp_workload *work)
{
	double n = (double)work->n_vertices;

	return n * ((double)work->n_arcs + n * log2(n + 2));
}

/* Sums of tiles before and after. */
static uint64_t tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t tiles = (uint64_t)tiles_of(work);

	(void)tuning;
	return apsp_bytes_add(
		apsp_bytes_multiply(tiles, tiles * 16), sizeof(uint32_t));
}

/* The weights have panels of their own; and a mark for each source. */
static uint64_t weights(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	(void)tuning;
	return apsp_bytes_add(apsp_panels_bytes(work->n_vertices,
				      work->n_vertices, work->element),
		sizeof(uint32_t) * (work->n_vertices + 1));
}

/* Rows of a batch over the arcs, each of so many sources and bytes a vertex. */
static uint64_t edge_rows(const struct apsp_workload *work,
	const struct apsp_tuning *tuning, uint64_t sources, uint64_t value)
{
	uint64_t row = apsp_bytes_multiply(work->n_vertices, value);
	uint64_t all =
		work->n_vertices / sources + (work->n_vertices % sources > 0);
	uint64_t rows = tuning->launch_arcs / (work->n_arcs * sources + 1);
	uint64_t fit = tuning->batch_bytes / (row + 1);

	if (rows < EDGE_ROWS_LEAST)
		rows = EDGE_ROWS_LEAST;
	if (rows > fit)
		rows = fit > 0 ? fit : 1;
	if (rows > all)
		rows = all;
	return apsp_bytes_add(apsp_bytes_multiply(rows, row + sizeof(uint32_t)),
		sizeof(uint32_t));
}

static uint64_t edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t value = work->element == APSP_ELEMENT_F64 ? 8 : 4;
	uint64_t list =
		apsp_bytes_multiply(work->n_arcs, 2 * sizeof(uint32_t) + value);

	return apsp_bytes_add(list, edge_rows(work, tuning, 1, value));
}

static uint64_t levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t list = apsp_bytes_multiply(work->n_arcs, 2 * sizeof(uint32_t));
	uint64_t lanes = tuning->level_lanes;

	return apsp_bytes_add(list, edge_rows(work, tuning, lanes, lanes));
}

/* What a batch of multi-source has: lanes of values, or of bits. */
struct batch {
	uint64_t lanes;
	uint64_t rows;	/* bytes */
	uint64_t marks; /* bytes */
};

static struct batch values_batch(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t lanes = tuning->lane_bytes / apsp_element_size(work->element);
	uint64_t mark = tuning->gpu ? sizeof(uint32_t) : 1;

	return (struct batch){lanes,
		apsp_bytes_multiply(work->n_vertices, tuning->lane_bytes),
		apsp_bytes_multiply(work->n_vertices, mark)};
}

static struct batch bits_batch(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t words = work->element == APSP_ELEMENT_U16 ? 18 : 23;
	uint64_t bytes = tuning->gpu ? tuning->lane_bytes : BITS_LANES / 8;
	uint64_t lanes = tuning->gpu ? 8 * bytes : BITS_LANES;

	return (struct batch){lanes,
		apsp_bytes_multiply(work->n_vertices, words * bytes),
		apsp_bytes_multiply(work->n_vertices, sizeof(uint32_t))};
}

static struct batch batch_of(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return work->unit_lengths ? bits_batch(work, tuning)
				  : values_batch(work, tuning);
}

/* All batches that are on the device at once. */
static uint64_t batches(const struct apsp_workload *work,
	const struct apsp_tuning *tuning, struct batch batch)
{
	uint64_t n = work->n_vertices / batch.lanes +
		     (!tuning->gpu || work->n_vertices % batch.lanes > 0);
	uint64_t most = apsp_parallel_width();

	if (tuning->gpu) {
		uint64_t row = apsp_bytes_multiply(
			work->n_vertices, tuning->lane_bytes);
		uint64_t held = tuning->lanes_bytes / (row + 1);
		uint64_t done = tuning->launch_relaxations /
				(work->n_arcs * batch.lanes + 1);

		most = held < done ? held : done;
	}
	if (most < 1)
		most = 1;
	return apsp_bytes_multiply(n < most ? n : most,
		apsp_bytes_add(batch.rows, batch.marks + BATCH_BYTES));
}

/* The arcs once more, with each vertex' row and turn, and the batches. */
static uint64_t lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t arcs = apsp_bytes_add(
		apsp_bytes_multiply(work->n_arcs,
			sizeof(uint32_t) + apsp_element_size(work->element)),
		apsp_bytes_multiply(
			2 * work->n_vertices + 3, sizeof(uint32_t)));

	return apsp_bytes_add(
		arcs, batches(work, tuning, batch_of(work, tuning)));
}

static uint64_t batch_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return batch_of(work, tuning).lanes;
}

/*
 * A few batches for each processor on a CPU, whose cache then holds some of
 * what they make; all that there is on a GPU.
 */
static uint64_t lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t lanes = batch_lanes(work, tuning);
	uint64_t least = apsp_parallel_width();
	uint64_t batches = least * (work->unit_lengths ? WINDOW_BATCHES_BITS
						       : WINDOW_BATCHES);
	uint64_t share = work->n_vertices / WINDOW_SHARE / lanes;
	uint64_t rows;

	if (batches > share)
		batches = share > least ? share : least;
	rows = tuning->gpu ? work->n_vertices : batches * lanes;
	return (rows + APSP_TILE - 1) / APSP_TILE * APSP_TILE;
}

/* However few batches there are at once, one is. */
static uint64_t lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	return batch_of(work, tuning).rows;
}

static const char *walks_arcs(const struct apsp_workload *work)
{
	return work->n_arcs <= UINT32_MAX ? NULL
					  : "it takes no more than 2^32 arcs";
}

/* Pivots and a ring of slabs, each of one tile row at least. */
static uint64_t slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint64_t tiles = (uint64_t)tiles_of(work);
	uint64_t places = tiles < STREAMED_PLACES ? tiles : STREAMED_PLACES;

	(void)tuning;
	return apsp_bytes_multiply(
		places * tiles, (uint64_t)APSP_TILE * APSP_TILE *
					apsp_element_size(work->element));
}

#define BF_DENSE(form)                                                         \
	{                                                                      \
		.name = "bf-dense-" form, .operations = rounds_cubic,          \
		.steps = rounds, .own_bytes = weights                          \
	}

const struct apsp_cost apsp_costs[APSP_COST_IDS] = {
	[APSP_COST_BF_DENSE_REDUCE] = BF_DENSE("reduce"),
	[APSP_COST_BF_DENSE_TRANSPOSED] = BF_DENSE("transposed"),
	[APSP_COST_BF_DENSE_VERTEX] = BF_DENSE("vertex"),
	[APSP_COST_BF_EDGES] = {.name = "bf-edges",
		.wide_atomics = true,
		.operations = rounds_edges,
		.steps = rounds,
		.own_bytes = edges},
	[APSP_COST_BFS_LEVELS] = {.name = "bfs-levels",
		.operations = rounds_edges,
		.steps = rounds,
		.own_bytes = levels,
		.unfit = needs_unit_lengths},
	[APSP_COST_BLOCKED_FW] = {.name = "blocked-fw",
		.competes = true,
		.operations = cubic,
		.steps = tiles_of},
	[APSP_COST_FW] = {.name = "fw",
		.operations = whole_cubic,
		.steps = vertex_steps},
	[APSP_COST_MINPLUS_SQUARING] = {.name = "minplus-squaring",
		.operations = squared_cubic,
		.steps = squared_steps,
		.own_bytes = tile_sums,
		.own_buffer = tile_sums},
	[APSP_COST_MULTI_SOURCE] = {.name = "multi-source",
		.competes = true,
		.operations = pushes,
		.steps = pairs,
		.gpu_steps = swept_pairs,
		.steps_are_pairs = true,
		.window = lanes_window,
		.lanes = batch_lanes,
		.own_bytes = lanes,
		.own_buffer = lanes_buffer,
		.unfit = walks_arcs},
	[APSP_COST_REFERENCE] = {.name = "reference",
		.home = APSP_COST_ON_HOST,
		.operations = dijkstras,
		.steps = no_steps},
	[APSP_COST_STREAMED_FW] = {.name = "streamed-fw",
		.home = APSP_COST_STREAMED,
		.competes = true,
		.stands_in = true,
		.operations = cubic,
		.steps = tiles_of,
		.own_bytes = slabs},
};

double apsp_cost_steps(const struct apsp_cost *cost,
	const struct apsp_workload *work, bool gpu)
{
	return gpu && cost->gpu_steps ? cost->gpu_steps(work)
				      : cost->steps(work);
}

int apsp_cost_find(const char *name)
{
	for (int i = 0; i < APSP_COST_IDS; i++)
		if (strcmp(apsp_costs[i].name, name) == 0)
			return i;
	return -1;
}
