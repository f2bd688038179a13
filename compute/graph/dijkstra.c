/*
 * Dijkstra's algorithm with an indexed heap. The heap holds each vertex at most
 * once, so its largest size is known in advance and a run allocates no memory.
 */
#include "compute/graph/dijkstra.h"

#include <stdlib.h>
#include <string.h>

#include "compute/graph/semiring.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	CHILDREN = 4,
};

#define NOWHERE UINT32_MAX

struct entry {
	int64_t distance;
	uint32_t vertex;
};

struct apsp_dijkstra {
	struct apsp_dijkstra_arcs arcs;
	struct entry *heap;
	/* for each vertex, its place in the heap; NOWHERE: the vertex is not in
	   the heap */
	uint32_t *places;
	int64_t *lengths; /* lengths of the arcs of one vertex */
	uint32_t n;
};

APSP_AUTO_DEFINE(dijkstra_end, struct apsp_dijkstra, apsp_dijkstra_free);

int apsp_dijkstra_new(const struct apsp_dijkstra_arcs *arcs,
	struct apsp_dijkstra **out, struct apsp_err *err)
{
	APSP_AUTO(dijkstra_end) struct apsp_dijkstra *made = NULL;
	size_t n = arcs->n_vertices;
	uint64_t longest = 0;

	for (size_t v = 0; v < n; v++)
		if (arcs->offsets[v + 1] - arcs->offsets[v] > longest)
			longest = arcs->offsets[v + 1] - arcs->offsets[v];
	made = calloc(1, sizeof(*made));
	if (made) {
		made->arcs = *arcs;
		made->heap = malloc((n + 1) * sizeof(*made->heap));
		made->places = malloc((n + 1) * sizeof(*made->places));
		made->lengths = malloc((longest + 1) * sizeof(*made->lengths));
	}
	if (!made || !made->heap || !made->places || !made->lengths)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for a heap of %zu vertices", n);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_dijkstra_free(struct apsp_dijkstra *dijkstra)
{
	if (!dijkstra)
		return;
	free(dijkstra->heap);
	free(dijkstra->places);
	free(dijkstra->lengths);
	free(dijkstra);
}

static void put(struct apsp_dijkstra *d, uint32_t place, struct entry entry)
{
	d->heap[place] = entry;
	d->places[entry.vertex] = place;
}

/* Move the empty place up the heap while the parent of the place has a greater
   distance than the entry. Then put the entry into the empty place. */
static void rise(struct apsp_dijkstra *d, uint32_t place, struct entry entry)
{
	while (place != 0) {
		uint32_t above = (place - 1) / CHILDREN;

		if (d->heap[above].distance <= entry.distance)
			break;
		put(d, place, d->heap[above]);
		place = above;
	}
	put(d, place, entry);
}

/* Move the empty place down from the top of the heap while a child of the place
   has a smaller distance than the entry. Then put the entry into the empty
   place. */
static void sink(struct apsp_dijkstra *d, struct entry entry)
{
	uint64_t place = 0;

	for (;;) {
		uint64_t first = place * CHILDREN + 1;
		uint64_t least = first;

		if (first >= d->n)
			break;
		for (uint64_t i = first + 1; i < first + CHILDREN && i < d->n;
			i++)
			if (d->heap[i].distance < d->heap[least].distance)
				least = i;
		if (d->heap[least].distance >= entry.distance)
			break;
		put(d, (uint32_t)place, d->heap[least]);
		place = least;
	}
	put(d, (uint32_t)place, entry);
}

static struct entry take_least(struct apsp_dijkstra *d)
{
	struct entry least = d->heap[0];

	d->places[least.vertex] = NOWHERE;
	d->n--;
	if (d->n != 0)
		sink(d, d->heap[d->n]);
	return least;
}

/* The arrays that a search fills. `hops` or `ends` may be NULL. */
struct found {
	int64_t *distances;
	uint32_t *hops;
	uint32_t *ends;
};

/*
 * Relax the arcs of a settled vertex: a vertex whose distance is final. For
 * each arc, compute the tail's distance plus the arc's length or, for widest
 * paths, the larger of the two. If the arc is the last arc of a shortest path,
 * this sum is the final distance of the head.
 */
static APSP_INLINE void relax(
	struct apsp_dijkstra *d, struct entry from, const struct found *found)
{
	const struct apsp_dijkstra_arcs *arcs = &d->arcs;
	uint64_t first = arcs->offsets[from.vertex];
	uint64_t n = arcs->offsets[from.vertex + 1] - first;

	arcs->row(arcs->ctx, from.vertex, d->lengths);
	for (uint64_t a = 0; a < n; a++) {
		struct entry to = {.vertex = arcs->ends[first + a]};
		int64_t *known = &found->distances[to.vertex];

		if (arcs->widest)
			to.distance =
				apsp_extend(true, from.distance, d->lengths[a]);
		else if (__builtin_add_overflow(
				 from.distance, d->lengths[a], &to.distance))
			continue;
		if (to.distance > *known)
			continue;
		/*
		 * The head can be settled already. Then the sum can equal the
		 * head's distance, but cannot be smaller, because no arc is
		 * negative. If the sum is equal, out_ends gets the old tail or
		 * the new tail, whichever is the lower vertex. For widest
		 * paths, out_ends does not change: the path to the new tail
		 * could lead through the head, and then the predecessors would
		 * form a cycle.
		 */
		if (to.distance == *known) {
			if (found->ends && !arcs->widest &&
				found->ends[to.vertex] > from.vertex)
				found->ends[to.vertex] = from.vertex;
			continue;
		}
		*known = to.distance;
		if (found->hops)
			found->hops[to.vertex] = found->hops[from.vertex] + 1;
		if (found->ends)
			found->ends[to.vertex] = from.vertex;
		rise(d,
			d->places[to.vertex] == NOWHERE ? d->n++
							: d->places[to.vertex],
			to);
	}
}

static APSP_INLINE void run(
	struct apsp_dijkstra *d, uint32_t source, const struct found *found)
{
	size_t n = d->arcs.n_vertices;

	for (size_t v = 0; v < n; v++)
		found->distances[v] = APSP_DIJKSTRA_INFINITY;
	memset(d->places, 0xff, n * sizeof(*d->places));
	if (found->hops)
		memset(found->hops, 0, n * sizeof(*found->hops));
	if (found->ends)
		memset(found->ends, 0xff, n * sizeof(*found->ends));

	found->distances[source] = 0;
	d->n = 1;
	put(d, 0, (struct entry){.distance = 0, .vertex = source});
	while (d->n != 0)
		relax(d, take_least(d), found);
}

void apsp_dijkstra_run(struct apsp_dijkstra *dijkstra, uint32_t source,
	int64_t *out_distances, uint32_t *out_hops, uint32_t *out_ends)
{
	/* run() is inlined in both calls, so the compiler knows which member of
	   struct found is NULL */
	if (out_ends)
		run(dijkstra, source,
			&(struct found){out_distances, NULL, out_ends});
	else
		run(dijkstra, source,
			&(struct found){out_distances, out_hops, NULL});
}
