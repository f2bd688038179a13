/*
 * Formulas of work; see cost.h.
 */
#include "compute/plan/cost.h"

#include <math.h>
#include <stddef.h>

#include "compute/arc_search.h"
#include "compute/plan/tuning.h"

/* Finding the row of a vertex takes as long as looking at so many arcs. */
#define ROW_ARCS 3.0

/*
 * Arcs that end shortest paths, divided by n ln n. Random lengths between all
 * pairs: 1.1 (complete:512, complete:2048). In sparse graphs there are more, by
 * e^(-8 * arcs / n²), since the host keeps some arcs that end no shortest path,
 * and many lengths are equal (kept: larva 3.2, its inverse 2.0,
 * sparse:12529:100 3.0; ending shortest paths: 3.1, 1.6, 1.5). With hubs: 0.4
 * (rmat:12:32, rmat:14:32).
 */
#define ESSENTIAL_HUBS 0.4
#define ESSENTIAL_COMPLETE 1.1
#define ESSENTIAL_SPARSE 2.0
#define ESSENTIAL_DENSITY 8.0

/* The share of the relaxations that blocked-fw makes in a road network. */
#define ROAD_FILL 0.6

bool apsp_cost_is_road(double degree, bool hubs)
{
	return degree < APSP_ROAD_DEGREE && !hubs;
}

/*
 * If one component has a share p of the vertices and all other vertices are
 * components of their own, p² of the pairs have a path, and p³ of the
 * relaxations are made. Vertices are
 * padded to whole tiles.
 */
double apsp_cost_cubic(const struct apsp_workload *work)
{
	return pow(APSP_TILE * apsp_cost_tile_rows(work), 3) *
	       pow(work->reachable, 1.5);
}

/*
 * If vertices have a few neighbours each, the matrix fills slowly, and tiles
 * without a path are skipped. The share of the relaxations that was made on an
 * H200 and on PoCL: 0.87 and 0.58 (rome99), 0.64 (grid:64), 0.46 and 0.44
 * (grid:128).
 */
double apsp_cost_filled_cubic(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 1);
	bool road = apsp_cost_is_road((double)work->n_arcs / n, work->hubs);

	return apsp_cost_cubic(work) * (road ? ROAD_FILL : 1);
}

/*
 * The looks at an arc that is kept. They grow with the number of arcs of the
 * longest path, which is in brackets: 2.4 to 5.1 in connectomes and random
 * graphs (11 to 18), grid:24 4.2 (46), grid:64 6.8 (131), grid:128 12.3 (265),
 * rome99 9.4 (108). With hubs there are fewer: rmat:12:32 2.2. Under hops:
 * rmat:12:32 1.5 (6), larva 1.6 (12), rome99 3.6 (52).
 */
static double looks_per_arc(const struct apsp_workload *work)
{
	double hops = (double)work->hops;

	if (work->looks > 0)
		return work->looks;
	if (work->unit_lengths)
		return 1.3 + 0.044 * hops;
	return work->hubs ? 2.2 : fmax(4.5, 2.5 + 0.037 * hops);
}

double apsp_cost_looks(const struct apsp_workload *work)
{
	return (double)work->n_vertices * (double)apsp_cost_useful(work) *
	       work->reachable * looks_per_arc(work);
}

/*
 * Each time a vertex is pushed, its row must be found, which takes as long as
 * some arcs: the time for an arc was 1.7 times as long with 3 or 4 arcs a
 * vertex (rome99, grid:64) as with 8.
 */
double apsp_cost_row_looks(const struct apsp_workload *work)
{
	double useful = fmax((double)apsp_cost_useful(work), 1);
	double rows = work->unit_lengths
			      ? 0
			      : ROW_ARCS * (double)work->n_vertices / useful;

	return apsp_cost_looks(work) * (1 + rows);
}

double apsp_cost_tile_rows(const struct apsp_workload *work)
{
	return ceil((double)work->n_vertices / APSP_TILE);
}

/* Rounds of Bellman–Ford: one for each arc of the longest path, and a last one
   that changes nothing. */
static double rounds(const struct apsp_workload *work)
{
	/* if not known: between the hops of a small world and of a grid */
	double hops = work->hops ? (double)work->hops
				 : sqrt((double)work->n_vertices);

	return hops + 1;
}

/* All of V is initialized and written, however few arcs there are. */
static double pairs(const struct apsp_workload *work)
{
	return pow((double)work->n_vertices, 2);
}

/*
 * If lanes are bits, fronts pass a vertex more often where paths are longer,
 * but the fronts of neighbouring sources pass it together. PoCL 3.1, two cores,
 * in 10^-10 s for each pair, without the looks at arcs: 4.2 if paths have 7
 * arcs (sparse:2048:8), 4.9 for 4 (rmat:12:32), 9 for 11 (larva), 13 for 52
 * (rome99), 12 for 124 (grid:64).
 */
double apsp_cost_passed_pairs(const struct apsp_workload *work)
{
	return pairs(work) * (work->unit_lengths ? sqrt(rounds(work)) : 1);
}

/*
 * For each batch of sources, a GPU sweeps over all vertices about as often as
 * Bellman–Ford has rounds: the H200 made 114 sweeps for paths of 108 arcs
 * (rome99), 129 for 131 (grid:64), 12 for 6 (rmat:12:32), 19 for 17
 * (sparse:32768:50).
 */
double apsp_cost_swept_pairs(const struct apsp_workload *work)
{
	return rounds(work) * pairs(work);
}

uint64_t apsp_cost_essential(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 1);
	double density = (double)work->n_arcs / (n * n);
	double share =
		work->hubs ? ESSENTIAL_HUBS
			   : ESSENTIAL_COMPLETE +
				     ESSENTIAL_SPARSE *
					     exp(-ESSENTIAL_DENSITY * density);
	double essential = ceil(share * n * log(n + 1));

	return work->unit_lengths || essential >= (double)work->n_arcs
		       ? work->n_arcs
		       : (uint64_t)essential;
}

uint64_t apsp_cost_useful(const struct apsp_workload *work)
{
	if (work->n_useful > 0)
		return work->n_useful;
	return work->likely && apsp_arc_search_pays(
				       work->n_vertices, work->unit_lengths)
		       ? apsp_cost_essential(work)
		       : work->n_arcs;
}
