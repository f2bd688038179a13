/*
 * The probable work of a job before its arcs are read, from the numbers of
 * vertices and arcs, the size of the weights and whether there are hubs. A
 * graph of few arcs a vertex and without hubs is assumed to be like a road
 * network, with long paths; any other to be a small world. Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_GRAPH_GUESS_H
#define APSP_COMPUTE_PLAN_GRAPH_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

/*
 * Guess the work of a job for a graph that was uploaded with n_arcs, whose
 * weights have these facts (daemon/base/arc_facts.h), under a rule. At most one
 * arc is left for each pair when duplicates are merged.
 */
void apsp_graph_guess_workload(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_workload *out);

#endif
