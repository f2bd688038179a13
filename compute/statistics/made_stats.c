/*
 * A device's statistics on the host; see made_stats.h.
 */
#include "compute/statistics/made_stats.h"

#include <math.h>

enum {
	COLUMNS = APSP_STAT_COLUMNS,
};

void apsp_made_stats_columns(const struct apsp_made_stats *made,
	const struct apsp_stat_form *form, size_t n_vertices,
	const struct apsp_stat_columns *to)
{
	size_t n = n_vertices;

	for (size_t c = 0; c < n; c++) {
		const double *at = made->columns + c;

		to->count[c] = (uint32_t)at[APSP_MADE_COUNT * n];
		to->sum[c] = at[APSP_MADE_SUM * n];
		to->harmonic[c] = at[APSP_MADE_HARMONIC * n];
		apsp_stat_columns_put_most(form, to, c, at[APSP_MADE_MOST * n]);
	}
}

void apsp_made_stats_bins(const struct apsp_made_stats *made,
	struct apsp_bins *distances, struct apsp_bins *hops)
{
	const uint32_t *words = made->words;

	apsp_bins_add_counts(distances, (int)words[APSP_MADE_EXPONENT],
		words + APSP_MADE_DISTANCES_AT, APSP_HISTOGRAM_BINS);
	if (made->hops.n > 0)
		apsp_bins_add_counts(hops, 0, made->hops.counts, made->hops.n);
	else
		apsp_bins_add_counts(hops, (int)words[APSP_MADE_HOPS_EXPONENT],
			words + APSP_MADE_HOPS_AT, APSP_HISTOGRAM_BINS);
}

struct apsp_made_row apsp_made_stats_row(
	const struct apsp_made_stats *made, uint32_t r)
{
	const double *from = made->rows + (size_t)r * APSP_N_MADE;

	return (struct apsp_made_row){
		.all = {.count = (uint32_t)from[APSP_MADE_COUNT],
			.sum = from[APSP_MADE_SUM],
			.harmonic = from[APSP_MADE_HARMONIC],
			.most = from[APSP_MADE_MOST]},
		.hops = made->hops.n > 0 ? made->hops.rows[r]
					 : from[APSP_MADE_HOPS],
	};
}

static void part_add(
	struct apsp_stat_part *all, const struct apsp_stat_part *part)
{
	all->count += part->count;
	all->sum += part->sum;
	all->harmonic += part->harmonic;
	all->most = fmax(all->most, part->most);
}

struct apsp_made_row apsp_made_row_sum(const struct apsp_stat_form *form,
	const void *distances, size_t n, size_t self,
	struct apsp_stat_cells *cells)
{
	uint32_t count[COLUMNS] = {0};
	int32_t far[COLUMNS] = {0};
	double sum[COLUMNS] = {0}, harmonic[COLUMNS] = {0}, most[COLUMNS] = {0};
	const struct apsp_stat_columns nowhere = {
		count, sum, harmonic, most, far};
	size_t size = apsp_element_size(form->element);
	struct apsp_made_row row = {.all = {.most = -INFINITY}};

	for (size_t first = 0; first < n; first += COLUMNS) {
		struct apsp_stat_part part;

		apsp_stat_cells_add(form,
			(const char *)distances + first * size,
			n - first < COLUMNS ? n - first : COLUMNS, self - first,
			&nowhere, cells, &part);
		part_add(&row.all, &part);
		if (form->kind != APSP_DISTANCE_SCALED)
			continue;
		for (int c = 0; c < COLUMNS; c++)
			row.hops += cells->hops[c];
	}
	return row;
}

int apsp_made_row_compare(const struct apsp_made_row *made,
	const struct apsp_made_row *own, uint32_t source, struct apsp_err *err)
{
	if (made->all.count == own->all.count &&
		made->all.sum == own->all.sum &&
		made->all.harmonic == own->all.harmonic &&
		made->all.most == own->all.most && made->hops == own->hops)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"the device's statistics of source %u are %u, %.17g, %.17g, "
		"%.17g, %.0f, and the host's %u, %.17g, %.17g, %.17g, %.0f",
		source, made->all.count, made->all.sum, made->all.harmonic,
		made->all.most, made->hops, own->all.count, own->all.sum,
		own->all.harmonic, own->all.most, own->hops);
}
