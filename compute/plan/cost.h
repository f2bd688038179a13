/*
 * The work of an algorithm, counted before it starts. Operations are the work
 * itself; steps are the additional work of each launch or each row. The rates
 * of a device turn both counts into seconds (rates.h). A row of
 * algorithm_list.h chooses among these functions. Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_COST_H
#define APSP_COMPUTE_PLAN_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

/* The facts about a graph before it is solved. */
struct apsp_workload {
	uint64_t n_vertices;
	uint64_t n_arcs;
	/* The arcs that are left once useless ones are found
	   (compute/graph/useful_arcs.h); 0: not known. */
	uint64_t n_useful;
	enum apsp_element element;  /* of V */
	enum apsp_element distance; /* of the table's distances */
	bool unit_lengths;	    /* V counts arcs */
	bool transformed;	    /* lengths are neither weights nor ones */
	bool betweenness;	    /* the profile asks for it */
	/* Some shortest path has at least so many arcs; 0: not known. */
	uint64_t hops;
	/* How often multi-source looks at an arc for a batch of sources; 0: not
	   known. */
	double looks;
	bool hubs; /* few vertices have most of the arcs (APSP_ARC_HUBS);
		      false: that is not so, or not known */
	/* Share of the pairs that have a path, 0 to 1; 1 if not known. */
	double reachable;
	/* true: estimate the probable host bytes of such a graph. false: the
	   most bytes that a graph of so many arcs may take. */
	bool likely;
};

enum {
	APSP_ROAD_DEGREE = 6,	/* road networks have fewer arcs a vertex */
	APSP_RATE_ELEMENTS = 3, /* widths of V: u16, i32, f64 */
};

/* Seconds of one operation and of one step. */
struct apsp_rate {
	double operation_s;
	double step_s;
};

/* Operations: n³ relaxations, without relaxations of tiles that stay infinite.
 */
double apsp_cost_cubic(const struct apsp_workload *work);
/* Operations: the same, also without relaxations that blocked-fw skips while
   tiles are still infinite. */
double apsp_cost_filled_cubic(const struct apsp_workload *work);
/* Operations: the useful arcs that multi-source's batches look at. */
double apsp_cost_looks(const struct apsp_workload *work);
/* Operations: the same on a CPU, plus the search for the row of each vertex. */
double apsp_cost_row_looks(const struct apsp_workload *work);

/* Steps: one for each row of tiles. */
double apsp_cost_tile_rows(const struct apsp_workload *work);
/* Steps on a CPU: one for each pair of vertices; if V counts arcs, one each
   time that a front passes the pair. */
double apsp_cost_passed_pairs(const struct apsp_workload *work);
/* Steps on a GPU: one for each pair of vertices in each sweep. */
double apsp_cost_swept_pairs(const struct apsp_workload *work);

/*
 * The probable number of arcs that end a shortest path. In sparse graphs it
 * includes arcs that the host cannot distinguish from them
 * (compute/graph/useful_arcs.h). With unit lengths all arcs end one.
 */
uint64_t apsp_cost_essential(const struct apsp_workload *work);

/*
 * The number of arcs that algorithms get: n_useful. If that is not known: all
 * arcs, since all may be useful; or, of work that is likely, the number of
 * apsp_cost_essential().
 */
uint64_t apsp_cost_useful(const struct apsp_workload *work);

/* Whether a graph of so many arcs a vertex is like a road network, with long
   paths. A graph with hubs is not, however few arcs it has. */
bool apsp_cost_is_road(double degree, bool hubs);

#endif
