/*
 * Each path of two arcs compared with the arc between its ends; see
 * useless_arcs.h.
 */
#include "compute/graph/useless_arcs.h"

#include <stdlib.h>

#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	TAILS = 64, /* a thread takes at a time */
};

struct search {
	const struct apsp_lengths *lengths;
	int64_t *values; /* of all arcs */
	uint8_t *longer;
	/*
	 * n_vertices a thread: the least length known from the current tail to
	 * each of its heads. Other vertices have 0, which no sum is below.
	 */
	int64_t *least;
};

static void search_done(struct search *s)
{
	free(s->values);
	free(s->least);
}

uint64_t apsp_useless_arcs_paths(const struct apsp_lengths *lengths)
{
	uint64_t n = 0;

	for (uint64_t e = 0; e < lengths->n_arcs; e++) {
		uint32_t v = lengths->heads[e];

		n += lengths->offsets[v + 1] - lengths->offsets[v];
	}
	return n;
}

static void tail_search(const struct search *s, uint32_t u, int64_t *least)
{
	const struct apsp_lengths *l = s->lengths;
	uint64_t begin = l->offsets[u], end = l->offsets[u + 1];

	for (uint64_t e = begin; e < end; e++)
		least[l->heads[e]] = s->values[e];
	for (uint64_t e = begin; e < end; e++) {
		uint32_t v = l->heads[e];

		for (uint64_t f = l->offsets[v]; f < l->offsets[v + 1]; f++) {
			int64_t sum = s->values[e] + s->values[f];
			int64_t *held = &least[l->heads[f]];

			*held = sum < *held ? sum : *held;
		}
	}
	for (uint64_t e = begin; e < end; e++) {
		s->longer[e] = least[l->heads[e]] < s->values[e];
		least[l->heads[e]] = 0;
	}
}

static void tails_search(void *ctx, unsigned int thread, size_t i)
{
	const struct search *s = ctx;
	uint32_t n = s->lengths->n_vertices;
	int64_t *least = s->least + (size_t)thread * n;

	for (uint32_t u = (uint32_t)i * TAILS, end = u + TAILS;
		u < end && u < n; u++)
		tail_search(s, u, least);
}

int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint8_t *out_longer,
	struct apsp_err *err)
{
	APSP_AUTO(search_done)
	struct search s = {.lengths = lengths, .longer = out_longer};
	unsigned int width = apsp_parallel_width();
	size_t n = lengths->n_vertices;
	int r = apsp_integers_all(lengths, integers, &s.values, err);

	if (r < 0)
		return r;
	s.least = calloc(width * n + 1, sizeof(*s.least));
	if (!s.least)
		return apsp_fail(
			err, APSP_ENOMEM, "look for arcs that are too long");
	apsp_parallel_for((n + TAILS - 1) / TAILS, width, tails_search, &s);
	return 0;
}
