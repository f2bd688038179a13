/*
 * A stable radix sort that begins with the lowest digit. It sorts only by the
 * bits from the lowest to the highest bit in which keys differ. If the keys are
 * distances, their bits are sorted as integers; distances of 0 or more have the
 * same order as these integers.
 */
#include "compute/measures/vertex_sort.h"

#include <math.h>
#include <string.h>

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
};

static void digit_sort(const struct apsp_vertex_key *from,
	struct apsp_vertex_key *to, uint32_t n, int shift)
{
	uint32_t places[DIGITS + 1] = {0};

	for (uint32_t i = 0; i < n; i++)
		places[(from[i].key >> shift) % DIGITS + 1]++;
	for (int d = 0; d < DIGITS; d++)
		places[d + 1] += places[d];
	for (uint32_t i = 0; i < n; i++)
		to[places[(from[i].key >> shift) % DIGITS]++] = from[i];
}

/* Sort the first n keys. Then store the vertex of each key at `out`, in the
   order of the keys. */
static void keys_sort(struct apsp_vertex_sort *order, uint32_t n, uint32_t *out)
{
	struct apsp_vertex_key *from = order->keys;
	struct apsp_vertex_key *to = from + order->n_vertices;
	uint64_t differ = 0;

	for (uint32_t i = 1; i < n; i++)
		differ |= from[i].key ^ from[0].key;
	for (int shift = differ ? __builtin_ctzll(differ) : 64;
		shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		struct apsp_vertex_key *sorted = to;

		digit_sort(from, to, n, shift);
		to = from;
		from = sorted;
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = from[i].vertex;
}

uint32_t apsp_vertex_sort_by_distance(struct apsp_vertex_sort *order,
	const double *distances, const uint32_t *listed, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < order->n_vertices; i++) {
		uint32_t v = listed ? listed[i] : i;

		memcpy(&order->keys[n].key, &distances[v],
			sizeof(distances[v]));
		order->keys[n].vertex = v;
		n += distances[v] < INFINITY;
	}
	keys_sort(order, n, out);
	return n;
}

void apsp_vertex_sort_by_rank(struct apsp_vertex_sort *order,
	const uint32_t *ranks, uint32_t *vertices, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order->keys[i] = (struct apsp_vertex_key){
			ranks[vertices[i]], vertices[i]};
	keys_sort(order, n, vertices);
}
