/*
 * A stable counting sort of items by small integer keys, in three steps. Items
 * may be of any type: the caller loops over them and keeps the places.
 *
 *	places = calloc(n_keys + 2, …);
 *	for each item: apsp_counting_sort_count(places, key);
 *	apsp_counting_sort_sum(places, n_keys);
 *	for each item: out[apsp_counting_sort_place(places, key)] = item;
 *
 * Afterwards the items of key k begin at places[k], and places[n_keys] is the
 * number of items; these are the offsets of compressed sparse rows. Counts lie
 * two entries above their keys, so that placing leaves the offsets behind
 * without a second array. Places are 32-bit numbers, which a device can use
 * unchanged: a graph has at most 2^31 arcs.
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
