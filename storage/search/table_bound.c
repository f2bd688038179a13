/*
 * Bounds out of the table; see table_bound.h.
 */
#include "storage/search/table_bound.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "storage/tables/lookup.h"
#include "storage/tables/table_verify.h"

#define UNKNOWN (-APSP_COST_INFINITY)

enum {
	UNIT_BITS = 17, /* a solver's unit below the smallest length */
	LEAST_EXPONENT = -1074,
};

/*
 * The solver adds lengths that are rounded up to its unit
 * (compute/graph/README.md, Integers). So the path of the tables is longer than
 * the shortest by a unit for each arc of the shortest at most; and the distance
 * is its sum in doubles, perhaps rounded to float32.
 */
static void margins_set(struct apsp_table_bound *bound)
{
	const struct apsp_table_header *header =
		apsp_tables_header(bound->tables);
	const struct apsp_length_facts *facts = &bound->arcs->facts;
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
	if (facts->negative) /* terms of a sum may be larger than the sum */
		bound->excess += n * n * facts->largest * DBL_EPSILON;
}

int apsp_table_bound_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	struct apsp_table_bound *out, struct apsp_err *err)
{
	struct apsp_table_bound bound = {
		.tables = tables, .arcs = arcs, .source = source};

	bound.known = malloc(arcs->n_vertices * sizeof(*bound.known));
	if (!bound.known)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	for (uint32_t v = 0; v < arcs->n_vertices; v++)
		bound.known[v] = UNKNOWN;
	margins_set(&bound);
	*out = bound;
	return 0;
}

void apsp_table_bound_done(struct apsp_table_bound *bound)
{
	free(bound->known);
	memset(bound, 0, sizeof(*bound));
}

static apsp_cost bound_of(
	const struct apsp_table_bound *bound, const struct apsp_cell *cell)
{
	double least = cell->distance;

	if (!cell->reachable)
		return APSP_COST_INFINITY;
	if (cell->hops >= 0)
		return apsp_cost_of_units(
			       apsp_cost_units(&bound->arcs->unit, least)) +
		       cell->hops;
	least -= fabs(least) * bound->share + bound->excess;
	if (least < 0 && !bound->arcs->facts.negative)
		least = 0;
	return apsp_cost_of_units(
		floor(apsp_cost_units(&bound->arcs->unit, least)));
}

int apsp_table_bound_get(struct apsp_table_bound *bound, uint32_t v,
	apsp_cost *out, struct apsp_err *err)
{
	if (bound->known[v] == UNKNOWN) {
		struct apsp_cell cell;
		int r = apsp_lookup_cell(
			bound->tables, bound->source, v, &cell, err);

		if (r < 0)
			return r;
		bound->known[v] = bound_of(bound, &cell);
	}
	*out = bound->known[v];
	return 0;
}
