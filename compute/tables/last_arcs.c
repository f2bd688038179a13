/*
 * Finds the last arcs of paths; see last_arcs.h.
 *
 * The search goes through the vertices one after another. The method depends on
 * the predecessors:
 *
 * - If predecessors are ranks, each rank leads directly to the last arc.
 *
 * - If predecessors are indices and the arcs are listed by head, the arcs to
 *   the vertex are stored in a map that is indexed by tail. Then, for each row,
 *   the predecessor of the vertex is looked up in this map.
 *
 * - If predecessors are indices and the arcs are not listed by head, the arcs
 *   that leave the predecessor are searched by bisection.
 */
#include "compute/tables/last_arcs.h"

#include <stdlib.h>

#include "compute/graph/in_arcs.h"

enum {
	ROWS = 16,  /* largest number of rows in one call of
		       apsp_last_arcs_find() */
	STRIP = 32, /* number of columns that are read at a time */
};

#define NONE UINT32_MAX

bool apsp_last_arcs_open(const struct apsp_lengths *lengths,
	const struct apsp_sum_arcs *arcs, struct apsp_last_arcs *out)
{
	*out = (struct apsp_last_arcs){.lengths = lengths, .arcs = arcs};
	if (!apsp_in_arcs_ranks(lengths))
		return true;
	/* allocate one more element than there are arcs, because
	   column_ranked() reads an element even if a list is empty */
	out->by_head = calloc(lengths->n_arcs + 1, sizeof(*out->by_head));
	for (uint64_t at = 0; out->by_head && at < lengths->n_arcs; at++)
		out->by_head[at] =
			apsp_lengths_get(lengths, lengths->in.arcs[at]);
	return out->by_head != NULL;
}

/*
 * Find the length of the last arc of the path to vertex j, in each of n_rows
 * rows. ranks[r · STRIP] is the rank of this arc in row r, and the length is
 * stored in out[r · n]. n is the number of vertices. If j has no predecessor in
 * a row, an arbitrary length is stored. False: some rank is too large, because
 * fewer arcs lead to j.
 */
static bool column_ranked(const struct apsp_last_arcs *arcs,
	const uint32_t *ranks, uint32_t n_rows, uint32_t j, double *out)
{
	const struct apsp_lengths *lengths = arcs->lengths;
	const double *list = arcs->by_head + lengths->in.offsets[j];
	uint64_t n = lengths->in.offsets[j + 1] - lengths->in.offsets[j];
	bool all = true;

	for (uint32_t r = 0; r < n_rows; r++) {
		uint32_t rank = ranks[(size_t)r * STRIP];

		all = all && (rank < n || rank == NONE);
		out[(size_t)r * lengths->n_vertices] =
			list[rank < n ? rank : 0];
	}
	return all;
}

/*
 * Find the length of the last arc of the path to vertex j, in each of n_rows
 * rows, and store it in out[r · n]. n is the number of vertices. Predecessors
 * are indices: tails[r · STRIP] is the predecessor of j in row r. False: some
 * arc does not exist. `map` gets the arcs to j, indexed by tail.
 */
static bool column_known(const struct apsp_sum_arcs *arcs,
	struct apsp_last_arcs_map *map, const uint32_t *tails, uint32_t n_rows,
	uint32_t j, double *out)
{
	uint32_t n = arcs->n_vertices;
	bool all = true;

	for (uint64_t e = arcs->offsets[j]; e < arcs->offsets[j + 1]; e++)
		map[arcs->tails[e]] =
			(struct apsp_last_arcs_map){arcs->lengths[e], j + 1};
	for (uint32_t r = 0; r < n_rows; r++) {
		uint32_t tail = tails[(size_t)r * STRIP];
		const struct apsp_last_arcs_map *known =
			&map[tail < n ? tail : n];

		all = all && (tail == NONE || known->head_1 == j + 1);
		out[(size_t)r * n] = known->length;
	}
	return all;
}

static bool column_bisected(const struct apsp_lengths *lengths,
	const uint32_t *tails, uint32_t n_rows, uint32_t j, double *out)
{
	uint32_t n = lengths->n_vertices;

	for (uint32_t r = 0; r < n_rows; r++) {
		uint32_t tail = tails[(size_t)r * STRIP];
		uint64_t arc = APSP_NO_ARC;

		if (tail == NONE)
			continue;
		if (tail < n)
			arc = apsp_lengths_find(lengths, tail, j);
		if (arc == APSP_NO_ARC)
			return false;
		out[(size_t)r * n] = apsp_lengths_get(lengths, arc);
	}
	return true;
}

bool apsp_last_arcs_find(const struct apsp_last_arcs *arcs,
	struct apsp_last_arcs_map *map, const void *const *rows,
	uint32_t n_rows, double *out)
{
	uint32_t n = arcs->lengths->n_vertices, codes[ROWS * STRIP];
	bool all = true;

	for (uint32_t from = 0; all && from < n; from += STRIP) {
		uint32_t end = n - from < STRIP ? n : from + STRIP;

		for (uint32_t r = 0; r < n_rows; r++)
			apsp_in_arcs_codes(arcs->lengths, rows[r], from, end,
				codes + r * STRIP);
		for (uint32_t j = from; all && j < end; j++) {
			const uint32_t *column = codes + (j - from);

			if (arcs->by_head)
				all = column_ranked(
					arcs, column, n_rows, j, out + j);
			else if (arcs->arcs)
				all = column_known(arcs->arcs, map, column,
					n_rows, j, out + j);
			else
				all = column_bisected(arcs->lengths, column,
					n_rows, j, out + j);
		}
	}
	return all;
}
