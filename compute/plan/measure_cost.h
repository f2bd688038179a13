/*
 * What measures take that a profile asks for: seconds on this machine's
 * processors, and bytes beside the tables (compute/measures). Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_MEASURE_COST_H
#define APSP_COMPUTE_PLAN_MEASURE_COST_H

#include <stdint.h>

#include "compute/plan/cost.h"

/* Sources whose shares betweenness holds at once. */
uint32_t apsp_betweenness_batch(uint32_t n_vertices);

/*
 * Measures run on the host alone, after the last row. arcs: how many may end a
 * shortest path. 0 where the workload asks for none.
 */
double apsp_measure_seconds(const struct apsp_workload *work, double arcs);

/* On the host; UINT64_MAX: overflow. As if all arcs could end a path. */
uint64_t apsp_measure_bytes(const struct apsp_workload *work);

/* In the table file. */
uint64_t apsp_measure_disk_bytes(const struct apsp_workload *work);

/* Why no machine of today is fast enough, or NULL. */
const char *apsp_measure_unfit(const struct apsp_workload *work, double arcs);

#endif
