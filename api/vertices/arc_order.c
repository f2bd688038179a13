/* The arcs of one vertex in the order of an answer; see arc_order.h. */
#include "api/vertices/arc_order.h"

#include <stdlib.h>
#include <string.h>

static uint64_t first_arc(
	const struct apsp_adjacency *arcs, uint32_t v, bool in)
{
	return (in ? arcs->in_offsets : arcs->out_offsets)[v];
}

static uint64_t count(const struct apsp_adjacency *arcs, uint32_t v, bool in)
{
	return first_arc(arcs, v + 1, in) - first_arc(arcs, v, in);
}

uint64_t apsp_arc_order_bytes(const struct apsp_adjacency *arcs, uint32_t v,
	bool in, enum apsp_arc_sort sort)
{
	return count(arcs, v, in) *
	       (sizeof(uint32_t) +
		       (sort == APSP_ARC_SORT_NONE ? 0 : sizeof(double)));
}

void apsp_arc_order_done(struct apsp_arc_order *order)
{
	free(order->others);
	free(order->keys);
	memset(order, 0, sizeof(*order));
}

static bool comes_before(
	const struct apsp_arc_order *order, uint64_t a, uint64_t b)
{
	if (order->keys[a] != order->keys[b])
		return order->keys[a] < order->keys[b];
	return order->others[a] < order->others[b];
}

static void swap(struct apsp_arc_order *order, uint64_t a, uint64_t b)
{
	uint32_t other = order->others[a];
	double key = order->keys[a];

	order->others[a] = order->others[b];
	order->keys[a] = order->keys[b];
	order->others[b] = other;
	order->keys[b] = key;
}

/* Move the arc at index i down to its place in the heap, which has n arcs. */
static void sink(struct apsp_arc_order *order, uint64_t i, uint64_t n)
{
	for (uint64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && comes_before(order, child + 1, child))
			child++;
		if (comes_before(order, i, child))
			return;
		swap(order, i, child);
		i = child;
	}
}

/* The key by which an arc is sorted. `arc` is an index in the arcs by tail or,
   if `in` is true, in the arcs by head. */
static double key_of(const struct apsp_adjacency *arcs, uint64_t arc, bool in,
	enum apsp_arc_sort sort)
{
	uint64_t out = in ? arcs->in_arcs[arc] : arc;

	return sort == APSP_ARC_SORT_WEIGHT ? -arcs->weights[out]
					    : arcs->lengths[out];
}

int apsp_arc_order_init(const struct apsp_adjacency *arcs, uint32_t v, bool in,
	enum apsp_arc_sort sort, struct apsp_arc_order *out,
	struct apsp_err *err)
{
	uint64_t first = first_arc(arcs, v, in), n = count(arcs, v, in);
	struct apsp_arc_order order = {.n = n};

	order.others = malloc(n * sizeof(*order.others) + 1);
	if (sort != APSP_ARC_SORT_NONE)
		order.keys = malloc(n * sizeof(*order.keys) + 1);
	if (!order.others || (sort != APSP_ARC_SORT_NONE && !order.keys)) {
		apsp_arc_order_done(&order);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	memcpy(order.others, (in ? arcs->tails : arcs->heads) + first,
		n * sizeof(*order.others));
	for (uint64_t i = 0; order.keys && i < n; i++)
		order.keys[i] = key_of(arcs, first + i, in, sort);
	for (uint64_t i = n / 2; order.keys && i-- > 0;)
		sink(&order, i, n);
	*out = order;
	return 0;
}

uint32_t apsp_arc_order_next(struct apsp_arc_order *order)
{
	uint64_t last;
	uint32_t other;

	if (!order->keys)
		return order->others[order->next++];
	other = order->others[0];
	last = order->n - ++order->next;
	swap(order, 0, last);
	sink(order, 0, last);
	return other;
}
