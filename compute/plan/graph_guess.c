/*
 * Formulas that fit the benchmark's graphs; see graph_guess.h. In parentheses
 * what solves of them counted.
 */
#include "compute/plan/graph_guess.h"

#include <math.h>

#include "daemon/base/weights.h"

/* A V of reals has so many units in its least length (integers.h). */
#define REAL_UNITS 131072.0

/* What pushes and hops are guessed from. */
struct shape {
	double n;      /* vertices, at least 2 */
	double degree; /* arcs a vertex */
	bool unit_lengths;
	bool hubs;
};

static bool is_road(const struct shape *shape)
{
	return apsp_cost_is_road(shape->degree, shape->hubs);
}

/*
 * Arcs of the longest shortest path: grid:24 46, grid:64 131, grid:128 265,
 * rome99 108 or, under hops, 52; larva 11 to 14, celegans 10, rmat:12:32 6,
 * rmat:12:4 14, sparse:12529:100 14, sparse:4096:8 18.
 */
static double hops_of(const struct shape *shape)
{
	double branches = fmax(shape->degree, APSP_ROAD_DEGREE);
	double hops = is_road(shape) ? 2 * sqrt(shape->n)
				     : 3 * log(shape->n) / log(branches);

	return fmin(
		ceil(shape->unit_lengths ? hops * 2 / 3 : hops), shape->n - 1);
}

/*
 * How often multi-source pushes an arc that it keeps. Weights: grid:24 4.2,
 * grid:64 6.8, grid:128 12.3, rome99 9.4; larva 2.4 to 4.9, sparse:12529:100
 * 5.1, sparse:4096:8 5.0; around hubs rmat:12:32 2.2. Hops: rome99 3.6; larva
 * 1.6; rmat:12:32 1.5.
 */
static double pushes_of(const struct shape *shape)
{
	if (shape->hubs)
		return shape->unit_lengths ? 1.5 : 2.2;
	if (shape->unit_lengths)
		return is_road(shape) ? 2 + 0.03 * sqrt(shape->n) : 1.6;
	return is_road(shape) ? 2.2 + 0.08 * sqrt(shape->n) : 4.5;
}

/* The power of two that the solver scales lengths by (width_candidates.h). */
static double scale_of(double hops)
{
	return exp2(ceil(log2(2 * (hops + 1))));
}

/* V of whole lengths up to `most`, of which half are longer than half. */
static enum apsp_element whole_element(double hops, double most, double n)
{
	double largest = hops * most / 2;

	if (largest * scale_of(hops) + hops < APSP_V_INFINITY_U16)
		return APSP_ELEMENT_U16;
	return largest * fmin(n, scale_of(hops)) < APSP_V_INFINITY_I32
		       ? APSP_ELEMENT_I32
		       : APSP_ELEMENT_F64;
}

static void widths_set(double n, unsigned int weights,
	const struct apsp_profile *rule, struct apsp_graph_guess *out)
{
	double most = apsp_weights_most(weights), hops = (double)out->hops;
	bool real = rule->transform != APSP_TRANSFORM_NONE ||
		    weights & APSP_WEIGHTS_FRACTION;

	out->element = out->distance = APSP_ELEMENT_I32;
	if (rule->transform == APSP_TRANSFORM_HOPS) {
		if (n <= APSP_V_INFINITY_U16)
			out->element = out->distance = APSP_ELEMENT_U16;
		return;
	}
	if (!real && !(weights & APSP_WEIGHTS_NEGATIVE) && most > 0)
		out->element = out->distance = whole_element(hops, most, n);
	if (!real)
		return;
	/* the longest of 1/w is 1, the least 1/most */
	if (rule->transform == APSP_TRANSFORM_INV && most > 0 &&
		hops * most * REAL_UNITS / 2 > APSP_V_INFINITY_I32)
		out->element = APSP_ELEMENT_F64;
	out->distance = rule->precision == APSP_PRECISION_FLOAT64
				? APSP_ELEMENT_F64
				: APSP_ELEMENT_F32;
}

void apsp_graph_guess_make(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_graph_guess *out)
{
	const struct shape shape = {
		.n = fmax((double)n_vertices, 2),
		.degree = (double)n_arcs / fmax((double)n_vertices, 1),
		.unit_lengths = rule->transform == APSP_TRANSFORM_HOPS,
		.hubs = weights & APSP_WEIGHTS_HUBS,
	};

	*out = (struct apsp_graph_guess){.hops = (uint64_t)hops_of(&shape),
		.visits = (double)n_arcs * pushes_of(&shape),
		.hubs = shape.hubs};
	widths_set((double)n_vertices, weights, rule, out);
}

void apsp_graph_guess_workload(uint64_t n_vertices, uint64_t n_arcs,
	unsigned int weights, const struct apsp_profile *rule,
	struct apsp_workload *out)
{
	struct apsp_graph_guess guess;

	if (n_vertices > 0 && n_arcs / n_vertices >= n_vertices)
		n_arcs = n_vertices * n_vertices;
	apsp_graph_guess_make(n_vertices, n_arcs, weights, rule, &guess);
	*out = (struct apsp_workload){
		.n_vertices = n_vertices,
		.n_arcs = n_arcs,
		.element = guess.element,
		.distance = guess.distance,
		.unit_lengths = rule->transform == APSP_TRANSFORM_HOPS,
		.transformed = rule->transform != APSP_TRANSFORM_NONE &&
			       rule->transform != APSP_TRANSFORM_HOPS,
		.betweenness =
			apsp_profile_measures(rule, APSP_MEASURE_BETWEENNESS),
		.reachable = 1,
		.likely = true,
		.hops = guess.hops,
		.visits = guess.visits,
		.hubs = guess.hubs,
	};
}
