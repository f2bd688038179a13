/*
 * The table of closure algorithms. It has one row for each APSP_CLOSURE() in
 * algorithm_list.h; see closure_algorithm.h.
 */
#include "compute/closure/closure_algorithm.h"

#include <stddef.h>

#include "compute/plan/closure_cost.h"

static const struct apsp_closure_algorithm closures[APSP_N_CLOSURES] = {
#define APSP_CLOSURE(id, stem, name, ...)                                      \
	[APSP_CLOSURE_##id] = {name, apsp_##stem##_run},
#include "compute/plan/algorithm_list.h"
};

const struct apsp_closure_algorithm *apsp_closure_algorithm_find(
	const char *name)
{
	int id = name[0] ? apsp_closure_cost_find(name) : 0;

	return id < 0 ? NULL : &closures[id];
}
