/*
 * Breadth-first search to a limited depth; see arc_range.h.
 */
#include "storage/search/arc_range.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "daemon/job/table_file.h"

enum {
	STEP = 65536, /* number of arcs and vertices that a step visits */
};

static void find(struct apsp_arc_range *range, uint32_t v, uint32_t n_arcs)
{
	if (apsp_bit_set_has(range->within, v))
		return;
	apsp_bit_set_add(range->within, v);
	range->away[v] = n_arcs;
	range->found[range->n_found++] = v;
}

uint64_t apsp_arc_range_bytes(uint32_t n_vertices)
{
	return apsp_bit_row_words(n_vertices) * sizeof(uint64_t) +
	       (uint64_t)n_vertices * 2 * sizeof(uint32_t);
}

int apsp_arc_range_begin(const struct apsp_adjacency *arcs,
	const uint32_t *starts, size_t n_starts, enum apsp_direction direction,
	uint32_t max_arcs, struct apsp_arc_range *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_arc_range_done)
	struct apsp_arc_range range = {
		.arcs = arcs,
		.direction = direction,
		.max_arcs = max_arcs,
	};

	range.within = calloc(
		apsp_bit_row_words(arcs->n_vertices), sizeof(*range.within));
	range.found = malloc(arcs->n_vertices * sizeof(*range.found));
	range.away = malloc(arcs->n_vertices * sizeof(*range.away));
	if (!range.within || !range.found || !range.away)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	for (size_t i = 0; i < n_starts; i++)
		find(&range, starts[i], 0);
	range.level_end = range.n_found;
	*out = APSP_TAKE(range);
	return 0;
}

int apsp_arc_range_step(struct apsp_arc_range *range)
{
	bool out = range->direction == APSP_DIRECTION_OUT;
	const uint64_t *offsets =
		out ? range->arcs->out_offsets : range->arcs->in_offsets;
	const uint32_t *ends = out ? range->arcs->heads : range->arcs->tails;
	uint64_t left = STEP;

	for (; range->next < range->n_found; range->next++) {
		uint32_t v = range->found[range->next];
		uint64_t first = offsets[v], end = offsets[v + 1];

		if (range->next == range->level_end) {
			range->level_end = range->n_found;
			range->n_arcs++;
		}
		if (range->n_arcs >= range->max_arcs)
			return 0;
		if (left < STEP && end - first + 1 > left)
			return 1;
		for (uint64_t a = first; a < end; a++)
			find(range, ends[a], range->n_arcs + 1);
		range->n_looked += end - first;
		left = end - first + 1 < left ? left - (end - first + 1) : 0;
	}
	return 0;
}

void apsp_arc_range_done(struct apsp_arc_range *range)
{
	free(range->within);
	free(range->found);
	free(range->away);
	memset(range, 0, sizeof(*range));
}
