/*
 * What each way to make the closure (closure.h) takes of a device: plain
 * arithmetic, for those that allocate it and for plans.
 */
#ifndef APSP_COMPUTE_CLOSURE_COST_H
#define APSP_COMPUTE_CLOSURE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/tuning.h"

/* What a closure is made of. */
struct apsp_closure_size {
	uint64_t n_vertices;
	uint64_t n_arcs; /* of closure-order: between components, at most */
	uint64_t n_components;
};

/* UINT64_MAX: overflow. */
struct apsp_closure_bytes {
	uint64_t all;
	uint64_t largest; /* of all buffers */
};

/* One row on the device, whole lines of it. */
uint64_t apsp_closure_row_bytes(
	uint64_t n_vertices, const struct apsp_bits_tuning *tuning);

struct apsp_closure_bytes apsp_closure_order_bytes(
	const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning);
struct apsp_closure_bytes apsp_closure_squaring_bytes(
	const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning);
struct apsp_closure_bytes apsp_closure_warshall_bytes(
	const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning);

enum {
	APSP_CLOSURE_COSTS = 3,
};

struct apsp_closure_cost {
	const char *name;
	bool or_host; /* without room on the device it is made on the host */
	struct apsp_closure_bytes (*bytes)(const struct apsp_closure_size *size,
		const struct apsp_bits_tuning *tuning);
};

/* Every name of closure.h, by name. */
extern const struct apsp_closure_cost apsp_closure_costs[APSP_CLOSURE_COSTS];

#endif
