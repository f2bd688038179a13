/*
 * Collecting and naming a negative cycle; see negative_cycle.h.
 */
#include "compute/graph/negative_cycle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LABEL_SIZE = 48,	/* of a label in a message */
	NAMED_CYCLE_SIZE = 160, /* of a cycle in a message */
};

static int vertices_allocate(
	size_t n, struct apsp_negative_cycle *out, struct apsp_err *err)
{
	uint32_t *vertices = malloc(n * sizeof(*vertices));

	if (!vertices)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for a cycle of %zu vertices", n);
	*out = (struct apsp_negative_cycle){.vertices = vertices, .n = n};
	return 0;
}

int apsp_negative_cycle_trace(const uint32_t *parents, uint32_t v,
	struct apsp_negative_cycle *out, struct apsp_err *err)
{
	uint32_t lowest = v, u = v;
	size_t n = 0;
	int r;

	do {
		if (u < lowest)
			lowest = u;
		n++;
		u = parents[u];
	} while (u != v);

	r = vertices_allocate(n, out, err);
	if (r < 0)
		return r;
	u = lowest;
	for (size_t i = n; i-- != 0; u = parents[u])
		out->vertices[(i + 1) % n] = u;
	return 0;
}

int apsp_negative_cycle_loop(
	uint32_t v, struct apsp_negative_cycle *out, struct apsp_err *err)
{
	int r = vertices_allocate(1, out, err);

	if (r >= 0)
		out->vertices[0] = v;
	return r;
}

int apsp_negative_cycle_refuse(const struct apsp_graph *graph,
	const struct apsp_negative_cycle *cycle, struct apsp_err *err)
{
	char names[NAMED_CYCLE_SIZE] = "";
	char label[LABEL_SIZE];
	size_t used = 0;
	size_t i;

	for (i = 0; i < cycle->n; i++) {
		apsp_graph_label(
			graph, cycle->vertices[i], label, sizeof(label));
		if (used + strlen(label) + strlen(" → ") >= sizeof(names))
			break;
		used += (size_t)snprintf(
			names + used, sizeof(names) - used, "%s → ", label);
	}
	apsp_graph_label(graph, cycle->vertices[0], label, sizeof(label));
	return apsp_fail(err, APSP_ENEGCYCLE,
		"negative cycle of %zu %s: %s%s%s", cycle->n,
		cycle->n == 1 ? "vertex" : "vertices", names,
		i < cycle->n ? "… → " : "", label);
}

void apsp_negative_cycle_done(struct apsp_negative_cycle *cycle)
{
	free(cycle->vertices);
	*cycle = (struct apsp_negative_cycle){0};
}
