/*
 * Guesses the probable work of a job before its arcs are read. The guess uses
 * the numbers of vertices and arcs, the size of the weights, and whether there
 * are hubs (a few vertices that have most of the arcs). A graph with few arcs
 * for each vertex and without hubs counts as a road network, which has long
 * paths. Any other graph counts as a small world, which has short paths. All
 * functions are plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_GRAPH_GUESS_H
#define APSP_COMPUTE_PLAN_GRAPH_GUESS_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

/*
 * Guess the work of a job whose graph was uploaded with n_arcs arcs. `weights`
 * has facts about the arcs' weights (enum apsp_arc_fact,
 * daemon/job/arc_facts.h). `rule` is the profile, which says how weights
 * become lengths. If there are more arcs than pairs of vertices, the guess
 * counts one arc for each pair, because duplicates are merged.
 */
void apsp_graph_guess_workload(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_workload *out);

#endif
