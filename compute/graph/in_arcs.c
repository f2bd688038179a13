/*
 * A counting sort by head, which keeps tails ascending; see in_arcs.h.
 */
#include "compute/graph/in_arcs.h"

#include <stdlib.h>

#include "compute/graph/split_sort.h"
#include "daemon/base/auto.h"

/* The counting sort, shared by the threads. */
struct sorting {
	const struct apsp_lengths *lengths;
	struct apsp_split_sort sort;
	struct apsp_in_arcs *out;
};

static void sorting_done(struct sorting *sorting)
{
	apsp_split_sort_done(&sorting->sort);
}

static void part_count(
	void *ctx, unsigned int part, uint64_t first, uint64_t end)
{
	const struct sorting *sorting = ctx;
	uint64_t *counts = apsp_split_sort_places(&sorting->sort, part);

	for (uint64_t a = first; a < end; a++)
		counts[sorting->lengths->heads[a]]++;
}

static void part_place(
	void *ctx, unsigned int part, uint64_t first, uint64_t end)
{
	const struct sorting *sorting = ctx;
	const struct apsp_lengths *lengths = sorting->lengths;
	uint64_t *places = apsp_split_sort_places(&sorting->sort, part);
	uint32_t tail = apsp_lengths_row_of(
		lengths->offsets, lengths->n_vertices, first);

	for (uint64_t a = first; a < end; a++) {
		uint64_t place = places[lengths->heads[a]]++;

		while (lengths->offsets[tail + 1] <= a)
			tail++;
		sorting->out->tails[place] = tail;
		sorting->out->ranks[place] =
			(uint32_t)(a - lengths->offsets[tail]);
	}
}

int apsp_in_arcs_build(const struct apsp_lengths *lengths,
	struct apsp_in_arcs *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_in_arcs_done) struct apsp_in_arcs made = {0};
	APSP_AUTO(sorting_done)
	struct sorting sorting = {.lengths = lengths, .out = &made};
	uint32_t n = lengths->n_vertices;
	int r = apsp_split_sort_init(&sorting.sort, lengths->n_arcs, n, err);

	if (r < 0)
		return r;
	made.offsets = malloc(((size_t)n + 1) * sizeof(*made.offsets));
	made.tails = malloc((lengths->n_arcs + 1) * sizeof(*made.tails));
	made.ranks = malloc((lengths->n_arcs + 1) * sizeof(*made.ranks));
	if (!made.offsets || !made.tails || !made.ranks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu arcs by head",
			(unsigned long long)lengths->n_arcs);
	apsp_split_sort_run(&sorting.sort, part_count, &sorting);
	apsp_split_sort_sum(&sorting.sort, made.offsets);
	apsp_split_sort_run(&sorting.sort, part_place, &sorting);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_in_arcs_done(struct apsp_in_arcs *in_arcs)
{
	free(in_arcs->offsets);
	free(in_arcs->tails);
	free(in_arcs->ranks);
	*in_arcs = (struct apsp_in_arcs){0};
}
