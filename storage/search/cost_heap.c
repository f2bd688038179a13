/*
 * A binary heap; see cost_heap.h.
 */
#include "storage/search/cost_heap.h"

#include <stdlib.h>
#include <string.h>

#include "storage/search/search_work.h"

int apsp_cost_heap_push(struct apsp_cost_heap *heap,
	const struct apsp_cost_entry *entry, struct apsp_err *err)
{
	size_t i = heap->n;
	int r;

	r = apsp_search_reserve(&heap->entries, sizeof(*heap->entries), i + 1,
		&heap->size, err);
	if (r < 0)
		return r;
	heap->n++;
	for (; i > 0 && heap->entries[(i - 1) / 2].key > entry->key;
		i = (i - 1) / 2)
		heap->entries[i] = heap->entries[(i - 1) / 2];
	heap->entries[i] = *entry;
	return 0;
}

struct apsp_cost_entry apsp_cost_heap_pop(struct apsp_cost_heap *heap)
{
	struct apsp_cost_entry *entries = heap->entries;
	struct apsp_cost_entry top = entries[0], last = entries[--heap->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < heap->n) {
		if (child + 1 < heap->n &&
			entries[child + 1].key < entries[child].key)
			child++;
		if (entries[child].key >= last.key)
			break;
		entries[i] = entries[child];
		i = child;
	}
	entries[i] = last;
	return top;
}

void apsp_cost_heap_done(struct apsp_cost_heap *heap)
{
	free(heap->entries);
	memset(heap, 0, sizeof(*heap));
}
