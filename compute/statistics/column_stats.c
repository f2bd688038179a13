/*
 * Adds up statistics of columns; see column_stats.h.
 */
#include "compute/statistics/column_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMNS = APSP_STAT_COLUMNS,
	DOUBLES = 5, /* number of arrays of doubles */
};

int apsp_column_stats_init(uint32_t n_vertices, struct apsp_column_stats *out,
	struct apsp_err *err)
{
	size_t padded = ((size_t)n_vertices + COLUMNS - 1) / COLUMNS * COLUMNS;
	/* The number of elements from the start of one array to the start of
	   the next. If this number were `padded`, the addresses of a column in
	   the arrays could have the same low 12 bits. Then a load from one
	   array would wait for a store to another array. */
	size_t apart = padded + COLUMNS / 4;
	struct apsp_stat_columns *block = &out->block;

	*out = (struct apsp_column_stats){.n_vertices = n_vertices};
	block->count = calloc(padded, sizeof(*block->count));
	block->far = calloc(padded, sizeof(*block->far));
	block->sum = calloc(DOUBLES * apart, sizeof(*block->sum));
	if (!block->count || !block->far || !block->sum)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the statistics of %u vertices",
			n_vertices);
	block->harmonic = block->sum + apart;
	block->most = block->harmonic + apart;
	out->sum = block->most + apart;
	out->harmonic = out->sum + apart;
	for (size_t c = 0; c < padded; c++)
		block->most[c] = -INFINITY;
	return 0;
}

void apsp_column_stats_done(struct apsp_column_stats *stats)
{
	free(stats->block.count);
	free(stats->block.far);
	free(stats->block.sum); /* and the other arrays of doubles */
	*stats = (struct apsp_column_stats){0};
}

struct apsp_stat_columns apsp_column_stats_from(
	const struct apsp_column_stats *stats, size_t first)
{
	const struct apsp_stat_columns *block = &stats->block;

	return (struct apsp_stat_columns){
		.count = block->count + first,
		.sum = block->sum + first,
		.harmonic = block->harmonic + first,
		.most = block->most + first,
		.far = block->far + first,
	};
}

void apsp_column_stats_end_block(struct apsp_column_stats *stats, size_t first)
{
	struct apsp_stat_columns *block = &stats->block;

	for (size_t c = first; c < first + COLUMNS; c++) {
		stats->sum[c] += block->sum[c];
		stats->harmonic[c] += block->harmonic[c];
		block->sum[c] = 0;
		block->harmonic[c] = 0;
	}
}

void apsp_column_stats_put(struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, const double *made)
{
	struct apsp_stat_columns *block = &stats->block;
	size_t n = stats->n_vertices;

	for (size_t c = 0; c < n; c++) {
		const double *at = made + c;

		block->count[c] = (uint32_t)at[APSP_MADE_COUNT * n];
		stats->sum[c] = at[APSP_MADE_SUM * n];
		stats->harmonic[c] = at[APSP_MADE_HARMONIC * n];
		block->sum[c] = at[APSP_MADE_BLOCK_SUM * n];
		block->harmonic[c] = at[APSP_MADE_BLOCK_HARMONIC * n];
		apsp_stat_columns_put_most(
			form, block, c, at[APSP_MADE_MOST * n]);
	}
}

struct apsp_stat_part apsp_column_stats_get(
	const struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, size_t c)
{
	return (struct apsp_stat_part){
		.count = stats->block.count[c],
		.sum = stats->sum[c],
		.harmonic = stats->harmonic[c],
		.most = apsp_stat_columns_most(form, &stats->block, c),
	};
}

bool apsp_column_stats_same(const struct apsp_column_stats *a,
	const struct apsp_column_stats *b, const struct apsp_stat_form *form)
{
	const struct apsp_stat_columns *x = &a->block, *y = &b->block;
	size_t n = a->n_vertices, size = n * sizeof(double);

	for (size_t c = 0; c < n; c++)
		if (apsp_stat_columns_most(form, x, c) !=
			apsp_stat_columns_most(form, y, c))
			return false;
	return memcmp(x->count, y->count, n * sizeof(*x->count)) == 0 &&
	       memcmp(x->sum, y->sum, size) == 0 &&
	       memcmp(x->harmonic, y->harmonic, size) == 0 &&
	       memcmp(a->sum, b->sum, size) == 0 &&
	       memcmp(a->harmonic, b->harmonic, size) == 0;
}
