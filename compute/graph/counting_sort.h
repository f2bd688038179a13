/*
 * A stable counting sort of items by small integer keys, in three steps. Items
 * may be of any type: the caller loops over the items, and the functions of
 * this file only compute the place of each item in the result.
 *
 *	places = calloc(n_keys + 2, …);
 *	for each item: apsp_counting_sort_count(places, key);
 *	apsp_counting_sort_sum(places, n_keys);
 *	for each item: out[apsp_counting_sort_place(places, key)] = item;
 *
 * Afterwards places[k] is the place where the items of key k begin, and
 * places[n_keys] is the number of items. So the array `places` holds the
 * offsets of compressed sparse rows. The first step counts key k in places[k +
 * 2]. After the second step, places[k + 1] is the place where the items of key
 * k begin. The third step increments it for each item, so that it becomes the
 * place where the items of key k + 1 begin. So no second array is needed.
 * Places have 32 bits, so that a device can use a copy of the array. 32 bits
 * are enough, because a graph has at most 2^31 arcs.
 */
#ifndef APSP_COMPUTE_GRAPH_COUNTING_SORT_H
#define APSP_COMPUTE_GRAPH_COUNTING_SORT_H

#include <stddef.h>
#include <stdint.h>

static inline void apsp_counting_sort_count(uint32_t *places, size_t key)
{
	places[key + 2]++;
}

static inline uint32_t apsp_counting_sort_sum(uint32_t *places, size_t n_keys)
{
	for (size_t k = 2; k < n_keys + 2; k++)
		places[k] += places[k - 1];
	return places[n_keys + 1];
}

static inline uint32_t apsp_counting_sort_place(uint32_t *places, size_t key)
{
	return places[key + 1]++;
}

#endif
