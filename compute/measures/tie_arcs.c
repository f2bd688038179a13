/*
 * Sorts arcs by head, and sorts vertices so that arcs of length 0 lead forward;
 * see tie_arcs.h.
 */
#include "compute/measures/tie_arcs.h"

#include <stdlib.h>

#include "compute/graph/counting_sort.h"
#include "daemon/base/auto.h"

static int no_memory(uint32_t n, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the betweenness of %u vertices", n);
}

void apsp_tie_arcs_done(struct apsp_tie_arcs *arcs)
{
	free(arcs->offsets);
	free(arcs->tails);
	free(arcs->lengths);
	free(arcs->listed);
	free(arcs->ranks);
	*arcs = (struct apsp_tie_arcs){.n_vertices = 0};
}

/*
 * List the vertices so that each arc of length 0 leads forward (Kahn 1962).
 * Returns the number of listed vertices. Two kinds of vertices are not listed:
 * vertices on a cycle of arcs of length 0, and vertices to which a path of arcs
 * of length 0 leads from such a cycle.
 */
static uint32_t list_forward(
	const struct apsp_lengths *lengths, uint32_t *into, uint32_t *listed)
{
	uint32_t n = lengths->n_vertices, end = 0;

	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		into[lengths->heads[a]] += lengths->lengths[a] == 0;
	for (uint32_t v = 0; v < n; v++)
		if (into[v] == 0)
			listed[end++] = v;
	for (uint32_t i = 0; i < end; i++)
		for (uint64_t a = lengths->offsets[listed[i]];
			a < lengths->offsets[listed[i] + 1]; a++)
			if (lengths->lengths[a] == 0 &&
				--into[lengths->heads[a]] == 0)
				listed[end++] = lengths->heads[a];
	return end;
}

int apsp_tie_arcs_rank(const struct apsp_lengths *lengths,
	struct apsp_tie_arcs *out, bool *out_countable, struct apsp_err *err)
{
	size_t n = lengths->n_vertices;
	bool zero = false, negative = false;

	*out_countable = true;
	for (uint64_t a = 0; lengths->lengths && a < lengths->n_arcs; a++) {
		zero |= lengths->lengths[a] == 0;
		negative |= lengths->lengths[a] < 0;
	}
	if (negative)
		*out_countable = false;
	if (negative || !zero)
		return 0;
	out->listed = calloc(n, sizeof(*out->listed));
	out->ranks = calloc(n, sizeof(*out->ranks));
	if (!out->listed || !out->ranks)
		return no_memory(lengths->n_vertices, err);
	*out_countable = list_forward(lengths, out->ranks, out->listed) == n;
	for (uint32_t i = 0; *out_countable && i < n; i++)
		out->ranks[out->listed[i]] = i;
	return 0;
}

int apsp_tie_arcs_fill(const struct apsp_lengths *lengths, const uint8_t *kept,
	struct apsp_tie_arcs *out, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices;
	uint64_t n_arcs;

	out->n_vertices = n;
	out->offsets = calloc((size_t)n + 2, sizeof(*out->offsets));
	if (!out->offsets)
		return no_memory(n, err);
	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		if (!kept || kept[a])
			apsp_counting_sort_count(
				out->offsets, lengths->heads[a]);
	n_arcs = apsp_counting_sort_sum(out->offsets, n);
	out->tails = malloc((n_arcs + 1) * sizeof(*out->tails));
	out->lengths = malloc((n_arcs + 1) * sizeof(*out->lengths));
	if (!out->tails || !out->lengths)
		return no_memory(n, err);
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			uint64_t place;

			if (kept && !kept[a])
				continue;
			place = apsp_counting_sort_place(
				out->offsets, lengths->heads[a]);
			out->tails[place] = v;
			out->lengths[place] = apsp_lengths_get(lengths, a);
		}
	return 0;
}
