/*
 * The cost of the measures that a profile asks for (compute/measures): seconds
 * on this machine's processors, and bytes in addition to the tables. Plain
 * arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_MEASURE_COST_H
#define APSP_COMPUTE_PLAN_MEASURE_COST_H

#include <stdint.h>

#include "compute/plan/cost.h"

/* The number of sources that betweenness handles together. */
uint32_t apsp_betweenness_batch(uint32_t n_vertices);

/*
 * The seconds of the measures, which run on the host after the last row. arcs:
 * the number of arcs that may end a shortest path. 0 if the workload asks for
 * no measure.
 */
double apsp_measure_seconds(const struct apsp_workload *work, double arcs);

/* An upper bound of the bytes on the host: they suffice if every arc may end a
   shortest path. */
uint64_t apsp_measure_bytes(const struct apsp_workload *work);

/* The measures' bytes in the table file. */
uint64_t apsp_measure_disk_bytes(const struct apsp_workload *work);

/* The reason why the measures would take too long on any machine, or NULL. */
const char *apsp_measure_unfit(const struct apsp_workload *work, double arcs);

#endif
