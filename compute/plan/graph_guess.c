/*
 * Guesses with formulas that were fitted to the benchmark's graphs; see
 * graph_guess.h.
 */
#include "compute/plan/graph_guess.h"

#include <math.h>

#include "daemon/job/arc_facts.h"

/* If lengths are real numbers, the solver converts them to integers. The
   integer of the shortest length is at least this number
   (compute/graph/integers.c). */
#define REAL_UNITS 131072.0

/*
 * Return the probable number of arcs in the longest of all shortest paths.
 * Measured in solved graphs ("under hops" means that all lengths are 1):
 *
 *	grid:24            46           larva              11 to 14
 *	grid:64            131          celegans           10
 *	grid:128           265          rmat:12:32         6
 *	rome99             108          rmat:12:4          14
 *	rome99 under hops  52           sparse:12529:100   14
 *	                                sparse:4096:8      18
 */
static double hops_of(const struct apsp_workload *work)
{
	double n = fmax((double)work->n_vertices, 2);
	double degree =
		(double)work->n_arcs / fmax((double)work->n_vertices, 1);
	double hops =
		apsp_cost_is_road(degree, work->hubs)
			? 2 * sqrt(n)
			: 3 * log(n) / log(fmax(degree, APSP_ROAD_DEGREE));

	return fmin(ceil(work->unit_lengths ? hops * 2 / 3 : hops), n - 1);
}

/* The solver multiplies lengths by a power of two, the scale
   (compute/graph/width_candidates.h). Return the probable scale. `hops` is the
   number of arcs in the longest of all shortest paths. */
static double scale_of(double hops)
{
	return exp2(ceil(log2(2 * (hops + 1))));
}

/* Return the probable number type of the distance matrix V if lengths are
   integers. No length is above `most`. The formula assumes that the average
   length is most / 2. */
static enum apsp_element whole_element(double hops, double most, double n)
{
	double largest = hops * most / 2;

	if (largest * scale_of(hops) + hops < APSP_V_INFINITY_U16)
		return APSP_ELEMENT_U16;
	return largest * fmin(n, scale_of(hops)) < APSP_V_INFINITY_I32
		       ? APSP_ELEMENT_I32
		       : APSP_ELEMENT_F64;
}

/* Whether the ranks of the weights probably fit 16 bits. They fit if there are
   few arcs, or if the weights are small integers, because equal weights have
   the same rank. */
static bool ranks_are_narrow(unsigned int weights, uint64_t n_arcs)
{
	double most = apsp_arc_facts_largest(weights);

	return n_arcs < APSP_V_INFINITY_U16 ||
	       (!(weights & APSP_ARC_FRACTION) && most > 0 &&
		       most < APSP_V_INFINITY_U16);
}

static void widths_set(unsigned int weights, const struct apsp_profile *rule,
	struct apsp_workload *out)
{
	double most = apsp_arc_facts_largest(weights), hops = (double)out->hops;
	double n = (double)out->n_vertices;
	bool real = rule->transform != APSP_TRANSFORM_NONE ||
		    rule->normalise != APSP_NORMALISE_NONE ||
		    weights & APSP_ARC_FRACTION;

	out->element = out->distance = APSP_ELEMENT_I32;
	if (rule->path == APSP_PATH_WIDEST) {
		if (ranks_are_narrow(weights, out->n_arcs))
			out->element = out->distance = APSP_ELEMENT_U16;
		return;
	}
	if (rule->transform == APSP_TRANSFORM_HOPS) {
		if (n <= APSP_V_INFINITY_U16)
			out->element = out->distance = APSP_ELEMENT_U16;
		return;
	}
	if (!real && !(weights & APSP_ARC_NEGATIVE) && most > 0)
		out->element = out->distance = whole_element(hops, most, n);
	if (!real)
		return;
	/* If the profile has the option `normalise`, the weight of an arc
	   becomes its share of a vertex's total weight. The smallest share is
	   probably at least 1 / (most · a), where a is the average number of
	   arcs to one vertex. */
	if (rule->normalise != APSP_NORMALISE_NONE)
		most = fmax(most, 1) * fmax((double)out->n_arcs / n, 1);
	/* the transform `inv` makes the length 1/w from a weight w; these
	   lengths are probably from 1/most to 1 */
	if (rule->transform == APSP_TRANSFORM_INV && most > 0 &&
		hops * most * REAL_UNITS / 2 > APSP_V_INFINITY_I32)
		out->element = APSP_ELEMENT_F64;
	out->distance = rule->precision == APSP_PRECISION_FLOAT64
				? APSP_ELEMENT_F64
				: APSP_ELEMENT_F32;
}

void apsp_graph_guess_workload(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_workload *out)
{
	if (n_vertices > 0 && n_arcs / n_vertices >= n_vertices)
		n_arcs = n_vertices * n_vertices;
	*out = (struct apsp_workload){
		.n_vertices = n_vertices,
		.n_arcs = n_arcs,
		.predecessor =
			apsp_arc_facts_predecessor(weights, n_vertices, n_arcs),
		.unit_lengths = rule->transform == APSP_TRANSFORM_HOPS,
		.transformed =
			rule->path == APSP_PATH_WIDEST ||
			(rule->transform != APSP_TRANSFORM_HOPS &&
				(rule->transform != APSP_TRANSFORM_NONE ||
					rule->normalise !=
						APSP_NORMALISE_NONE)),
		.widest = rule->path == APSP_PATH_WIDEST,
		.betweenness = rule->measures & APSP_MEASURE_BETWEENNESS,
		.tables = rule->tables,
		.reachable = 1,
		.likely = true,
		.hubs = weights & APSP_ARC_HUBS,
	};
	out->hops = (uint64_t)hops_of(out);
	widths_set(weights, rule, out);
}
