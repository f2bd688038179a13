/*
 * Orders vertices by breadth-first search; see positions.h.
 */
#include "compute/graph/positions.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

#define NOWHERE UINT32_MAX

static void append(struct apsp_positions *positions, uint32_t *end, uint32_t v)
{
	positions->vertices[*end] = v;
	positions->of[v] = (*end)++;
}

/* Append the vertices of root's component to the order, in breadth-first order.
   The appended vertices also serve as the queue of the search. */
static void search(const struct apsp_lengths *lengths, const uint32_t *of,
	uint32_t root, struct apsp_positions *positions, uint32_t *end)
{
	uint32_t next = *end;

	append(positions, end, root);
	while (next < *end) {
		uint32_t u = positions->vertices[next++];

		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			uint32_t v = lengths->heads[e];

			if (of[v] == of[root] && positions->of[v] == NOWHERE)
				append(positions, end, v);
		}
	}
}

int apsp_positions_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_positions *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_positions_done)
	struct apsp_positions made = {.n_vertices = lengths->n_vertices};
	size_t size = ((size_t)made.n_vertices + 1) * sizeof(uint32_t);
	uint32_t end = 0;

	made.vertices = malloc(size);
	made.of = malloc(size);
	if (!made.vertices || !made.of)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the positions of %u vertices",
			made.n_vertices);
	memset(made.of, 0xff, size); /* NOWHERE */
	for (uint32_t c = 0; c < components->n_components; c++)
		search(lengths, components->of,
			components->order[components->offsets[c]], &made, &end);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_positions_done(struct apsp_positions *positions)
{
	free(positions->vertices);
	free(positions->of);
	*positions = (struct apsp_positions){0};
}
