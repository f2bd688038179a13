/*
 * The bytes of a plan's estimates: what a solve by an algorithm has at once.
 * tests/test_footprint.c holds them against what solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_BYTES_H
#define APSP_COMPUTE_PLAN_BYTES_H

#include <stdint.h>

#include "compute/cost.h"
#include "compute/plan.h"

/* All are UINT64_MAX where they overflow. On the device; 0: it has none. */
uint64_t apsp_plan_device_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost);

/* Of them, what one buffer must hold. */
uint64_t apsp_plan_buffer_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost);

/* On the host, with the device's where that is the host. */
uint64_t apsp_plan_host_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost);

#endif
