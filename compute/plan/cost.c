/*
 * The shapes of costs; see cost.h.
 */
#include "compute/plan/cost.h"

#include <math.h>
#include <stddef.h>

#include "compute/arc_search.h"
#include "compute/parallel.h"
#include "compute/plan/tuning.h"

enum {
	/*
	 * Of each arc, where the solver does not count, because multi-source
	 * loses anyway or another algorithm is asked for: it is only compared.
	 * In the midst of what graphs take (graph_guess.c).
	 */
	VISITS_GUESS = 6,
};

/* To find a vertex' row takes as long as so many of its arcs. */
#define ROW_ARCS 3.0

/* Arcs that end shortest paths, for each vertex and ln n: around hubs; in
   complete graphs; how many more in sparse ones, by e^(-8 * arcs / n²). */
#define ESSENTIAL_HUBS 0.4
#define ESSENTIAL_COMPLETE 1.1
#define ESSENTIAL_SPARSE 2.0
#define ESSENTIAL_DENSITY 8.0

/* Of the relaxations, those for which it has paths. */
#define ROAD_FILL 0.6

bool apsp_cost_is_road(double degree, bool hubs)
{
	return degree < APSP_ROAD_DEGREE && !hubs;
}

/* Vertices, filled up to whole tiles. */
static double padded(const struct apsp_workload *work)
{
	return APSP_TILE * apsp_cost_tile_rows(work);
}

/*
 * One component that holds a share p of the vertices, the others alone, reaches
 * p² of the pairs and needs p³ of the work.
 */
double apsp_cost_cubic(const struct apsp_workload *work)
{
	return pow(padded(work), 3) * pow(work->reachable, 1.5);
}

/*
 * Where vertices have a few neighbours each, the matrix fills slowly, and tiles
 * without a path are passed over. Of all relaxations H200 and PoCL made 0.87
 * and 0.58 (rome99), 0.64 (grid:64), 0.46 and 0.44 (grid:128).
 */
double apsp_cost_filled_cubic(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 1);
	bool road = apsp_cost_is_road((double)work->n_arcs / n, work->hubs);

	return apsp_cost_cubic(work) * (road ? ROAD_FILL : 1);
}

double apsp_cost_whole_cubic(const struct apsp_workload *work)
{
	return pow(padded(work), 2) * (double)work->n_vertices;
}

double apsp_cost_rounds_cubic(const struct apsp_workload *work)
{
	return apsp_cost_rounds(work) * pow(padded(work), 3);
}

/* A squaring doubles the hops that V knows; the last one changes nothing. */
static double squarings(const struct apsp_workload *work)
{
	return ceil(log2(apsp_cost_rounds(work))) + 1;
}

double apsp_cost_squared_cubic(const struct apsp_workload *work)
{
	return squarings(work) * apsp_cost_cubic(work);
}

double apsp_cost_rounds_arcs(const struct apsp_workload *work)
{
	return apsp_cost_rounds(work) * (double)work->n_vertices *
	       (double)work->n_arcs;
}

double apsp_cost_pushes(const struct apsp_workload *work)
{
	double n = (double)work->n_vertices;
	double visits = work->visits;

	if (visits <= 0)
		visits = VISITS_GUESS * (double)work->n_arcs * work->reachable;
	return n * visits;
}

/*
 * The solver's count is without arcs that it leaves out. Each time a vertex is
 * pushed, finding its row costs as much as some arcs: pushes took 1.7 times as
 * long by the arc where vertices have 3 or 4 (rome99, grid:64) as with 8.
 */
double apsp_cost_kept_pushes(const struct apsp_workload *work)
{
	bool fewer = work->likely && apsp_arc_search_pays(work->n_vertices,
					     work->n_arcs, work->unit_lengths);
	double m = fmax((double)work->n_arcs, 1);
	double kept = fewer ? fmax((double)apsp_cost_essential(work), 1) : m;
	double rows = work->unit_lengths
			      ? 0
			      : ROW_ARCS * (double)work->n_vertices / kept;

	return apsp_cost_pushes(work) * kept / m * (1 + rows);
}

/* For each source the arcs and, for each vertex, the depth of the heap. */
double apsp_cost_dijkstras(const struct apsp_workload *work)
{
	double n = (double)work->n_vertices;

	return n * ((double)work->n_arcs + n * log2(n + 2)) /
	       apsp_parallel_width();
}

double apsp_cost_none(const struct apsp_workload *work)
{
	(void)work;
	return 0;
}

double apsp_cost_vertices(const struct apsp_workload *work)
{
	return (double)work->n_vertices;
}

double apsp_cost_tile_rows(const struct apsp_workload *work)
{
	return ceil((double)work->n_vertices / APSP_TILE);
}

double apsp_cost_squared_tile_rows(const struct apsp_workload *work)
{
	return squarings(work) * apsp_cost_tile_rows(work);
}

/* One for each arc of the longest path, and one that changes nothing. */
double apsp_cost_rounds(const struct apsp_workload *work)
{
	/* not known: between a small world's and a grid's */
	double hops = work->hops ? (double)work->hops
				 : sqrt((double)work->n_vertices);

	return hops + 1;
}

/* Each row of V is begun and written, however few arcs there are. */
static double pairs(const struct apsp_workload *work)
{
	return pow((double)work->n_vertices, 2);
}

/*
 * Of bits, fronts pass a vertex the more often the longer paths are, but those
 * of neighbouring sources pass it together. PoCL 3.1, two cores, 10^-10 s for
 * each pair without the looks at arcs: 4.2 where paths have 7 arcs
 * (sparse:2048:8), 4.9 for 4 (rmat:12:32), 9 for 11 (larva), 13 for 52
 * (rome99), 12 for 124 (grid:64).
 */
double apsp_cost_passed_pairs(const struct apsp_workload *work)
{
	return pairs(work) *
	       (work->unit_lengths ? sqrt(apsp_cost_rounds(work)) : 1);
}

/*
 * A GPU sweeps over all vertices for each batch of sources, about as often as
 * Bellman–Ford has rounds: H200 took 114 sweeps where paths have 108 arcs
 * (rome99), 129 for 131 (grid:64), 12 for 6 (rmat:12:32), 19 for 17
 * (sparse:32768:50).
 */
double apsp_cost_swept_pairs(const struct apsp_workload *work)
{
	return apsp_cost_rounds(work) * pairs(work);
}

/*
 * Shares of n ln n. Random lengths between all pairs: 1.1 (complete:512,
 * complete:2048). Sparse graphs: more, since the host keeps some arcs that end
 * no shortest path, and many lengths are equal (kept: larva 3.2, its inverse
 * 2.0, sparse:12529:100 3.0; ending shortest paths: 3.1, 1.6, 1.5). Around
 * hubs: 0.4 (rmat:12:32, rmat:14:32).
 */
static double essential_share(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 1);
	double density = (double)work->n_arcs / (n * n);

	return work->hubs ? ESSENTIAL_HUBS
			  : ESSENTIAL_COMPLETE +
				    ESSENTIAL_SPARSE *
					    exp(-ESSENTIAL_DENSITY * density);
}

uint64_t apsp_cost_essential(const struct apsp_workload *work)
{
	double n = (double)work->n_vertices;
	double essential = ceil(essential_share(work) * n * log(n + 1));

	return work->unit_lengths || essential >= (double)work->n_arcs
		       ? work->n_arcs
		       : (uint64_t)essential;
}

const char *apsp_cost_many_arcs(const struct apsp_workload *work)
{
	return work->n_arcs <= UINT32_MAX ? NULL
					  : "it takes no more than 2^32 arcs";
}
