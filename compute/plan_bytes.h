/*
 * The bytes of a plan's estimates: what a solve by an algorithm has at once.
 * tests/test_footprint.c holds them against what solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_BYTES_H
#define APSP_COMPUTE_PLAN_BYTES_H

#include "compute/cost.h"
#include "compute/plan.h"

/*
 * Fill in rows, device_bytes, buffer_bytes and host_bytes. There are as many
 * rows as the cost would have, or what the device has room for.
 * Bytes that overflow are UINT64_MAX.
 */
void apsp_plan_bytes(const struct apsp_plan_facts *facts,
	const struct apsp_cost *cost, struct apsp_estimate *out);

#endif
