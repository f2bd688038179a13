/*
 * The cost of the measures (compute/measures) that a profile asks for: their
 * seconds on this machine's processors, and their bytes in addition to the
 * bytes of the tables. All functions are plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_MEASURE_COST_H
#define APSP_COMPUTE_PLAN_MEASURE_COST_H

#include <stdint.h>

#include "compute/plan/cost.h"

/* Return the number of sources in a batch. Betweenness handles the sources of a
   batch together. */
uint32_t apsp_betweenness_batch(uint32_t n_vertices);

/* Return the seconds of the measures, which the host computes after the last
   row; 0 if the workload asks for no measure. `arcs` is the number of arcs that
   can be the last arc of a shortest path. */
double apsp_measure_seconds(const struct apsp_workload *work, double arcs);

/* Return an upper bound of the host's bytes for the measures. It assumes that
   every arc is the last arc of a shortest path. */
uint64_t apsp_measure_bytes(const struct apsp_workload *work);

/* If every machine would take too long for the measures, return a message that
   says so. Otherwise return NULL. */
const char *apsp_measure_unfit(const struct apsp_workload *work, double arcs);

#endif
