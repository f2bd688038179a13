/*
 * Distances between all pairs of a sparse graph, by Dijkstra from every vertex,
 * for tests in Python (tests/e2e/all_pairs.py). SciPy's Dijkstra takes more
 * than twice as long on the graph larva.
 */
#include <math.h>
#include <stddef.h>

#include "tests/search_heap.h"

void all_pairs(uint32_t n, const int32_t *offsets, const int32_t *heads,
	const double *lengths, double *distances);

/* The arcs of vertex v are numbers offsets[v] to offsets[v + 1] - 1; row v of
   the n × n distances begins at distances[v * n]. */
void all_pairs(uint32_t n, const int32_t *offsets, const int32_t *heads,
	const double *lengths, double *distances)
{
	struct search_heap heap;

	search_heap_init(&heap, (uint64_t)offsets[n]);
	for (uint32_t source = 0; source < n; source++) {
		struct search_entry at = {.v = source};
		double *row = &distances[(size_t)source * n];

		for (uint32_t v = 0; v < n; v++)
			row[v] = INFINITY;
		row[source] = 0;
		search_heap_push(&heap, at);
		while (search_heap_pop(&heap, &at)) {
			if (at.d > row[at.v])
				continue;
			for (int32_t e = offsets[at.v]; e < offsets[at.v + 1];
				e++) {
				double d = at.d + lengths[e];

				if (d >= row[heads[e]])
					continue;
				row[heads[e]] = d;
				search_heap_push(&heap,
					(struct search_entry){.d = d,
						.v = (uint32_t)heads[e]});
			}
		}
	}
	search_heap_done(&heap);
}
