/*
 * The pairs of vertices that an upload's arcs join: how many lines repeat a
 * pair, and what the weights of a pair sum to. Memory is bounded: past some
 * 390,000 pairs, or where other uploads have the memory, the set is given up
 * and the count is unknown.
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
	struct apsp_share *share; /* asked for memory; may be NULL */
	struct apsp_pair *slots;  /* owned */
	uint64_t n_slots, n_used, factor;
	bool given_up;
};

/* Make an empty set, which takes no memory yet. */
void apsp_pair_set_init(struct apsp_pair_set *set, struct apsp_share *share);

/*
 * Whether the arc's pair is there already; it is added if not. *out_sum: the
 * weights of its arcs so far, in their order. False, and the arc's own weight,
 * once given up.
 */
bool apsp_pair_set_add(
	struct apsp_pair_set *set, const struct apsp_arc *arc, double *out_sum);

/* Free the memory; the set is given up. */
void apsp_pair_set_done(struct apsp_pair_set *set);

#endif
