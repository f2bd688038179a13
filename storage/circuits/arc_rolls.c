/* Arcs between groups of vertices; see arc_rolls.h. */
#include "storage/circuits/arc_rolls.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

uint64_t apsp_arc_rolls_bytes(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_groups)
{
	/* Without groups, no array is needed. With groups, count the
	   elements of the arrays `order`, `of` and `first`, and of the array
	   `last` that rolls_find() needs. */
	return n_groups == 0 ? 0
			     : (n_vertices + n_arcs + 2 * n_groups + 8) *
				       sizeof(uint32_t);
}

void apsp_arc_rolls_done(struct apsp_arc_rolls *rolls)
{
	free(rolls->order);
	free(rolls->of);
	free(rolls->first);
	memset(rolls, 0, sizeof(*rolls));
}

/* Store all vertices in `order`, group by group. `ends` is working memory: one
   zero for each group, and one more zero. */
static void order_make(
	struct apsp_arc_rolls *rolls, uint32_t n_vertices, uint32_t *ends)
{
	for (uint32_t v = 0; v < n_vertices; v++)
		ends[rolls->groups[v] + 1]++;
	for (uint32_t g = 0; g < rolls->n_nodes; g++)
		ends[g + 1] += ends[g];
	for (uint32_t v = 0; v < n_vertices; v++)
		rolls->order[ends[rolls->groups[v]]++] = v;
}

/*
 * Number the rolls. A roll stands for all arcs from one group to another, or
 * from a group to itself. The
 * rolls into group 0 come first, then the rolls into group 1, and so on. `last`
 * is working memory: a zero for each group. last[g] becomes 1 + the number of
 * the latest roll whose arcs begin in group g.
 */
static void rolls_find(struct apsp_arc_rolls *rolls,
	const struct apsp_adjacency *arcs, uint32_t *last)
{
	uint32_t group = 0;

	for (uint32_t i = 0; i < arcs->n_vertices; i++) {
		uint32_t v = rolls->order[i];

		while (group < rolls->groups[v])
			rolls->first[++group] = (uint32_t)rolls->n_rolls;
		for (uint64_t a = arcs->in_offsets[v];
			a < arcs->in_offsets[v + 1]; a++) {
			uint32_t tail = rolls->groups[arcs->tails[a]];

			if (last[tail] <= rolls->first[group])
				last[tail] = (uint32_t)++rolls->n_rolls;
			rolls->of[a] = last[tail] - 1;
		}
	}
	while (group < rolls->n_nodes)
		rolls->first[++group] = (uint32_t)rolls->n_rolls;
}

int apsp_arc_rolls_init(const struct apsp_adjacency *arcs,
	const uint32_t *groups, uint32_t n_groups, struct apsp_arc_rolls *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_arc_rolls_done)
	struct apsp_arc_rolls rolls = {
		.n_nodes = groups ? n_groups : arcs->n_vertices,
		.n_rolls = groups ? 0 : arcs->n_arcs,
		.groups = groups,
	};
	APSP_AUTO(apsp_free) uint32_t *memory = NULL;

	if (!groups) {
		*out = APSP_TAKE(rolls);
		return 0;
	}
	memory = calloc((size_t)n_groups + 1, sizeof(*memory));
	rolls.order =
		malloc(((size_t)arcs->n_vertices + 1) * sizeof(*rolls.order));
	rolls.of = malloc((arcs->n_arcs + 1) * sizeof(*rolls.of));
	rolls.first = calloc((size_t)n_groups + 1, sizeof(*rolls.first));
	if (!memory || !rolls.order || !rolls.of || !rolls.first)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
	order_make(&rolls, arcs->n_vertices, memory);
	memset(memory, 0, ((size_t)n_groups + 1) * sizeof(*memory));
	rolls_find(&rolls, arcs, memory);
	*out = APSP_TAKE(rolls);
	return 0;
}
