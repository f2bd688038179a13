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

/* Append the vertices of the component of `root` to the order, in breadth-first
   order. The appended vertices also serve as the queue of the search. */
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

static int allocate(
	uint32_t n_vertices, struct apsp_positions *out, struct apsp_err *err)
{
	size_t size = ((size_t)n_vertices + 1) * sizeof(uint32_t);

	out->n_vertices = n_vertices;
	out->vertices = malloc(size);
	out->of = malloc(size);
	if (!out->vertices || !out->of)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the positions of %u vertices",
			n_vertices);
	memset(out->of, 0xff, size); /* all NOWHERE */
	return 0;
}

int apsp_positions_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_positions *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_positions_done) struct apsp_positions made = {0};
	uint32_t end = 0;
	int r = allocate(lengths->n_vertices, &made, err);

	if (r < 0)
		return r;
	for (uint32_t c = 0; c < components->n_components; c++)
		search(lengths, components->of,
			components->order[components->offsets[c]], &made, &end);
	*out = APSP_TAKE(made);
	return 0;
}

int apsp_positions_divide(const struct apsp_positions *positions,
	const uint32_t *ends, uint32_t n_parts, struct apsp_positions *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_positions_done) struct apsp_positions made = {0};
	uint32_t end = 0, first = 0;
	int r = allocate(positions->n_vertices, &made, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n_parts; first = ends[i++])
		for (uint32_t p = 0; p < positions->n_vertices; p++) {
			uint32_t v = positions->vertices[p];

			if (v >= first && v < ends[i])
				append(&made, &end, v);
		}
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_positions_done(struct apsp_positions *positions)
{
	free(positions->vertices);
	free(positions->of);
	*positions = (struct apsp_positions){0};
}
