/*
 * The vertices' positions; see order.h.
 */
#include "compute/order.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

#define NOWHERE UINT32_MAX

static int order_init(
	struct apsp_order *order, uint32_t n_vertices, struct apsp_err *err)
{
	size_t size = ((size_t)n_vertices + 1) * sizeof(uint32_t);

	order->n_vertices = n_vertices;
	order->vertices = malloc(size);
	order->positions = malloc(size);
	if (!order->vertices || !order->positions)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the order of %u vertices", n_vertices);
	memset(order->positions, 0xff, size); /* NOWHERE */
	return 0;
}

static void append(struct apsp_order *order, uint32_t *end, uint32_t v)
{
	order->vertices[*end] = v;
	order->positions[v] = (*end)++;
}

/* All of root's component; what is appended is the queue of the search. */
static void search(const struct apsp_lengths *lengths, const uint32_t *of,
	uint32_t root, struct apsp_order *order, uint32_t *end)
{
	uint32_t next = *end;

	append(order, end, root);
	while (next < *end) {
		uint32_t u = order->vertices[next++];

		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			uint32_t v = lengths->heads[e];

			if (of[v] == of[root] && order->positions[v] == NOWHERE)
				append(order, end, v);
		}
	}
}

int apsp_order_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_order *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_order_done) struct apsp_order order = {0};
	uint32_t end = 0;
	int r = order_init(&order, lengths->n_vertices, err);

	if (r < 0)
		return r;
	for (uint32_t c = 0; c < components->n_components; c++)
		search(lengths, components->of,
			components->order[components->offsets[c]], &order,
			&end);
	*out = APSP_TAKE(order);
	return 0;
}

void apsp_order_done(struct apsp_order *order)
{
	free(order->vertices);
	free(order->positions);
	*order = (struct apsp_order){0};
}
