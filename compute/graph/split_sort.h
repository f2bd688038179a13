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
 * Call body(ctx, part, first, end) for the items [first, end) of each part, in
 * parallel. Use it twice: first with a body that counts the items to be sorted,
 * then, after apsp_split_sort_sum(), with one that places the same items in the
 * same order.
 */
void apsp_split_sort_run(const struct apsp_split_sort *sort,
	void (*body)(
		void *ctx, unsigned int part, uint64_t first, uint64_t end),
	void *ctx);

static inline uint64_t *apsp_split_sort_places(
	const struct apsp_split_sort *sort, unsigned int part)
{
	return sort->places + part * sort->n_keys;
}

/*
 * Turn counts into places: the part's next item of a key goes to places[key]++.
 * Fill offsets (n_keys + 1) with the place where each key begins. Returns the
 * number of counted items.
 */
uint64_t apsp_split_sort_sum(struct apsp_split_sort *sort, uint64_t *offsets);

#endif
