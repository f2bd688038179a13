/*
 * Dijkstra's algorithm with a radix heap; see row_search.h.
 *
 * An item in a bucket is a vertex with a distance. When the distance of a
 * vertex becomes smaller, a new item is added. Older items of the vertex stay
 * in their buckets, until refill() finds that their distance is not the
 * vertex's distance, and drops them.
 */
#include "compute/rows/row_search.h"

#include <stdlib.h>

#include "daemon/base/array.h"

enum {
	N_BUCKETS = APSP_ROW_SEARCH_BUCKETS,
	/* when arc a is read, the distance at the end of arc a + AHEAD is
	   prefetched */
	AHEAD = 8,
};

#define LIMIT (INT64_C(1) << 62)

void apsp_row_search_done(struct apsp_row_search *search)
{
	for (int b = 0; b < N_BUCKETS; b++)
		free(search->buckets[b].items);
	free(search->taken.items);
}

static int put(struct apsp_row_search *s, struct apsp_row_search_item item,
	struct apsp_err *err)
{
	static const struct apsp_array_growth growth = {
		sizeof(struct apsp_row_search_item), 64, "a search", NULL};
	uint64_t differs = (uint64_t)(item.distance ^ s->last);
	struct apsp_row_search_bucket *bucket =
		&s->buckets[differs ? 64 - __builtin_clzll(differs) : 0];

	if (bucket->n == bucket->capacity) {
		int r = apsp_array_reserve(&bucket->items, bucket->n + 1,
			&bucket->capacity, &growth, err);

		if (r < 0)
			return r;
	}
	bucket->items[bucket->n++] = item;
	return 0;
}

/*
 * Empty the first bucket that has items. Its nearest items go into bucket 0,
 * and its other items into lower buckets than before. An item is dropped if its
 * vertex has a smaller distance by now. Returns 1, or 0 if all buckets were
 * empty. APSP_ENOMEM.
 */
static int refill(
	struct apsp_row_search *s, const int64_t *v, struct apsp_err *err)
{
	int64_t least = APSP_ROW_SEARCH_INFINITY;
	struct apsp_row_search_bucket taken;
	int b = 1, r = 0;

	while (b < N_BUCKETS && s->buckets[b].n == 0)
		b++;
	if (b == N_BUCKETS)
		return 0;
	taken = s->buckets[b];
	s->buckets[b] = s->taken;
	s->buckets[b].n = 0;
	s->taken = taken;
	for (size_t i = 0; i < taken.n; i++)
		if (taken.items[i].distance < least)
			least = taken.items[i].distance;
	s->last = least;
	for (size_t i = 0; r == 0 && i < taken.n; i++)
		if (v[taken.items[i].vertex] == taken.items[i].distance)
			r = put(s, taken.items[i], err);
	return r < 0 ? r : 1;
}

/* For each arc of from.vertex, lower the distance at the arc's other end if the
   path through from.vertex is shorter. */
static int relax(struct apsp_row_search *s, const struct apsp_row_arcs *arcs,
	struct apsp_row_search_item from, int64_t *v, struct apsp_err *err)
{
	const uint32_t *ends = arcs->ends;
	uint64_t end = arcs->offsets[from.vertex + 1];
	int r = 0;

	for (uint64_t a = arcs->offsets[from.vertex]; r == 0 && a < end; a++) {
		int64_t distance = from.distance + arcs->values[a];

		if (a + AHEAD < end)
			__builtin_prefetch(&v[ends[a + AHEAD]]);
		if (distance >= v[ends[a]] || distance >= LIMIT)
			continue;
		v[ends[a]] = distance;
		r = put(s, (struct apsp_row_search_item){distance, ends[a]},
			err);
	}
	return r;
}

/* Follow the arcs of all vertices in bucket 0, and empty the bucket. Meanwhile
   arcs of length 0 can add vertices to the bucket. */
static int settle(struct apsp_row_search *s, const struct apsp_row_arcs *arcs,
	int64_t *v, struct apsp_err *err)
{
	struct apsp_row_search_bucket *nearest = &s->buckets[0];
	int r = 0;

	for (size_t i = 0; r == 0 && i < nearest->n; i++) {
		struct apsp_row_search_item item = nearest->items[i];

		if (i + 1 < nearest->n)
			__builtin_prefetch(
				&arcs->offsets[nearest->items[i + 1].vertex]);
		r = relax(s, arcs, item, v, err);
	}
	nearest->n = 0;
	return r;
}

int apsp_row_search_run(struct apsp_row_search *search,
	const struct apsp_row_arcs *arcs, uint32_t vertex, int64_t *out,
	struct apsp_err *err)
{
	int r;

	for (uint32_t v = 0; v < arcs->n_vertices; v++)
		out[v] = APSP_ROW_SEARCH_INFINITY;
	for (int b = 0; b < N_BUCKETS; b++)
		search->buckets[b].n = 0;
	out[vertex] = search->last = 0;
	r = put(search, (struct apsp_row_search_item){0, vertex}, err);
	do
		r = r < 0 ? r : settle(search, arcs, out, err);
	while (r >= 0 && (r = refill(search, out, err)) > 0);
	return r;
}
