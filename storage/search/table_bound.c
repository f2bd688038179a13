/*
 * Lower bounds from a row of the tables; see table_bound.h.
 */
#include "storage/search/table_bound.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "storage/search/search_work.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/table_read.h"

enum {
	/* the solver rounds lengths up to multiples of its unit, 2^(e -
	   UNIT_BITS); here e is the exponent of the smallest length */
	UNIT_BITS = 17,
	LEAST_EXPONENT = -1074,
};

uint64_t apsp_table_bound_bytes(uint64_t n_vertices)
{
	const struct apsp_table_bound *bound = NULL;

	return n_vertices * (sizeof(*bound->least) + sizeof(*bound->sums)) +
	       n_vertices / 8 + sizeof(*bound->known);
}

void apsp_table_bound_done(struct apsp_table_bound *bound)
{
	free(bound->least);
	free(bound->hops);
	free(bound->known);
	free(bound->sums);
	free(bound->stack);
	memset(bound, 0, sizeof(*bound));
}

/*
 * Set bound->share and bound->excess: a distance of the table exceeds the true
 * distance by at most share · |distance| + excess. The solver compares paths by
 * lengths that are rounded up to its unit (compute/graph/README.md, Integers).
 * Rounding adds at most one unit for each arc of a shortest path S. So the path
 * that the solver chooses is longer than S by at most one unit for each arc of
 * S. The table has the sum of the chosen path's lengths in doubles, perhaps
 * rounded to float32.
 */
static void margins_set(struct apsp_table_bound *bound,
	const struct apsp_table_header *header,
	const struct apsp_length_facts *facts)
{
	double n = (double)header->n_vertices, unit;
	int exponent;

	if (header->distance_kind != APSP_DISTANCE_SUM ||
		facts->smallest == INFINITY)
		return;
	exponent = ilogb(facts->smallest) - UNIT_BITS;
	unit = ldexp(1, exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT);
	bound->share = 1e-12 + n * DBL_EPSILON;
	if (header->sections[APSP_SECTION_DISTANCE].element ==
		APSP_ELEMENT_F32) {
		bound->share += (double)FLT_EPSILON;
		bound->excess += (double)FLT_MIN;
	}
	if (facts->zeros || facts->negative)
		bound->excess += n * unit;
	else
		bound->share += unit / facts->smallest;
	/* If some length is negative, the magnitude of a sum can be less
	   than that of its terms. Then the rounding error of the sum can
	   exceed `share` times the sum, so add an upper bound of the error
	   to `excess`. */
	if (facts->negative)
		bound->excess += n * n * facts->largest * DBL_EPSILON;
}

/* Turn a distance of the table into a lower bound: subtract the largest
   possible error of the solver. */
static double lowered(struct apsp_table_bound *bound, double distance)
{
	double least = distance;

	if (least == INFINITY)
		return least;
	least -= fabs(least) * bound->share + bound->excess;
	if (least < 0 && !bound->arcs->facts.negative)
		least = 0;
	bound->largest = fmax(bound->largest, fabs(least));
	return least;
}

/* Read the source's whole row of distances. */
static int row_read(struct apsp_table_bound *bound, struct apsp_err *err)
{
	APSP_AUTO(apsp_row_reader_end) struct apsp_row_reader *reader = NULL;
	size_t n = bound->arcs->n_vertices;
	struct apsp_row row;
	int r;

	r = apsp_row_reader_new(bound->tables,
		APSP_ROW_DISTANCE | APSP_ROW_HOPS | APSP_ROW_ROUNDED, NULL, 0,
		&reader, err);
	if (r == 0)
		r = apsp_row_reader_read(reader, bound->source, &row, err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < n; v++)
		bound->least[v] = lowered(bound, row.distance[v]);
	if (bound->exact)
		memcpy(bound->hops, row.hops, n * sizeof(*bound->hops));
	return 0;
}

static void know(struct apsp_table_bound *bound, uint32_t v, double distance,
	uint32_t hops)
{
	/* round the distance to the precision that a stored distance would
	   have, so that the search visits the same vertices whether the table
	   holds distances or only predecessors */
	bound->least[v] = lowered(bound,
		apsp_table_read_rounded(&bound->tables->header, distance));
	if (bound->exact)
		bound->hops[v] = hops;
	else
		bound->sums[v] = distance;
	apsp_bit_set_add(bound->known, v);
}

int apsp_table_bound_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	struct apsp_table_bound *out, struct apsp_err *err)
{
	bool whole = apsp_table_holds(&tables->header, APSP_SECTION_DISTANCE);
	size_t n = arcs->n_vertices;
	bool good;

	*out = (struct apsp_table_bound){
		.exact = tables->header.distance_kind != APSP_DISTANCE_SUM,
		.tables = tables,
		.arcs = arcs,
		.source = source,
	};
	margins_set(out, &tables->header, &arcs->facts);
	/* use calloc(), because many searches need only a small part of these
	   arrays, and pages that are never touched take no memory */
	good = (out->least = calloc(n, sizeof(*out->least)));
	if (out->exact)
		good &= !!(out->hops = calloc(n, sizeof(*out->hops)));
	else if (!whole)
		good &= !!(out->sums = calloc(n, sizeof(*out->sums)));
	if (!whole)
		good &= !!(
			out->known = calloc(n / 64 + 1, sizeof(*out->known)));
	if (!good)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	if (whole)
		return row_read(out, err);
	know(out, source, 0, 0);
	return 0;
}

static int broken(struct apsp_table_bound *bound, struct apsp_err *err)
{
	return apsp_tables_condemn(bound->tables,
		"predecessors do not lead to the source along arcs", err);
}

/* Walk back from v along the predecessors to the first vertex whose bound is
   known. Store the vertices before that vertex in the stack, beginning with
   v. *out_depth becomes the number of stored vertices. */
static int path_find(struct apsp_table_bound *bound, uint32_t v,
	size_t *out_depth, struct apsp_err *err)
{
	size_t depth = 0;
	int r = 0;

	while (r == 0 && v != APSP_NO_PREDECESSOR &&
		!apsp_table_bound_knows(bound, v)) {
		if (depth == bound->arcs->n_vertices)
			return broken(bound, err);
		r = apsp_search_reserve(&bound->stack, sizeof(*bound->stack),
			depth + 1, &bound->stack_size, err);
		if (r < 0)
			return r;
		bound->stack[depth++] = v;
		r = apsp_table_read_predecessor(
			bound->tables, bound->source, v, &v, err);
	}
	if (r == 0 && v == APSP_NO_PREDECESSOR && depth > 1)
		return broken(bound, err);
	*out_depth = depth;
	return r;
}

int apsp_table_bound_find(
	struct apsp_table_bound *bound, uint32_t v, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = bound->arcs;
	uint32_t before;
	size_t depth = 0;
	int r;

	if (apsp_table_bound_knows(bound, v))
		return 0;
	r = path_find(bound, v, &depth, err);
	if (r == 0)
		r = apsp_table_read_predecessor(bound->tables, bound->source,
			bound->stack[depth - 1], &before, err);
	if (r < 0)
		return r;
	if (before == APSP_NO_PREDECESSOR) {
		know(bound, v, INFINITY, 0);
		return 0;
	}
	if (bound->least[before] == INFINITY)
		return broken(bound, err);
	while (depth > 0) {
		uint64_t arc;

		v = bound->stack[--depth];
		arc = apsp_adjacency_find(arcs, before, v);
		if (arc == APSP_ARC_NONE)
			return broken(bound, err);
		if (bound->exact)
			know(bound, v,
				bound->least[before] + arcs->lengths[arc],
				bound->hops[before] + 1);
		else
			know(bound, v, bound->sums[before] + arcs->lengths[arc],
				0);
		before = v;
	}
	return 0;
}
