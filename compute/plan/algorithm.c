/*
 * Makes the tables of algorithms and their names from algorithm_list.h; see
 * algorithm.h.
 */
#include "compute/plan/algorithm.h"

#include <stddef.h>
#include <string.h>

#include "compute/plan/own_bytes.h"

#define HOPS_ONLY_ANY false
#define HOPS_ONLY_SUMS false
#define HOPS_ONLY_ONES true
#define WIDEST_ANY true
#define WIDEST_SUMS false
#define WIDEST_ONES false

const struct apsp_algorithm apsp_algorithms[APSP_N_ALGORITHMS] = {
#define APSP_ALGORITHM(id, stem, text, from, lengths, ...)                     \
	[APSP_ALGORITHM_##id] = {.name = text,                                 \
		.start = APSP_START_##from,                                    \
		.hops_only = HOPS_ONLY_##lengths,                              \
		.widest = WIDEST_##lengths,                                    \
		__VA_ARGS__},
#include "compute/plan/algorithm_list.h"
};

const char *const apsp_algorithm_names[] = {
#define APSP_ALGORITHM(id, stem, name, ...) name,
#define APSP_CLOSURE(id, stem, name, ...) name,
#include "compute/plan/algorithm_list.h"
	NULL,
};

#define NAME_IF_ANY(name)
#define NAME_IF_SUMS(name)
#define NAME_IF_ONES(name) name,

const char *const apsp_algorithm_hops_only[] = {
#define APSP_ALGORITHM(id, stem, name, start, lengths, ...)                    \
	NAME_IF_##lengths(name)
#include "compute/plan/algorithm_list.h"
	NULL,
};

#define NAME_UNLESS_ANY(name)
#define NAME_UNLESS_SUMS(name) name,
#define NAME_UNLESS_ONES(name) name,

const char *const apsp_algorithm_shortest_only[] = {
#define APSP_ALGORITHM(id, stem, name, start, lengths, ...)                    \
	NAME_UNLESS_##lengths(name)
#include "compute/plan/algorithm_list.h"
	NULL,
};

int apsp_algorithm_find(const char *name)
{
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		if (strcmp(apsp_algorithms[i].name, name) == 0)
			return i;
	return -1;
}

double apsp_algorithm_seconds(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, bool gpu,
	const struct apsp_rate *rate)
{
	double operations = gpu && algorithm->gpu_operations
				    ? algorithm->gpu_operations(work)
				    : algorithm->operations(work);
	double steps = gpu && algorithm->gpu_steps ? algorithm->gpu_steps(work)
						   : algorithm->steps(work);

	return operations * rate->operation_s + steps * rate->step_s;
}
