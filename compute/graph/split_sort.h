/*
 * A stable counting sort (counting_sort.h) on several processors. The items are
 * split into parts, one for each processor. Each part counts its own items. The
 * counts of all parts determine the places of each part's items in the result:
 * a key's items from part 0 come first, then the key's items from part 1. So
 * all parts can place their items in parallel:
 *
 *	key            0        1        2
 *	part 0       | 0 0    | 1      | 2 2 2 |
 *	part 1       |     0  |   1 1  |       2 |
 *
 * Items may be of any type: the caller loops over the items, and the functions
 * of this file only compute the place of each item in the result.
 */
#ifndef APSP_COMPUTE_GRAPH_SPLIT_SORT_H
#define APSP_COMPUTE_GRAPH_SPLIT_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_split_sort {
	uint64_t n_items;
	size_t n_keys;
	/* number of parts: one for each processor, or fewer if there are many
	   keys */
	unsigned int n_parts;
	uint64_t *places; /* n_keys entries for each part; owned */
};

/*
 * Count n_items items with keys from 0 to n_keys - 1. Calls body(ctx, places,
 * first, end) for each part, in parallel. The part has the items [first, end),
 * and `places` has the part's n_keys entries. The body increments places[key]
 * for each item that is to be sorted. Then the counts become places: offsets[k]
 * is the place where the items of key k begin, and offsets[n_keys] is the
 * number of counted items. Allocates at most 2 bytes for each item plus 8 bytes
 * for each key. The caller ends *sort with apsp_split_sort_done(). APSP_ENOMEM.
 */
int apsp_split_sort_count(struct apsp_split_sort *sort, uint64_t n_items,
	size_t n_keys,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx, uint64_t *offsets, struct apsp_err *err);
void apsp_split_sort_done(struct apsp_split_sort *sort);

/* Call body(ctx, places, first, end) for each part, in parallel. The body must
   visit the same items as the body of apsp_split_sort_count(), in the same
   order, and put each item at the place places[key]++. Call this only once
   after apsp_split_sort_count(). */
void apsp_split_sort_visit(const struct apsp_split_sort *sort,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx);

#endif
