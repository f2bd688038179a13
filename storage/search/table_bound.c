/*
 * Bounds from the distance table; see table_bound.h.
 */
#include "storage/search/table_bound.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

enum {
	UNIT_BITS = 17, /* the solver's unit has so many bits less than the
			   smallest length */
	LEAST_EXPONENT = -1074,
};

/*
 * The solver adds lengths that are rounded up to its unit
 * (compute/graph/README.md, Integers). So the path of the tables exceeds the
 * shortest path by at most one unit for each arc of the shortest path. The
 * distance is the sum of its lengths in doubles, perhaps rounded to float32.
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
	if (facts->negative) /* terms may be larger than their sum */
		bound->excess += n * n * facts->largest * DBL_EPSILON;
}

/* Turn distances into bounds: subtract the possible error of the solver. */
static void least_make(struct apsp_table_bound *bound)
{
	bool negative = bound->arcs->facts.negative;

	for (uint32_t v = 0; v < bound->arcs->n_vertices; v++) {
		double least = bound->least[v];

		if (least == INFINITY)
			continue;
		least -= fabs(least) * bound->share + bound->excess;
		if (least < 0 && !negative)
			least = 0;
		bound->largest = fmax(bound->largest, fabs(least));
		bound->least[v] = least;
	}
}

int apsp_table_bound_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	struct apsp_table_bound *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_table_bound_done)
	struct apsp_table_bound bound = {.tables = tables,
		.arcs = arcs,
		.source = source,
		.exact = apsp_tables_header(tables)->distance_kind !=
			 APSP_DISTANCE_SUM};
	int r;

	bound.least = malloc(arcs->n_vertices * sizeof(*bound.least));
	bound.hops = malloc(arcs->n_vertices * sizeof(*bound.hops));
	if (!bound.least || !bound.hops)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	r = apsp_lookup_row(tables, source, bound.least, bound.hops, err);
	if (r < 0)
		return r;
	margins_set(&bound);
	least_make(&bound);
	*out = APSP_TAKE(bound);
	return 0;
}

void apsp_table_bound_done(struct apsp_table_bound *bound)
{
	free(bound->least);
	free(bound->hops);
	memset(bound, 0, sizeof(*bound));
}

apsp_path_cost apsp_table_bound_least(
	const struct apsp_table_bound *bound, uint32_t v)
{
	double units;

	if (bound->least[v] == INFINITY)
		return APSP_PATH_COST_INFINITY;
	units = apsp_path_cost_units(&bound->arcs->unit, bound->least[v]);
	return bound->exact ? apsp_path_cost_of_units(units) + bound->hops[v]
			    : apsp_path_cost_of_units(floor(units));
}

apsp_path_cost apsp_table_bound_most(
	const struct apsp_table_bound *bound, uint32_t v)
{
	double least = bound->least[v], most;

	if (least == INFINITY)
		return APSP_PATH_COST_INFINITY;
	/* three times: least is one margin below the distance */
	most = least + 3 * (fabs(least) * bound->share + bound->excess);
	return apsp_path_cost_of_units(
		       ceil(apsp_path_cost_units(&bound->arcs->unit, most))) +
	       (APSP_PATH_COST_ARC - 1);
}
