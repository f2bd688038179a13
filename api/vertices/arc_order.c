/* Arcs in the order of an answer; see arc_order.h. */
#include "api/vertices/arc_order.h"

#include <stdlib.h>
#include <string.h>

enum {
	STEP_ARCS = 65536,
};

static uint64_t first_arc(
	const struct apsp_adjacency *arcs, uint32_t v, bool in)
{
	if (v == APSP_ALL_VERTICES)
		return 0;
	return (in ? arcs->in_offsets : arcs->out_offsets)[v];
}

static uint64_t count(const struct apsp_adjacency *arcs, uint32_t v, bool in)
{
	if (v == APSP_ALL_VERTICES)
		return arcs->n_arcs;
	return first_arc(arcs, v + 1, in) - first_arc(arcs, v, in);
}

void apsp_arc_order_done(struct apsp_arc_order *order)
{
	free(order->others);
	free(order->tails);
	free(order->keys);
	memset(order, 0, sizeof(*order));
}

static bool comes_before(
	const struct apsp_arc_order *order, uint64_t a, uint64_t b)
{
	if (order->keys[a] != order->keys[b])
		return order->keys[a] < order->keys[b];
	if (order->tails && order->tails[a] != order->tails[b])
		return order->tails[a] < order->tails[b];
	return order->others[a] < order->others[b];
}

static void swap(struct apsp_arc_order *order, uint64_t a, uint64_t b)
{
	uint32_t other = order->others[a];
	double key = order->keys[a];
	uint32_t tail;

	order->others[a] = order->others[b];
	order->keys[a] = order->keys[b];
	order->others[b] = other;
	order->keys[b] = key;
	if (!order->tails)
		return;
	tail = order->tails[a];
	order->tails[a] = order->tails[b];
	order->tails[b] = tail;
}

/* Move the arc at index i down to its place in the heap of n arcs. */
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

int apsp_arc_order_init(const struct apsp_adjacency *arcs, uint32_t v, bool in,
	enum apsp_arc_sort sort, struct apsp_share *share,
	struct apsp_arc_order *out, struct apsp_err *err)
{
	uint64_t n = count(arcs, v, in);
	struct apsp_arc_order order = {
		.v = v, .in = in, .sort = sort, .n = n, .unsunk = n / 2};
	bool is_whole = v == APSP_ALL_VERTICES;
	bool is_sorted = sort != APSP_ARC_SORT_NONE;
	int r = apsp_share_set(share,
		n * (sizeof(*order.others) +
			    (is_whole ? sizeof(*order.tails) : 0) +
			    (is_sorted ? sizeof(*order.keys) : 0)),
		"the arcs", err);

	if (r < 0)
		return r;
	order.others = malloc(n * sizeof(*order.others) + 1);
	if (is_whole)
		order.tails = malloc(n * sizeof(*order.tails) + 1);
	if (is_sorted)
		order.keys = malloc(n * sizeof(*order.keys) + 1);
	if (!order.others || (is_whole && !order.tails) ||
		(is_sorted && !order.keys)) {
		apsp_arc_order_done(&order);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	*out = order;
	return 0;
}

int apsp_arc_order_step(
	struct apsp_arc_order *order, const struct apsp_adjacency *arcs)
{
	for (int n = 0; n < STEP_ARCS && order->copied < order->n; n++) {
		uint64_t i = order->copied++;
		/* an index in the list of arcs by tail or, if order->in is set,
		   by head; `out` is the index in the list by tail */
		uint64_t arc = first_arc(arcs, order->v, order->in) + i;
		uint64_t out = order->in ? arcs->in_arcs[arc] : arc;

		order->others[i] = (order->in ? arcs->tails : arcs->heads)[arc];
		if (order->keys)
			order->keys[i] = order->sort == APSP_ARC_SORT_WEIGHT
						 ? -arcs->weights[out]
						 : arcs->lengths[out];
		if (!order->tails)
			continue;
		while (arcs->out_offsets[order->tail + 1] <= arc)
			order->tail++;
		order->tails[i] = order->tail;
	}
	if (order->copied < order->n)
		return 1;
	for (int i = 0; i < STEP_ARCS && order->keys && order->unsunk > 0; i++)
		sink(order, --order->unsunk, order->n);
	return order->keys && order->unsunk > 0;
}

void apsp_arc_order_next(
	struct apsp_arc_order *order, uint32_t *out_from, uint32_t *out_to)
{
	uint64_t at = order->next++;
	uint32_t own, other;

	if (order->keys) {
		/* move the root to the end of the heap; the heap then shrinks
		   by this arc */
		at = order->n - order->next;
		swap(order, 0, at);
		sink(order, 0, at);
	}
	own = order->tails ? order->tails[at] : order->v;
	other = order->others[at];
	*out_from = order->in ? other : own;
	*out_to = order->in ? own : other;
}
