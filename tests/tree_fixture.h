/*
 * Random arcs and random trees of them, for tests of path sums.
 */
#ifndef APSP_TESTS_TREE_FIXTURE_H
#define APSP_TESTS_TREE_FIXTURE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/integers.h"
#include "compute/graph/v_element.h"
#include "compute/tables/sums.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

/* Lengths of nine decades and of both signs, some 0 and some the same. */
static inline void tree_lengths_make(
	struct apsp_lengths *lengths, uint32_t n, uint32_t m, uint64_t *seed)
{
	struct graph_fixture f;

	graph_fixture_init(&f, n);
	for (uint32_t a = 0; a < m; a++)
		graph_fixture_add(&f, random_below(seed, n),
			random_below(seed, n),
			a % 5 == 0
				? (a % 2) * 0.1
				: (random_unit(seed) - 0.25) * pow(10, a % 9));
	f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	if (apsp_lengths_build(&f.graph, lengths, NULL) != 0)
		abort();
	graph_fixture_done(&f);
}

/* A random tree of arcs from source, not a shortest one. */
static inline void tree_grow(const struct apsp_lengths *lengths,
	uint32_t source, uint32_t *predecessors, uint64_t *seed)
{
	uint32_t n = lengths->n_vertices, n_reached = 1;
	uint32_t *reached = malloc(n * sizeof(*reached));

	for (uint32_t v = 0; v < n; v++)
		predecessors[v] = UINT32_MAX;
	reached[0] = source;
	for (uint32_t i = 0; i < 40 * n; i++) {
		uint32_t v = reached[random_below(seed, n_reached)];
		uint64_t first = lengths->offsets[v];
		uint64_t degree = lengths->offsets[v + 1] - first;
		uint32_t head;

		if (degree == 0)
			continue;
		head = lengths->heads[first +
				      random_below(seed, (uint32_t)degree)];
		if (head == source || predecessors[head] != UINT32_MAX)
			continue;
		predecessors[head] = v;
		reached[n_reached++] = head;
	}
	free(reached);
}

/* All arcs by head. */
static inline void tree_arcs_make(
	const struct apsp_lengths *lengths, struct apsp_sum_arcs *out)
{
	uint32_t n = lengths->n_vertices;

	out->n_vertices = n;
	out->offsets = calloc((size_t)n + 2, sizeof(*out->offsets));
	out->tails = malloc((lengths->n_arcs + 1) * sizeof(*out->tails));
	out->lengths = malloc((lengths->n_arcs + 1) * sizeof(*out->lengths));
	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		out->offsets[lengths->heads[e] + 2]++;
	for (uint32_t v = 2; v < n + 2; v++)
		out->offsets[v] += out->offsets[v - 1];
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			uint64_t at = out->offsets[lengths->heads[e] + 1]++;

			out->tails[at] = u;
			out->lengths[at] = lengths->lengths[e];
		}
}

/* What tables store for a predecessor: the index, or the rank of the arc. If
   there is no such arc, a rank that no arc has. */
static inline uint32_t tree_code(
	const struct apsp_lengths *lengths, uint32_t tail, uint32_t head)
{
	const struct apsp_in_arcs *in = &lengths->in;
	uint32_t rank;

	if (!in->offsets || tail == UINT32_MAX)
		return tail;
	rank = apsp_in_arcs_rank(in, tail, head);
	return rank != UINT32_MAX
		       ? rank
		       : (uint32_t)(in->offsets[head + 1] - in->offsets[head]);
}

/* Rows of predecessors as tables hold them; the caller frees. */
static inline void *tree_rows_pack(const struct apsp_lengths *lengths,
	const uint32_t *predecessors, uint32_t n_rows)
{
	uint32_t n = lengths->n_vertices;
	size_t cells = (size_t)n_rows * n;
	uint32_t *packed = malloc(cells * sizeof(*packed) + 1);

	for (size_t c = 0; c < cells; c++) {
		uint32_t code =
			tree_code(lengths, predecessors[c], (uint32_t)(c % n));

		switch (apsp_in_arcs_element(lengths)) {
		case APSP_ELEMENT_U8:
			((uint8_t *)packed)[c] = (uint8_t)code;
			break;
		case APSP_ELEMENT_U16:
			((uint16_t *)packed)[c] = (uint16_t)code;
			break;
		default:
			packed[c] = code;
		}
	}
	return packed;
}

/* Integers of any such lengths: V of random trees fits 30 bits in a unit of 16,
   and 53 in one of 2^-20. */
static inline struct apsp_integers tree_integers(enum apsp_element v)
{
	return (struct apsp_integers){.kind = APSP_DISTANCE_SUM,
		.scale = 1,
		.unit = v == APSP_ELEMENT_I32 ? 16 : 0x1p-20};
}

/* V along the path to j; 0 where predecessors are no tree. */
static inline int64_t tree_value(const struct apsp_sums_config *config,
	uint32_t source, const uint32_t *predecessors, uint32_t j)
{
	uint32_t n = config->lengths->n_vertices;
	int64_t value = 0;

	if (j != source && predecessors[j] == UINT32_MAX)
		return APSP_V_NOWHERE;
	for (uint32_t step = 0; j != source; step++) {
		uint32_t tail = predecessors[j];
		uint64_t arc =
			tail < n && step < n
				? apsp_lengths_find(config->lengths, tail, j)
				: APSP_NO_ARC;

		if (arc == APSP_NO_ARC)
			return 0;
		value += apsp_integers_at(
			config->lengths, config->integers, tail, arc);
		j = tail;
	}
	return value;
}

/* A row of V as the device has it; the caller frees. */
static inline void *tree_v(const struct apsp_sums_config *config,
	uint32_t source, const uint32_t *predecessors)
{
	uint32_t n = config->lengths->n_vertices;
	int64_t *values = malloc((n + 1) * sizeof(*values));
	void *row = malloc(n * sizeof(double) + 1);

	for (uint32_t j = 0; j < n; j++)
		values[j] = tree_value(config, source, predecessors, j);
	apsp_v_element_store(config->v, values, n, row);
	free(values);
	return row;
}

/* One row of sums as apsp_sums_rows() makes it, and what that returns. v is of
   config->v; NULL: the row that these predecessors have. */
static inline int tree_sum(struct apsp_sums *sums,
	const struct apsp_sums_config *config, uint32_t source,
	const uint32_t *predecessors, const void *v, void *out)
{
	void *own = v ? NULL : tree_v(config, source, predecessors);
	void *packed = tree_rows_pack(config->lengths, predecessors, 1);
	const struct apsp_sums_rows rows = {.first = source,
		.n_rows = 1,
		.predecessors = packed,
		.v = v ? v : own};
	int r = apsp_sums_rows(sums, &rows, out, NULL);

	free(packed);
	free(own);
	return r;
}

#endif
