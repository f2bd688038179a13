/*
 * The pairs of vertices that an upload's arcs join. They show how many lines
 * repeat a pair, and the sum of the weights of each pair. Memory is bounded:
 * above some 390,000 pairs, or if other uploads have the memory, the set is
 * given up and the number of repeats is unknown.
 */
#ifndef APSP_STORAGE_INGEST_PAIR_SET_H
#define APSP_STORAGE_INGEST_PAIR_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/graph_file.h"
#include "daemon/base/budget.h"

struct apsp_pair {
	uint64_t key; /* 0: a free slot */
	double sum;
};

struct apsp_pair_set {
	struct apsp_share *share; /* pays for memory; may be NULL */
	struct apsp_pair *slots;  /* owned */
	uint64_t n_slots, n_used, factor;
	bool given_up;
};

/* Make an empty set. No memory is allocated yet. */
void apsp_pair_set_init(struct apsp_pair_set *set, struct apsp_share *share);

/*
 * Add the pair of an arc. Returns whether the set already contained it.
 * *out_sum is the sum of the weights of the pair's arcs so far, in their order.
 * After the set is given up, returns false and the arc's own weight.
 */
bool apsp_pair_set_add(
	struct apsp_pair_set *set, const struct apsp_arc *arc, double *out_sum);

/* Free the memory and give the set up. */
void apsp_pair_set_done(struct apsp_pair_set *set);

#endif
