/*
 * Hops along predecessors; see hop_walk.h. Targets are taken in the order in
 * which the row before settled them, whose tree is much the same, so that most
 * come after their predecessor.
 */
#include "compute/statistics/hop_walk.h"

#include <stdlib.h>

#include "compute/plan/footprint.h"

#define UNSETTLED (UINT32_MAX - 1)
#define NONE UINT32_MAX

bool apsp_hop_walk_init(struct apsp_hop_walk *walk, uint32_t n_vertices)
{
	size_t size = n_vertices * sizeof(uint32_t);

	walk->n_vertices = n_vertices;
	walk->hops = malloc(size);
	walk->order = malloc(size);
	walk->next = malloc(size);
	walk->stack = malloc(size);
	if (!walk->hops || !walk->order || !walk->next || !walk->stack)
		return false;
	for (uint32_t v = 0; v < n_vertices; v++)
		walk->order[v] = v;
	return true;
}

void apsp_hop_walk_done(struct apsp_hop_walk *walk)
{
	free(walk->hops);
	free(walk->order);
	free(walk->next);
	free(walk->stack);
}

static uint32_t tail_of(const struct apsp_hop_walk *walk, bool narrow,
	const void *predecessors, size_t row, uint32_t v)
{
	size_t at = row * walk->n_vertices + v;
	uint16_t tail;

	if (!narrow)
		return ((const uint32_t *)predecessors)[at];
	tail = ((const uint16_t *)predecessors)[at];
	return tail == UINT16_MAX ? NONE : tail;
}

/*
 * Climb from v, whose tail is not settled, to the nearest vertex that is, then
 * count on the way back. False: there is no such vertex.
 */
static bool branch_walk(struct apsp_hop_walk *walk, bool narrow,
	const void *predecessors, size_t row, uint32_t v, uint32_t *n_settled)
{
	uint32_t n = walk->n_vertices, depth = 0, count;

	while (walk->hops[v] == UNSETTLED) {
		if (depth == n)
			return false; /* a circle */
		walk->stack[depth++] = v;
		v = tail_of(walk, narrow, predecessors, row, v);
		if (v >= n)
			return false;
	}
	count = walk->hops[v];
	if (count == APSP_NO_HOPS)
		return false;
	while (depth-- > 0) {
		v = walk->stack[depth];
		walk->hops[v] = ++count;
		walk->next[(*n_settled)++] = v;
	}
	return true;
}

bool apsp_hop_walk_row(struct apsp_hop_walk *walk, const void *predecessors,
	size_t row, uint32_t source)
{
	uint32_t n = walk->n_vertices, n_settled = 0;
	uint32_t *hops = walk->hops, *order = walk->order;
	bool narrow = apsp_predecessor_element(n) == APSP_ELEMENT_U16;

	for (uint32_t v = 0; v < n; v++)
		hops[v] = UNSETTLED;
	hops[source] = 0;
	walk->next[n_settled++] = source;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = order[i], tail;

		if (hops[v] != UNSETTLED)
			continue;
		tail = tail_of(walk, narrow, predecessors, row, v);
		if (tail == NONE) {
			hops[v] = APSP_NO_HOPS;
			walk->next[n_settled++] = v;
		} else if (tail < n && hops[tail] < UNSETTLED) {
			hops[v] = hops[tail] + 1;
			walk->next[n_settled++] = v;
		} else if (!branch_walk(walk, narrow, predecessors, row, v,
				   &n_settled)) {
			return false;
		}
	}
	walk->order = walk->next;
	walk->next = order;
	return true;
}
