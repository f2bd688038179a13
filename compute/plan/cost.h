/*
 * How much an algorithm has to do, counted before it starts. Operations are the
 * work itself; steps are what comes on top for each launch or each row. A
 * device's rates turn both counts into seconds (rates.h). The functions are the
 * shapes to choose from for a row of algorithm_list.h. Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_COST_H
#define APSP_COMPUTE_PLAN_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

/* What is known of a graph before it is solved. */
struct apsp_workload {
	uint64_t n_vertices;
	uint64_t n_arcs;
	enum apsp_element element;  /* of V */
	enum apsp_element distance; /* of the table's distances */
	bool unit_lengths;	    /* V counts arcs */
	bool transformed;	    /* lengths are neither weights nor ones */
	bool betweenness;	    /* the profile asks for it */
	/* Some shortest path has as many arcs, perhaps more; 0: not known. */
	uint64_t hops;
	double visits; /* compute/graph/multi_source_probe.h; 0: not known */
	bool hubs;     /* few vertices have most of the arcs
			  (APSP_WEIGHTS_HUBS); false: none do, or not known */
	/* Share of the pairs that have a path, 0 to 1; 1 where not known. */
	double reachable;
	/* Host bytes are to be what such a graph probably takes. false: what
	   none of so many arcs exceeds. */
	bool likely;
};

enum {
	APSP_ROAD_DEGREE = 6,	/* arcs a vertex; roads have fewer */
	APSP_RATE_ELEMENTS = 3, /* widths of V: u16, i32, f64 */
};

/* Seconds of one operation and of one step. */
struct apsp_rate {
	double operation_s;
	double step_s;
};

/* Operations: n³ relaxations, without tiles that stay infinite. */
double apsp_cost_cubic(const struct apsp_workload *work);
/* Operations: the same, where a matrix that fills slowly is passed over. */
double apsp_cost_filled_cubic(const struct apsp_workload *work);
/* Operations: n³ relaxations. */
double apsp_cost_whole_cubic(const struct apsp_workload *work);
/* Operations: n³ relaxations in each round of Bellman–Ford. */
double apsp_cost_rounds_cubic(const struct apsp_workload *work);
/* Operations: n³ relaxations in each squaring. */
double apsp_cost_squared_cubic(const struct apsp_workload *work);
/* Operations: every arc for every source, in each round of Bellman–Ford. */
double apsp_cost_rounds_arcs(const struct apsp_workload *work);
/* Operations: the arcs that multi-source's batches look at. */
double apsp_cost_pushes(const struct apsp_workload *work);
/* Operations: the same on a CPU, which leaves arcs out, with rows to be found.
 */
double apsp_cost_kept_pushes(const struct apsp_workload *work);
/* Operations of each processor: Dijkstra's heap from every vertex. */
double apsp_cost_dijkstras(const struct apsp_workload *work);

/* Steps: none; one a vertex; one a row of tiles. */
double apsp_cost_none(const struct apsp_workload *work);
double apsp_cost_vertices(const struct apsp_workload *work);
double apsp_cost_tile_rows(const struct apsp_workload *work);
/* Steps: one a row of tiles in each squaring. */
double apsp_cost_squared_tile_rows(const struct apsp_workload *work);
/* Steps: one a round of Bellman–Ford. */
double apsp_cost_rounds(const struct apsp_workload *work);
/* Steps: one a pair of vertices, as often as fronts pass it where V counts
   arcs, else once; or in each sweep of a GPU. */
double apsp_cost_passed_pairs(const struct apsp_workload *work);
double apsp_cost_swept_pairs(const struct apsp_workload *work);

/*
 * Arcs that probably end a shortest path. In sparse graphs those, too, that the
 * host cannot tell from them (compute/graph/useless_arcs.h). With unit lengths
 * all arcs do, of others as many as such graphs have.
 */
uint64_t apsp_cost_essential(const struct apsp_workload *work);

/* Whether a graph of so many arcs a vertex is like a road network, with long
   paths: around hubs, few arcs make none. */
bool apsp_cost_is_road(double degree, bool hubs);

/* Unfit: there are more arcs than a 32-bit index counts. */
const char *apsp_cost_many_arcs(const struct apsp_workload *work);

#endif
