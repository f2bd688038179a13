/*
 * Rates of devices by their kind, for those that were not measured yet:
 * rates.c's own.
 */
#ifndef APSP_COMPUTE_RATES_DEFAULT_H
#define APSP_COMPUTE_RATES_DEFAULT_H

#include "compute/rates.h"

extern const struct apsp_rates apsp_rates_of_cpu;
extern const struct apsp_rates apsp_rates_of_gpu;

#endif
