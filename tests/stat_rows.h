/*
 * Rows of random distances of every kind, for tests of statistics.
 */
#ifndef APSP_TESTS_STAT_ROWS_H
#define APSP_TESTS_STAT_ROWS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "compute/statistics/row_stats.h"
#include "tests/random.h"
#include "tests/table_cell.h"

enum {
	STAT_ROWS_N = 600, /* three tasks of columns */
	STAT_ROWS_SCALE = 7,
};

struct stat_rows_kind {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	bool below; /* distances may be negative */
};

static const struct stat_rows_kind stat_rows_kinds[] = {
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, true},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, true},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, false},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, true},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, false},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, true},
};

enum {
	STAT_ROWS_KINDS = sizeof(stat_rows_kinds) / sizeof(*stat_rows_kinds),
};

/* Rows of random distances, which need not be those of any graph. Rows of some
   source blocks are farther than others, so that processes have bins of other
   widths. */
struct stat_rows {
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_components components; /* there are no arcs */
	uint32_t vertices[STAT_ROWS_N + 1];
	int64_t potentials[STAT_ROWS_N];
	enum apsp_element element;
	uint64_t n_reachable;
	uint64_t offsets[STAT_ROWS_N + 1];
	uint16_t tails[STAT_ROWS_N * STAT_ROWS_N];
	_Alignas(double) char rows[STAT_ROWS_N * STAT_ROWS_N * sizeof(double)];
};

/* Every vertex is next to its source in the tree, if it is reached. */
static inline void stat_rows_make(
	struct stat_rows *x, const struct stat_rows_kind *of)
{
	enum apsp_distance_kind kind = of->kind;
	enum apsp_element element = of->element;
	bool below = of->below;
	uint64_t seed = 77;

	memset(x, 0, sizeof(*x));
	x->element = element;
	x->lengths = (struct apsp_lengths){
		.n_vertices = STAT_ROWS_N, .offsets = x->offsets};
	x->integers = (struct apsp_integers){.kind = kind,
		.scale = kind == APSP_DISTANCE_SCALED ? STAT_ROWS_SCALE : 1,
		.potentials = below ? x->potentials : NULL};
	for (uint32_t v = 0; v <= STAT_ROWS_N; v++)
		x->vertices[v] = v;
	x->components = (struct apsp_components){.n_vertices = STAT_ROWS_N,
		.n_components = STAT_ROWS_N,
		.of = x->vertices,
		.order = x->vertices,
		.offsets = x->vertices,
		.weak = x->vertices};
	for (size_t c = 0; c < STAT_ROWS_N * STAT_ROWS_N; c++) {
		size_t from = c / STAT_ROWS_N, to = c % STAT_ROWS_N;
		double v = 1 + random_below(&seed, 20000 >> from / 64 % 6);

		if (below)
			v -= 9000;
		/* the inverse of 0 hides what is wrong */
		if (fabs(v) < STAT_ROWS_SCALE)
			v = STAT_ROWS_SCALE;
		if (kind == APSP_DISTANCE_SUM)
			v *= 0.3;
		if (kind == APSP_DISTANCE_SCALED) /* one hop or more */
			v = floor(v / STAT_ROWS_SCALE) * STAT_ROWS_SCALE + 1 +
			    random_below(&seed, STAT_ROWS_SCALE - 1);
		/* nothing leads from one vertex, and nothing to another */
		if (from == to)
			v = 0;
		else if (random_below(&seed, 4) == 0 ||
			 from == STAT_ROWS_N / 2 || to == STAT_ROWS_N / 3)
			v = INFINITY;
		table_cell_put(x->rows, element, c, v);
		x->tails[c] = UINT16_MAX;
		if (from != to && !isinf(v))
			x->tails[c] = (uint16_t)from;
		x->n_reachable += !isinf(v);
	}
}

/* Count any hops of row i, more of them in later rows. */
static inline void stat_rows_hops(
	const struct stat_rows *x, struct apsp_row_stats *stats, uint32_t i)
{
	uint32_t hops[STAT_ROWS_N];

	for (uint32_t j = 0; j < STAT_ROWS_N; j++)
		hops[j] = x->tails[(size_t)i * STAT_ROWS_N + j] == UINT16_MAX &&
					  j != i
				  ? APSP_NO_HOPS
			  : j == i ? 0
				   : 1 + i / 64 * 500 + j % 100;
	if (x->integers.kind == APSP_DISTANCE_SUM)
		apsp_row_stats_hops(stats, 0, hops);
}

#endif
