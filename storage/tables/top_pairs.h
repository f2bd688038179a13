/*
 * Keeps the pairs with the highest scores. Pairs of equal scores are ordered by
 * `from`, and then by `to`.
 */
#ifndef APSP_STORAGE_TABLES_TOP_PAIRS_H
#define APSP_STORAGE_TABLES_TOP_PAIRS_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_top_pair {
	double score;
	uint32_t from, to;
	double here, with; /* distances of the pair in the two tables */
};

struct apsp_top_pairs {
	/* Up to 2 · limit pairs. The best pairs so far are among them.
	   apsp_top_pairs_sort() sorts them and removes the others. Owned. */
	struct apsp_top_pair *pairs;
	uint32_t n;
	uint32_t limit; /* the largest number of pairs that are kept */
	/* only a pair with a score above this is added */
	double bar;
};

/* Return the bytes of memory that `limit` pairs take. */
static inline uint64_t apsp_top_pairs_bytes(uint32_t limit)
{
	return 2 * (uint64_t)limit * sizeof(struct apsp_top_pair);
}

/* Begin with no pairs; `limit` is at least 1. The caller ends *out with
   apsp_top_pairs_done(), also after a failure. APSP_ENOMEM. */
int apsp_top_pairs_begin(
	struct apsp_top_pairs *out, uint32_t limit, struct apsp_err *err);
void apsp_top_pairs_done(struct apsp_top_pairs *self);

/* Add a pair. Among pairs with equal scores, the calls must come in ascending
   order of (from, to). */
void apsp_top_pairs_add(
	struct apsp_top_pairs *self, const struct apsp_top_pair *pair);

/* Add the pairs of `other`, which come after all pairs of `self` in the order
   of (from, to). Sorts `other`. */
void apsp_top_pairs_join(
	struct apsp_top_pairs *self, struct apsp_top_pairs *other);

/* Sort the pairs by score, the highest first, and keep only the best `limit`
   pairs. */
void apsp_top_pairs_sort(struct apsp_top_pairs *self);

#endif
