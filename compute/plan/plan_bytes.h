/*
 * The memory that a solve by an algorithm holds at its peak.
 * tests/test_footprint.c compares it with what solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_BYTES_H
#define APSP_COMPUTE_PLAN_PLAN_BYTES_H

#include <stdint.h>

#include "compute/plan/algorithm.h"
#include "compute/plan/plan_facts.h"

/* Bytes that overflow are UINT64_MAX. */
struct apsp_plan_bytes {
	uint64_t rows;	       /* of V at a time: all, or those of a window */
	uint64_t device_bytes; /* 0 for the host's algorithms, as the next */
	uint64_t buffer_bytes; /* the part that must lie in one buffer */
	uint64_t host_bytes;   /* with the device's, where it is the host */
};

/*
 * With windows of the size that the algorithm wants, or the largest halves of
 * it that the device and the host have room for.
 */
struct apsp_plan_bytes apsp_plan_bytes_of(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm);

/*
 * What a solver holds on the host whatever the algorithm and from start to end:
 * itself, with the device open, programs loaded and pinned buffers of earlier
 * jobs, and the graph.
 */
uint64_t apsp_plan_bytes_before(const struct apsp_plan_facts *facts);

#endif
