/*
 * A binary heap for the searches that tests compare with: (distance, hops,
 * vertex), the nearest first. A vertex that comes nearer is pushed again; who
 * pops an entry sees for himself whether it is stale.
 */
#ifndef APSP_TESTS_SEARCH_HEAP_H
#define APSP_TESTS_SEARCH_HEAP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct search_entry {
	double d;
	uint32_t hops; /* decides between equal distances */
	uint32_t v;
};

struct search_heap {
	struct search_entry *entries;
	size_t n;
};

/* For searches that relax each of n_arcs once: one push an arc at most. */
static inline void search_heap_init(struct search_heap *heap, uint64_t n_arcs)
{
	heap->n = 0;
	heap->entries = malloc((n_arcs + 1) * sizeof(*heap->entries));
	assert(heap->entries);
}

static inline void search_heap_done(struct search_heap *heap)
{
	free(heap->entries);
}

static inline bool search_heap_before(
	const struct search_entry *a, const struct search_entry *b)
{
	return a->d < b->d || (a->d == b->d && a->hops < b->hops);
}

static inline void search_heap_push(
	struct search_heap *heap, struct search_entry entry)
{
	struct search_entry *entries = heap->entries;
	size_t at = heap->n++;

	for (; at > 0 && search_heap_before(&entry, &entries[(at - 1) / 2]);
		at = (at - 1) / 2)
		entries[at] = entries[(at - 1) / 2];
	entries[at] = entry;
}

/* Take the nearest; false: the heap is empty. */
static inline bool search_heap_pop(
	struct search_heap *heap, struct search_entry *out)
{
	struct search_entry *entries = heap->entries, last;
	size_t at = 0;

	if (heap->n == 0)
		return false;
	*out = entries[0];
	last = entries[--heap->n];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < heap->n &&
			search_heap_before(
				&entries[child + 1], &entries[child]))
			child++;
		if (child >= heap->n ||
			!search_heap_before(&entries[child], &last))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = last;
	return true;
}

#endif
