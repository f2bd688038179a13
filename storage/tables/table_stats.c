/*
 * Reads the statistics of a table file; see table_stats.h.
 */
#include "storage/tables/table_stats.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/base/auto.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

/* Whether x can be the betweenness of a vertex. Apart from rounding, it is at
   most the number of pairs of other vertices. */
static bool is_betweenness(double x, uint64_t n_vertices)
{
	double n = (double)n_vertices;
	double most = n > 2 ? (n - 1) * (n - 2) * (1 + 1e-9) : 0;

	return x >= 0 && x <= most;
}

/* Whether each vertex has a valid betweenness, or all vertices have NaN
   instead. */
static bool betweenness_is_sane(const struct apsp_table_stats *stats)
{
	bool defined = stats->betweenness && !isnan(stats->betweenness[0]);

	for (uint64_t v = 0; stats->betweenness && v < stats->n_vertices; v++) {
		double x = stats->betweenness[v];

		if (defined ? !is_betweenness(x, stats->n_vertices) : !isnan(x))
			return false;
	}
	return true;
}

/* Whether a solver can have written these values: all counts of vertices are
   below n, all components are vertices, each betweenness is possible, and the
   bins have a width. */
static bool is_sane(const struct apsp_table_stats *stats)
{
	static const enum apsp_vertex_stat below_n[] = {APSP_STAT_REACHES,
		APSP_STAT_REACHED_BY, APSP_STAT_STRONG, APSP_STAT_WEAK};
	double n = (double)stats->n_vertices;

	for (size_t i = 0; i < sizeof(below_n) / sizeof(*below_n); i++)
		for (uint64_t v = 0; v < stats->n_vertices; v++) {
			double x = apsp_table_stats_get(stats, below_n[i], v);

			if (!(x >= 0 && x < n && x == floor(x)))
				return false;
		}
	return betweenness_is_sane(stats) && stats->distances.width > 0 &&
	       isfinite(stats->distances.width) && stats->hops.width > 0 &&
	       isfinite(stats->hops.width);
}

int apsp_table_stats_load(struct apsp_tables *tables,
	struct apsp_table_stats *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_table_stats_done)
	struct apsp_table_stats stats = {
		.n_vertices = tables->header.n_vertices};
	const struct apsp_section_place *places = tables->header.sections;
	size_t size = places[APSP_SECTION_VERTEX_STATS].size;
	size_t betweenness = places[APSP_SECTION_BETWEENNESS].size;
	int r;

	/* a file of version 1 has no statistics */
	if (places[APSP_SECTION_HISTOGRAMS].size == 0)
		return apsp_fail(err, APSP_ETABLES,
			"an earlier apspd made these tables, without "
			"statistics; DELETE the profile (or the graph) and "
			"PUT it again, and the tables are computed with them");
	stats.vertices = malloc(size);
	if (betweenness > 0)
		stats.betweenness = malloc(betweenness);
	if (!stats.vertices || (betweenness > 0 && !stats.betweenness))
		return apsp_fail(err, APSP_ENOMEM, "no memory for statistics");
	r = apsp_table_read_copy(tables, APSP_SECTION_VERTEX_STATS, 0, size,
		stats.vertices, err);
	if (r == 0)
		r = apsp_table_read_copy(tables, APSP_SECTION_HISTOGRAMS, 0,
			sizeof(stats.distances), &stats.distances, err);
	if (r == 0)
		r = apsp_table_read_copy(tables, APSP_SECTION_HISTOGRAMS,
			sizeof(stats.distances), sizeof(stats.hops),
			&stats.hops, err);
	if (r == 0 && betweenness > 0)
		r = apsp_table_read_copy(tables, APSP_SECTION_BETWEENNESS, 0,
			betweenness, stats.betweenness, err);
	if (r == 0 && !is_sane(&stats))
		r = apsp_tables_condemn(
			tables, "their statistics are not possible", err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(stats);
	return 0;
}

int apsp_table_stats_betweenness(struct apsp_tables *tables, uint32_t v,
	double *out, struct apsp_err *err)
{
	uint64_t size = tables->header.sections[APSP_SECTION_BETWEENNESS].size;
	double x;
	int r;

	if (size == 0)
		return 0;
	r = apsp_table_read_copy(tables, APSP_SECTION_BETWEENNESS,
		v * sizeof(x), sizeof(x), &x, err);
	if (r < 0)
		return r;
	if (!isnan(x) && !is_betweenness(x, tables->header.n_vertices))
		return apsp_tables_condemn(
			tables, "their statistics are not possible", err);
	*out = x;
	return 1;
}

void apsp_table_stats_done(struct apsp_table_stats *stats)
{
	free(stats->vertices);
	free(stats->betweenness);
	stats->vertices = stats->betweenness = NULL;
}
