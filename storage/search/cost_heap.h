/*
 * A heap of vertices with keys and costs; the vertex with the least key comes
 * first. A vertex may be in the heap several times. If a caller has found a
 * lower cost of a vertex, it skips the vertex's entries with a higher cost.
 */
#ifndef APSP_STORAGE_SEARCH_COST_HEAP_H
#define APSP_STORAGE_SEARCH_COST_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/path_cost.h"

struct apsp_cost_entry {
	apsp_path_cost key;
	apsp_path_cost cost;
	uint32_t vertex;
};

/* {0} is an empty heap. */
struct apsp_cost_heap {
	struct apsp_cost_entry *entries; /* owned */
	size_t n;
	size_t size;
};

/* Add an entry. APSP_ENOMEM. */
int apsp_cost_heap_push(struct apsp_cost_heap *heap,
	const struct apsp_cost_entry *entry, struct apsp_err *err);
/* Remove the entry with the least key. The heap must not be empty. */
struct apsp_cost_entry apsp_cost_heap_pop(struct apsp_cost_heap *heap);
void apsp_cost_heap_done(struct apsp_cost_heap *heap);

#endif
