/*
 * The device memory that each closure algorithm takes, in plain arithmetic.
 * compute/closure allocates exactly these numbers of bytes, and plans use the
 * same table for estimates.
 */
#ifndef APSP_COMPUTE_PLAN_CLOSURE_COST_H
#define APSP_COMPUTE_PLAN_CLOSURE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/tuning.h"

/* The size of the graph whose closure is computed. */
struct apsp_closure_size {
	uint64_t n_vertices;
	/*
	 * Number of arcs on the device. For `closure-squaring` and
	 * `closure-warshall` it is the number of all arcs. For `closure-order`
	 * it is the number of pairs of components that are joined by an arc, or
	 * an upper bound of this number.
	 */
	uint64_t n_arcs;
	uint64_t n_components;
};

struct apsp_closure_bytes {
	uint64_t all;
	uint64_t largest; /* size in bytes of the largest buffer */
};

/* Return the bytes of one row of bits on the device, rounded up to whole lines
   (kernels/closure.clh). */
uint64_t apsp_closure_row_bytes(
	uint64_t n_vertices, const struct apsp_bits_tuning *tuning);

enum apsp_closure_id {
#define APSP_CLOSURE(id, ...) APSP_CLOSURE_##id,
#include "compute/plan/algorithm_list.h"
	APSP_N_CLOSURES,
};

struct apsp_closure_cost {
	const char *name;
	bool or_host; /* true: the host computes the closure if the device has
			 too little memory */
	/* Returns the device memory for a graph of this size. */
	struct apsp_closure_bytes (*bytes)(const struct apsp_closure_size *size,
		const struct apsp_bits_tuning *tuning);
};

/* The index is an enum apsp_closure_id. */
extern const struct apsp_closure_cost apsp_closure_costs[APSP_N_CLOSURES];

/* Return the id of the closure with this name. -1: no closure has this name. */
int apsp_closure_cost_find(const char *name);

#endif
