/*
 * Formulas that estimate the work of algorithms; see cost.h.
 */
#include "compute/plan/cost.h"

#include <math.h>

#include "compute/arc_search.h"
#include "compute/plan/tuning.h"

/*
 * An arc is essential if it is the last arc of a shortest path. These constants
 * estimate the number of essential arcs, divided by n ln n, where n is the
 * number of vertices. In graphs with hubs this quotient is ESSENTIAL_HUBS. In
 * other graphs it is ESSENTIAL_COMPLETE + ESSENTIAL_SPARSE ·
 * e^(-ESSENTIAL_DENSITY · arcs / n²). The quotient is larger in sparse graphs,
 * because there the host also keeps some arcs that are not essential. It is
 * also larger if many lengths are equal, because several shortest paths then
 * lead to the same vertex. Measured quotients:
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

bool apsp_cost_is_road(double degree, bool hubs)
{
	return degree < APSP_ROAD_DEGREE && !hubs;
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
