/*
 * Adds up statistics of columns; see column_stats.h.
 */
#include "compute/statistics/column_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMNS = APSP_STAT_COLUMNS,
	DOUBLES = 5, /* number of arrays of doubles, which share one block of
			memory */
};

int apsp_column_stats_init(uint32_t n_vertices, struct apsp_column_stats *out,
	struct apsp_err *err)
{
	size_t padded = ((size_t)n_vertices + COLUMNS - 1) / COLUMNS * COLUMNS;
	/*
	 * The number of elements from the start of one array to the start of
	 * the next. If this number were `padded`, the addresses of a column in
	 * the arrays could have the same low 12 bits. Then the processor would
	 * delay a load from one array until a store to another array has ended.
	 */
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
	/* frees all arrays of doubles, because they share one block of
	   memory */
	free(stats->block.sum);
	for (int k = 0; k < APSP_SOURCE_BLOCKS_MOST; k++)
		free(stats->kept[k]);
	*stats = (struct apsp_column_stats){0};
}

int apsp_column_stats_begin(struct apsp_column_stats *stats, uint32_t source,
	uint32_t n_rows, struct apsp_err *err)
{
	uint32_t n = stats->n_vertices, rows = apsp_source_block_rows(n);
	bool follows = source == stats->next;
	bool is_window = source > stats->next && source % rows == 0 &&
			 stats->next % rows == 0;

	if (!stats->keeps)
		return 0;
	if (!follows && !is_window)
		return apsp_fail(err, APSP_EBUG,
			"the row of source %u came, and the row of source %u "
			"is next in its block of %u sources",
			source, stats->next, rows);
	stats->next = source + n_rows;
	for (uint32_t k = source / rows;
		source < n && apsp_source_block_end(n, source) <= stats->next;
		k++) {
		stats->kept[k] = malloc(2 * sizeof(double) * n);
		if (!stats->kept[k])
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for statistics");
		source = apsp_source_block_end(n, source);
	}
	return 0;
}

void apsp_column_stats_end_block(
	struct apsp_column_stats *stats, uint32_t source, size_t first)
{
	struct apsp_stat_columns *block = &stats->block;
	size_t n = stats->n_vertices, end = first + COLUMNS;
	double *kept = NULL;

	if (stats->keeps)
		kept = stats->kept[source /
				   apsp_source_block_rows(stats->n_vertices)];
	for (size_t c = first; kept && c < end && c < n; c++) {
		kept[c] = block->sum[c];
		kept[n + c] = block->harmonic[c];
	}
	for (size_t c = first; c < end; c++) {
		if (!kept) {
			stats->sum[c] += block->sum[c];
			stats->harmonic[c] += block->harmonic[c];
		}
		block->sum[c] = 0;
		block->harmonic[c] = 0;
	}
}

/* Add `kept`, the sums of the next source block, to the sums of all earlier
   blocks. */
static void next_join(struct apsp_column_stats *stats, const double *kept)
{
	size_t n = stats->n_vertices;

	for (size_t c = 0; c < n; c++) {
		stats->sum[c] += kept[c];
		stats->harmonic[c] += kept[n + c];
	}
	stats->n_joined++;
}

int apsp_column_stats_join(
	struct apsp_column_stats *stats, uint32_t end, struct apsp_err *err)
{
	while (stats->n_joined < end) {
		double **kept = &stats->kept[stats->n_joined];

		if (!*kept)
			return apsp_fail(err, APSP_EBUG,
				"statistics of source block %u are missing",
				stats->n_joined);
		next_join(stats, *kept);
		free(*kept);
		*kept = NULL;
	}
	return 0;
}

int apsp_column_stats_take(struct apsp_column_stats *stats, uint32_t block,
	const double *kept, struct apsp_err *err)
{
	int r = apsp_column_stats_join(stats, block, err);

	if (r < 0)
		return r;
	if (stats->n_joined != block || stats->kept[block])
		return apsp_fail(err, APSP_EBUG,
			"statistics of source block %u come twice or too late",
			block);
	next_join(stats, kept);
	return 0;
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
