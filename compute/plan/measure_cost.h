/*
 * The measures that a profile asks for (compute/measures): their seconds on
 * this machine's processors, and their bytes in addition to the tables. Plain
 * arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_MEASURE_COST_H
#define APSP_COMPUTE_PLAN_MEASURE_COST_H

#include <stdint.h>

#include "compute/plan/cost.h"

/* Number of sources whose shares betweenness holds at a time. */
uint32_t apsp_betweenness_batch(uint32_t n_vertices);

/*
 * Measures run on the host only, after the last row. arcs: the number of arcs
 * that may end a shortest path. 0 if the workload asks for no measure.
 */
double apsp_measure_seconds(const struct apsp_workload *work, double arcs);

/* The most bytes on the host, reached if all arcs can end a path. */
uint64_t apsp_measure_bytes(const struct apsp_workload *work);

/* Bytes in the table file. */
uint64_t apsp_measure_disk_bytes(const struct apsp_workload *work);

/* The reason why no machine of today is fast enough, or NULL. */
const char *apsp_measure_unfit(const struct apsp_workload *work, double arcs);

#endif
