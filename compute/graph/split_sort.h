/*
 * A stable counting sort (counting_sort.h) whose items are split among the
 * host's processors. Each part counts its own items. A sum over the keys, and
 * over the parts of each key, then gives every part the places of its items, so
 * that all parts can place them in parallel:
 *
 *	key            0        1        2
 *	part 0       | 0 0    | 1      | 2 2 2 |
 *	part 1       |     0  |   1 1  |       2 |
 *
 * Items may be of any type: the caller loops over them, and this file keeps the
 * places.
 */
#ifndef APSP_COMPUTE_GRAPH_SPLIT_SORT_H
#define APSP_COMPUTE_GRAPH_SPLIT_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_split_sort {
	uint64_t n_items;
	size_t n_keys;
	unsigned int n_parts; /* as many as processors; fewer for many keys */
	uint64_t *places;     /* n_keys for each part; owned */
};

/* Start with no item counted. The places take at most 2 bytes an item and 8
   bytes a key. APSP_ENOMEM. */
int apsp_split_sort_init(struct apsp_split_sort *sort, uint64_t n_items,
	size_t n_keys, struct apsp_err *err);
void apsp_split_sort_done(struct apsp_split_sort *sort);

/*
 * Call body(ctx, places, first, end) for the items [first, end) of each part,
 * in parallel; places (n_keys) belong to the part. Use it twice: first with a
 * body that counts the items to be sorted in places[key], then, after
 * apsp_split_sort_sum(), with one that puts the same items, in the same order,
 * to places[key]++.
 */
void apsp_split_sort_run(const struct apsp_split_sort *sort,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx);

/*
 * Turn counts into places. Fill offsets (n_keys + 1) with the place where each
 * key begins. Returns the number of counted items.
 */
uint64_t apsp_split_sort_sum(struct apsp_split_sort *sort, uint64_t *offsets);

#endif
