/*
 * The work of an algorithm, estimated before it starts: the number of its
 * operations (relaxations, or visits of arcs), and the number of its steps
 * (rows of tiles, or pairs of vertices). A step takes some time in addition to
 * its operations. The seconds are computed from both numbers and the rates of a
 * device (rates.h). The functions that count operations and steps are in
 * algorithm.c. Each row of algorithm_list.h names the functions of one
 * algorithm.
 */
#ifndef APSP_COMPUTE_PLAN_COST_H
#define APSP_COMPUTE_PLAN_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

/* Facts about a graph that are known before it is solved. */
struct apsp_workload {
	uint64_t n_vertices;
	uint64_t n_arcs;
	/* The number of useful arcs (compute/graph/useful_arcs.h); 0: useless
	   arcs were not searched for. */
	uint64_t n_useful;
	enum apsp_element element;  /* type of the numbers in the distance
				       matrix V */
	enum apsp_element distance; /* type of the table's distances */
	/* type of the table's predecessors; APSP_ELEMENT_NONE: the smallest
	   type that can hold the index of any vertex */
	enum apsp_element predecessor;
	bool unit_lengths; /* all lengths are 1, so each integer distance is a
			      number of arcs */
	/* true: the lengths are computed from the weights; false: each length
	   is the weight of the arc, or each length is 1 */
	bool transformed;
	bool widest;	  /* the profile asks for widest paths (path=widest) */
	bool betweenness; /* the profile asks for betweenness */
	enum apsp_tables_kept tables; /* which tables the profile asks for */
	/* the largest number of bytes that the cache can hold for this job if
	   it holds no files of other jobs; 0: not known */
	uint64_t capacity_bytes;
	/* A lower bound of the number of arcs in the longest of all shortest
	   paths; 0: not known. */
	uint64_t hops;
	/* How many times the algorithm `multi-source` visits each arc in one
	   batch of sources; 0: not known. */
	double visits;
	bool hubs; /* true: a few vertices have most of the arcs
		      (APSP_ARC_HUBS); false: there are no hubs, or this is not
		      known */
	/* Share of all pairs of vertices that have a path, from 0 to 1; 1 if
	   the share is not known. */
	double reachable;
	/* true: estimates use the probable number of useful arcs and the
	   probable bytes of host memory; false: they use upper bounds of both
	   numbers */
	bool likely;
};

enum {
	/* A graph without hubs counts as a road network if it has fewer than
	   this number of arcs for each vertex. */
	APSP_ROAD_DEGREE = 6,
	/* the number of types that the values of the distance matrix V can
	   have: u16, i32 and f64 */
	APSP_RATE_ELEMENTS = 3,
};

/* Seconds of one operation and of one step. */
struct apsp_rate {
	double operation_s;
	double step_s;
};

/*
 * Return the probable number of essential arcs. An arc is essential if it is
 * the last arc of a shortest path. In sparse graphs the number also includes
 * some arcs that are not essential, but that the host cannot exclude
 * (compute/graph/useful_arcs.h). If all lengths are 1, all arcs are essential.
 */
uint64_t apsp_cost_essential(const struct apsp_workload *work);

/*
 * Return the number of arcs that an algorithm gets. This number is n_useful if
 * n_useful is known. Otherwise, if work->likely is true and useless arcs are
 * searched for, the number is the result of apsp_cost_essential(). In all other
 * cases, an algorithm gets all arcs.
 */
uint64_t apsp_cost_useful(const struct apsp_workload *work);

/* Whether a graph with `degree` arcs for each vertex counts as a road network,
   which has long paths. A graph with hubs never counts as a road network. */
bool apsp_cost_is_road(double degree, bool hubs);

#endif
