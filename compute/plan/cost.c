/*
 * Formulas that estimate the work of algorithms; see cost.h.
 */
#include "compute/plan/cost.h"

#include <math.h>

#include "compute/arc_search.h"
#include "compute/plan/tuning.h"

/* The time to find the list of a vertex's arcs, divided by the time to visit
   one arc. */
#define ROW_ARCS 3.0

/*
 * An arc is essential if it is the last arc of a shortest path. These constants
 * estimate the number of essential arcs, divided by n ln n, where n is the
 * number of vertices. In graphs with hubs this quotient is ESSENTIAL_HUBS. In
 * other graphs it is ESSENTIAL_COMPLETE + ESSENTIAL_SPARSE ·
 * e^(-ESSENTIAL_DENSITY · arcs / n²). The quotient is larger in sparse graphs
 * for two reasons: in a sparse graph many lengths are equal, and the host also
 * keeps some arcs that are not essential. Measured quotients:
 *
 *	                           essential   kept by the host
 *	complete:512, :2048        1.1         (random lengths of all pairs)
 *	larva                      3.1         3.2
 *	larva's inverse            1.6         2.0
 *	sparse:12529:100           1.5         3.0
 *	rmat:12:32, rmat:14:32     0.4         (hubs)
 */
#define ESSENTIAL_HUBS 0.4
#define ESSENTIAL_COMPLETE 1.1
#define ESSENTIAL_SPARSE 2.0
#define ESSENTIAL_DENSITY 8.0

/* In a road network, blocked-fw makes this share of the relaxations, and skips
   the others. */
#define ROAD_FILL 0.6

bool apsp_cost_is_road(double degree, bool hubs)
{
	return degree < APSP_ROAD_DEGREE && !hubs;
}

/*
 * The formula supposes that one component has a share p of all vertices, and
 * that every other component has one vertex. Then the share of pairs that have
 * a path, work->reachable, is p², and the algorithm makes a share p³ of all
 * relaxations. So the exponent of work->reachable is 1.5. Vertices are padded
 * to whole tiles.
 */
double apsp_cost_cubic(const struct apsp_workload *work)
{
	return pow(APSP_TILE * apsp_cost_tile_rows(work), 3) *
	       pow(work->reachable, 1.5);
}

/*
 * If vertices have few neighbours, the matrix fills slowly, and blocked-fw
 * skips tiles in which no path is known yet. So blocked-fw makes only a part of
 * all relaxations. This part, measured as a share of all relaxations:
 *
 *	           H200   PoCL
 *	rome99     0.87   0.58
 *	grid:64    0.64   0.64
 *	grid:128   0.46   0.44
 */
double apsp_cost_filled_cubic(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 1);
	bool road = apsp_cost_is_road((double)work->n_arcs / n, work->hubs);

	return apsp_cost_cubic(work) * (road ? ROAD_FILL : 1);
}

/*
 * Return how often a batch visits each useful arc. The number of visits grows
 * with the number of arcs of the longest path. Measured ("under hops" means
 * that all lengths are 1):
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

double apsp_cost_visits(const struct apsp_workload *work)
{
	return (double)work->n_vertices * (double)apsp_cost_useful(work) *
	       work->reachable * visits_per_arc(work);
}

/*
 * Each time multi-source pushes a vertex, it must find the list of the vertex's
 * arcs. Finding the list takes as long as ROW_ARCS visits of an arc. Measured:
 * an arc takes 1.7 times as long in graphs with 3 or 4 arcs for each vertex
 * (rome99, grid:64) as in graphs with 8 arcs for each vertex.
 */
double apsp_cost_row_visits(const struct apsp_workload *work)
{
	double useful = fmax((double)apsp_cost_useful(work), 1);
	double rows = work->unit_lengths
			      ? 0
			      : ROW_ARCS * (double)work->n_vertices / useful;

	return apsp_cost_visits(work) * (1 + rows);
}

double apsp_cost_tile_rows(const struct apsp_workload *work)
{
	return ceil((double)work->n_vertices / APSP_TILE);
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

/* Return the number of pairs of vertices. Each pair is a step, because
   multi-source initializes and writes all of V even if there are few arcs. */
static double pairs(const struct apsp_workload *work)
{
	return pow((double)work->n_vertices, 2);
}

/*
 * If lanes are bits, multi-source handles a vertex in each round in which the
 * breadth-first search of some source reaches the vertex. Where paths have more
 * arcs, there are more such rounds, but not in proportion: neighbouring sources
 * often reach a vertex in the same round. The function assumes that each vertex
 * is reached in sqrt(rounds()) rounds. Measured
 * seconds, in which visits of arcs are not counted (PoCL 3.1, two cores):
 *
 *	                arcs of the longest path   seconds of a pair
 *	sparse:2048:8   7                          4.2e-10
 *	rmat:12:32      4                          4.9e-10
 *	larva           11                         9e-10
 *	rome99          52                         13e-10
 *	grid:64         124                        12e-10
 */
double apsp_cost_passed_pairs(const struct apsp_workload *work)
{
	return pairs(work) * (work->unit_lengths ? sqrt(rounds(work)) : 1);
}

/*
 * For each batch of sources, a GPU makes about as many sweeps over all vertices
 * as Bellman–Ford has rounds. Measured on an H200:
 *
 *	                  arcs of the longest path   sweeps
 *	rome99            108                        114
 *	grid:64           131                        129
 *	rmat:12:32        6                          12
 *	sparse:32768:50   17                         19
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
