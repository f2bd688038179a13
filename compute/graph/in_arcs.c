/*
 * Sorts the arcs by head with a counting sort; see in_arcs.h.
 */
#include "compute/graph/in_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "compute/graph/split_sort.h"
#include "daemon/base/auto.h"

#define NONE UINT32_MAX

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct apsp_lengths *lengths = ctx;

	for (uint64_t e = first; e < end; e++)
		places[lengths->heads[e]]++;
}

static void part_fill(void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct apsp_lengths *lengths = ctx;
	uint32_t u = apsp_lengths_row_of(
		lengths->offsets, lengths->n_vertices, first);

	for (uint64_t e = first; e < end; e++) {
		uint64_t at = places[lengths->heads[e]]++;

		while (lengths->offsets[u + 1] <= e)
			u++;
		lengths->in.tails[at] = u;
		lengths->in.arcs[at] = (uint32_t)e;
	}
}

int apsp_in_arcs_build(struct apsp_lengths *lengths, struct apsp_err *err)
{
	APSP_AUTO(apsp_split_sort_done) struct apsp_split_sort sort = {0};
	struct apsp_in_arcs *in = &lengths->in;
	size_t n = lengths->n_vertices, m = lengths->n_arcs;
	int r;

	in->rank = APSP_ELEMENT_NONE;
	in->offsets = malloc((n + 1) * sizeof(*in->offsets));
	in->tails = malloc(m * sizeof(*in->tails) + 1);
	in->arcs = malloc(m * sizeof(*in->arcs) + 1);
	r = in->offsets && in->tails && in->arcs
		    ? apsp_split_sort_count(&sort, m, n, part_count, lengths,
			      in->offsets, err)
		    : apsp_fail(err, APSP_ENOMEM,
			      "no memory to sort %zu arcs by head", m);
	if (r < 0)
		apsp_in_arcs_done(in);
	else
		apsp_split_sort_visit(&sort, part_fill, lengths);
	return r;
}

/* Return the largest number of arcs that lead to one vertex. */
static uint64_t most_arcs(const struct apsp_lengths *lengths)
{
	const uint64_t *offsets = lengths->in.offsets;
	uint64_t most = 0;

	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		if (offsets[v + 1] - offsets[v] > most)
			most = offsets[v + 1] - offsets[v];
	return most;
}

enum apsp_element apsp_in_arcs_best(const struct apsp_lengths *lengths)
{
	return apsp_rank_element(
		lengths->n_vertices, lengths->n_arcs, most_arcs(lengths));
}

void apsp_in_arcs_settle(
	struct apsp_lengths *lengths, enum apsp_distance_kind kind)
{
	uint64_t most = most_arcs(lengths);

	if (kind == APSP_DISTANCE_WIDTH) {
		lengths->in.rank = most <= UINT8_MAX	? APSP_ELEMENT_U8
				   : most <= UINT16_MAX ? APSP_ELEMENT_U16
							: APSP_ELEMENT_U32;
		return;
	}
	lengths->in.rank = apsp_in_arcs_best(lengths);
	if (lengths->in.rank == apsp_index_element(lengths->n_vertices))
		apsp_in_arcs_done(&lengths->in);
}

/* Return true if all arcs in the list of `head` lead to `head`, the stored
   tails are the tails of these arcs, and the tails ascend. */
static bool list_is_right(const struct apsp_lengths *lengths, uint32_t head)
{
	const struct apsp_in_arcs *in = &lengths->in;

	for (uint64_t at = in->offsets[head]; at < in->offsets[head + 1];
		at++) {
		uint32_t tail = in->tails[at], arc = in->arcs[at];

		if (tail >= lengths->n_vertices || arc >= lengths->n_arcs ||
			lengths->heads[arc] != head ||
			arc < lengths->offsets[tail] ||
			arc >= lengths->offsets[tail + 1] ||
			(at > in->offsets[head] && in->tails[at - 1] >= tail))
			return false;
	}
	return true;
}

int apsp_in_arcs_check(const struct apsp_lengths *lengths, struct apsp_err *err)
{
	const uint64_t *offsets = lengths->in.offsets;
	uint32_t n = lengths->n_vertices;
	bool right = offsets[0] == 0 && offsets[n] == lengths->n_arcs;

	for (uint32_t v = 0; right && v < n; v++)
		right = offsets[v] <= offsets[v + 1] &&
			offsets[v + 1] <= lengths->n_arcs &&
			list_is_right(lengths, v);
	return right ? 0
		     : apsp_fail(err, APSP_EPROOF,
			       "the arcs by head are not those of the graph");
}

uint32_t apsp_in_arcs_rank(
	const struct apsp_in_arcs *in, uint32_t tail, uint32_t head)
{
	uint64_t low = in->offsets[head], high = in->offsets[head + 1];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (in->tails[middle] < tail)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == in->offsets[head + 1] || in->tails[low] != tail)
		return NONE;
	return (uint32_t)(low - in->offsets[head]);
}

void apsp_in_arcs_codes(const struct apsp_lengths *lengths, const void *row,
	uint32_t from, uint32_t end, uint32_t *out)
{
	const uint16_t *u16 = (const uint16_t *)row + from;
	const uint8_t *u8 = (const uint8_t *)row + from;
	uint32_t n = end - from;

	switch (apsp_in_arcs_element(lengths)) {
	case APSP_ELEMENT_U8:
		for (uint32_t j = 0; j < n; j++)
			out[j] = u8[j] == UINT8_MAX ? NONE : u8[j];
		return;
	case APSP_ELEMENT_U16:
		for (uint32_t j = 0; j < n; j++)
			out[j] = u16[j] == UINT16_MAX ? NONE : u16[j];
		return;
	default:
		memcpy(out, (const uint32_t *)row + from, n * sizeof(*out));
	}
}

void apsp_in_arcs_tails(const struct apsp_lengths *lengths, const void *row,
	uint32_t from, uint32_t end, uint32_t *out)
{
	const struct apsp_in_arcs *in = &lengths->in;

	apsp_in_arcs_codes(lengths, row, from, end, out);
	for (uint32_t j = from; apsp_in_arcs_ranks(lengths) && j < end; j++) {
		uint32_t rank = out[j - from];

		if (rank != NONE)
			out[j - from] =
				rank < in->offsets[j + 1] - in->offsets[j]
					? in->tails[in->offsets[j] + rank]
					: lengths->n_vertices;
	}
}
