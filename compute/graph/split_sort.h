/*
 * A stable counting sort (counting_sort.h) whose items are split among the
 * host's processors. Each part counts its own items; a sum over keys, and over
 * parts below each key, then tells every part where its items go, so that the
 * parts place them side by side:
 *
 *	key            0        1        2
 *	part 0       | 0 0    | 1      | 2 2 2 |
 *	part 1       |     0  |   1 1  |       2 |
 *
 * Items may be anything, so the caller loops over them; this noun keeps the
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
	uint64_t *places;     /* n_keys a part; owned */
};

/* Begin with no item counted. The places take at most 2 bytes an item, and 8 a
   key. APSP_ENOMEM. */
int apsp_split_sort_init(struct apsp_split_sort *sort, uint64_t n_items,
	size_t n_keys, struct apsp_err *err);
void apsp_split_sort_done(struct apsp_split_sort *sort);

/*
 * Call body(ctx, part, first, end) for each part's items [first, end), in
 * parallel. Twice: first to count, once for each item that takes part, then,
 * after the sum, to place the same items in the same order.
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
 * Turn counts into places: places[key]++ is where the part's next item of the
 * key goes. Fill offsets with where each key begins, n_keys + 1; returns the
 * number of items that were counted.
 */
uint64_t apsp_split_sort_sum(struct apsp_split_sort *sort, uint64_t *offsets);

#endif
