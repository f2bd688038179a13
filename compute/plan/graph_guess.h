/*
 * What a graph is probably like, of which only the numbers of vertices and
 * arcs, the size of its weights and whether it has hubs are known: for
 * estimates before a job has read its arcs. Graphs of few arcs a vertex and
 * without hubs are taken for road-like ones, whose paths are long; others for
 * small worlds. Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_GRAPH_GUESS_H
#define APSP_COMPUTE_PLAN_GRAPH_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

struct apsp_graph_guess {
	uint64_t hops;		    /* as of apsp_workload */
	double visits;		    /* as of apsp_workload */
	bool hubs;		    /* as of apsp_workload */
	enum apsp_element element;  /* of V */
	enum apsp_element distance; /* of the table's distances */
};

/*
 * Guess for a graph whose arcs have these facts (daemon/base/weights.h)
 * under a rule.
 */
void apsp_graph_guess_make(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_graph_guess *out);

/*
 * What a job probably has to do for a graph that was uploaded with n_arcs. At
 * most one arc is left for each pair when duplicates are merged.
 */
void apsp_graph_guess_workload(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_workload *out);

#endif
