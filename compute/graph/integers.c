/*
 * Computes integers from lengths; see integers.h.
 */
#include "compute/graph/integers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/graph/components.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	LABEL_SIZE = 48,	/* size in bytes of a label in a message */
	REASON_SIZE = 128,	/* size in bytes of a reason in a message */
	PRECISION_BITS = 17,	/* the smallest length is at least 2^17 units */
	LARGEST_BITS = 52,	/* the largest length is below 2^52 units */
	LEAST_EXPONENT = -1074, /* exponent of the smallest double above 0 */
	BLOCK = 1 << 14,	/* number of arcs that one task reads */
};

#define LARGEST (INT64_C(1) << 53)

/* for the kind SCALED */
static const char too_long[] =
	"which does not fit 53 bits together with the hop counts of paths; "
	"scale the weights down";
/* for the kind SUM with negative lengths */
static const char too_far[] =
	"which does not fit 53 bits next to the smallest length; drop or raise "
	"the smallest lengths";
static const char too_short[] =
	"for which float64 has too few digits to compare paths; scale the "
	"weights up";

static int refuse(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, uint32_t tail, uint64_t arc,
	const char *why, struct apsp_err *err)
{
	char from[LABEL_SIZE];
	char to[LABEL_SIZE];

	apsp_graph_label(graph, tail, from, sizeof(from));
	apsp_graph_label(graph, lengths->heads[arc], to, sizeof(to));
	return apsp_fail(err, APSP_EOVERFLOW,
		"the arc from '%s' to '%s' has length %.17g, %s", from, to,
		lengths->lengths[arc], why);
}

/* Properties of all lengths. */
struct sizes {
	/* some length is not an integer, or its absolute value is above 2^53 */
	bool fractions;
	bool others; /* some length is not 1 */
	bool negative;
	bool zeros;
	/* smallest absolute value of a length other than 0; INFINITY: all
	   lengths are 0 */
	double smallest;
	double largest; /* largest absolute value */
	/* for the kind SUM (real lengths, integers.h): the unit must be so
	   small that this number of units is at most 2^-17 of the smallest
	   length other than 0 */
	uint32_t units;
};

/* The state of block_look(), shared by the threads: the lengths, and the
   properties of each block of lengths. */
struct look {
	const struct apsp_lengths *lengths;
	struct sizes *blocks;
};

static struct sizes block_look(const double *lengths, uint64_t n)
{
	struct sizes sizes = {.smallest = INFINITY};

	for (uint64_t a = 0; a < n; a++) {
		double length = lengths[a], size = fabs(length);

		sizes.fractions |= !(size <= (double)LARGEST) ||
				   (double)(int64_t)length != length;
		sizes.others |= length != 1;
		sizes.negative |= length < 0;
		sizes.zeros |= size == 0;
		if (size > 0 && size < sizes.smallest)
			sizes.smallest = size;
		if (size > sizes.largest)
			sizes.largest = size;
	}
	return sizes;
}

static void look_body(void *ctx, unsigned int thread, size_t b)
{
	const struct look *look = ctx;
	uint64_t first = b * BLOCK, left = look->lengths->n_arcs - first;

	(void)thread;
	look->blocks[b] = block_look(
		look->lengths->lengths + first, left < BLOCK ? left : BLOCK);
}

/* Find the properties of all lengths. If all lengths are 1, there is no array
   to read. */
static int sizes_find(const struct apsp_lengths *lengths, struct sizes *out,
	struct apsp_err *err)
{
	size_t n = (lengths->n_arcs + BLOCK - 1) / BLOCK;
	APSP_AUTO(apsp_free) struct sizes *blocks = NULL;

	*out = (struct sizes){.smallest = INFINITY, .units = 1};
	if (!lengths->lengths)
		return 0;
	blocks = malloc((n + 1) * sizeof(*blocks));
	if (!blocks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the lengths of %llu arcs",
			(unsigned long long)lengths->n_arcs);
	apsp_parallel_for(n, apsp_parallel_processors(), look_body,
		&(struct look){lengths, blocks});
	for (size_t b = 0; b < n; b++) {
		out->fractions |= blocks[b].fractions;
		out->others |= blocks[b].others;
		out->negative |= blocks[b].negative;
		out->zeros |= blocks[b].zeros;
		out->smallest = fmin(out->smallest, blocks[b].smallest);
		out->largest = fmax(out->largest, blocks[b].largest);
	}
	return 0;
}

static int above_least(int exponent)
{
	return exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT;
}

/*
 * Return in *out a number m with this property: on every path that has k arcs
 * of other lengths than 0, with k at least 1, and z arcs of length 0, k + z is
 * at most k · m.
 *
 * The arcs of length 0 connect vertices into groups: let s be the size of the
 * largest group, and e the number of vertices in groups of two or more. A path
 * visits no vertex twice, so z is at most e - 1. And before, between and after
 * its k other arcs, it stays in a group, so z is at most (k + 1) · (s - 1).
 * Because k is at least 1, both e and 2 · s - 1 have the property. *out gets
 * the smaller one.
 */
static int zeros_count(
	const struct apsp_lengths *lengths, uint32_t *out, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices, most = 1, ends = 0;
	APSP_AUTO(apsp_free) uint32_t *least = NULL;
	APSP_AUTO(apsp_free)
	uint32_t *sizes = calloc((size_t)n + 1, sizeof(*sizes));
	int r = sizes ? apsp_components_weak(lengths, true, &least, err)
		      : apsp_fail(err, APSP_ENOMEM,
				"no memory for the lengths between %u vertices",
				n);

	if (r < 0)
		return r;
	for (uint32_t v = 0; v < n; v++)
		sizes[least[v]]++;
	for (uint32_t v = 0; v < n; v++) {
		if (sizes[v] > 1)
			ends += sizes[v];
		if (sizes[v] > most)
			most = sizes[v];
	}
	*out = ends / 2 < most ? ends : 2 * most - 1;
	return 0;
}

/* Return the largest exponent x for which `units` units of 2^x are at most
   2^-17 of the smallest length other than 0. */
static int exponent_of(const struct sizes *sizes, uint32_t units)
{
	int exponent = ilogb(sizes->smallest) - PRECISION_BITS;

	while (ldexp(sizes->smallest, -PRECISION_BITS - exponent) < units)
		exponent--;
	return exponent;
}

/*
 * Choose the unit of the kind SUM (real lengths, integers.h). The integer of an
 * arc is larger than the arc by at most one unit, and by a whole unit if the
 * arc has the length 0. If m units (zeros_count()) are at most 2^-17 of the
 * smallest length other than 0, a path is too long by at most 2^-17 of its
 * length. m = n_vertices is always right, but the unit is then finer than
 * necessary. If the largest length would then need more than 52 bits, m is the
 * result of zeros_count() instead. For this m, the function computes two units:
 * the largest one that m allows, and the smallest one with which the largest
 * length needs only 52 bits. It chooses the smaller of these two units.
 */
static int unit_choose(const struct apsp_lengths *lengths, struct sizes *sizes,
	double *out_unit, struct apsp_err *err)
{
	int exponent = exponent_of(sizes, 1);
	int fits = ilogb(sizes->largest) + 1 - LARGEST_BITS;
	int finer = exponent_of(sizes, lengths->n_vertices);
	int r = 0;

	if (sizes->zeros && finer >= fits && finer >= LEAST_EXPONENT) {
		exponent = finer;
	} else if (sizes->zeros) {
		r = zeros_count(lengths, &sizes->units, err);
		exponent = exponent_of(sizes, sizes->units);
		if (exponent > fits)
			exponent = fits;
	}
	*out_unit = ldexp(1, above_least(exponent));
	return r;
}

/* Return the integer of a length, before the scale and the potentials are
   applied: for the kind SCALED the length itself, for the kind SUM the integer
   w' (integers.h). The length must have passed check_values(). */
static int64_t value_of(const struct apsp_integers *integers, double length)
{
	if (integers->kind != APSP_DISTANCE_SUM)
		return (int64_t)length;
	/* the unit is a power of two, so the division is exact */
	return (int64_t)floor(length / integers->unit) + 1;
}

static bool value_fits(const struct apsp_integers *integers, double length)
{
	return fabs(length / integers->unit) <= (double)LARGEST;
}

/* Whether a length of the absolute value `size` is too short to be counted in
   units: the unit would be less than the least positive double. */
static bool is_too_short(const struct apsp_integers *integers,
	const struct sizes *sizes, double size)
{
	return integers->kind == APSP_DISTANCE_SUM && size > 0 &&
	       ldexp(size, -PRECISION_BITS - LEAST_EXPONENT) < sizes->units;
}

static int check_values(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, const struct sizes *sizes,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	char reason[REASON_SIZE];

	if (value_fits(integers, sizes->largest) &&
		!is_too_short(integers, sizes, sizes->smallest))
		return 0;
	snprintf(reason, sizeof(reason),
		"which does not fit 53 bits next to the smallest length, %.3g; "
		"drop or raise the smallest lengths",
		sizes->smallest);
	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			if (!value_fits(integers, lengths->lengths[a]))
				return refuse(
					graph, lengths, v, a, reason, err);
			if (is_too_short(
				    integers, sizes, fabs(lengths->lengths[a])))
				return refuse(
					graph, lengths, v, a, too_short, err);
		}
	return 0;
}

static int remove_negative(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, const struct sizes *sizes,
	struct apsp_integers *integers, struct apsp_negative_cycle *out_cycle,
	struct apsp_err *err)
{
	struct apsp_potentials_scale scale = {0};

	if (!lengths->has_negative_loop &&
		(integers->kind == APSP_DISTANCE_HOPS || !sizes->negative))
		return 0;
	if (integers->kind == APSP_DISTANCE_SUM) {
		scale.unit = ilogb(integers->unit);
		/* a step is the value of the last binary digit of the smallest
		   length; larger lengths have no finer digits, so every length
		   is a whole number of steps */
		scale.step = above_least(
			ilogb(sizes->smallest) - (DBL_MANT_DIG - 1));
	}
	return apsp_potentials_find(
		graph, lengths, scale, &integers->potentials, out_cycle, err);
}

static bool scaled_fits(const struct apsp_integers *integers, int64_t value)
{
	int64_t one = integers->kind == APSP_DISTANCE_SCALED;

	return !__builtin_mul_overflow(value, integers->scale, &value) &&
	       value <= LARGEST - one;
}

/*
 * Check that every integer that kernels get fits in 53 bits. With potentials h,
 * the integer of an arc from u to v is (w + h(u) - h(v)) · scale + 1 for the
 * kind SCALED (integers.h). If there are no potentials, no length is negative,
 * and only the largest length is checked. APSP_EOVERFLOW: an integer does not
 * fit; the message names its arc.
 */
static int check_scaled(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, const struct sizes *sizes,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	const int64_t *h = integers->potentials;

	if (!h && scaled_fits(integers, value_of(integers, sizes->largest)))
		return 0;
	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			int64_t value = value_of(integers, lengths->lengths[a]);

			/* the sum does not overflow, because each potential is
			   from -2^53 to 2^53 */
			if (h)
				value += h[v] - h[lengths->heads[a]];
			if (!scaled_fits(integers, value))
				return refuse(graph, lengths, v, a,
					integers->kind == APSP_DISTANCE_SCALED
						? too_long
						: too_far,
					err);
		}
	}
	return 0;
}

/*
 * Return the largest scale with which all integers fit 53 bits: n, the number
 * of vertices, or a power of two below n. The scale must be above the number of
 * arcs of every shortest path. This is always true for the scale n. For a
 * smaller scale, it is verified when the tables are made, by the hop counts in
 * the integer distances. With potentials, integer distances have no hop counts,
 * so the scale is always n. If no scale fits, the function returns the smallest
 * one. Then check_scaled() fails, and names an arc that fits no scale.
 */
static int64_t largest_scale(
	const struct apsp_integers *integers, double largest, int64_t n)
{
	struct apsp_integers tried = *integers;
	int64_t scale = 1;

	tried.scale = n;
	if (tried.potentials || scaled_fits(&tried, value_of(&tried, largest)))
		return n;
	for (tried.scale = 2; tried.scale < n &&
			      scaled_fits(&tried, value_of(&tried, largest));
		tried.scale *= 2)
		scale = tried.scale;
	if (scale == 1)
		scale = n < 2 ? n : 2;
	return scale;
}

int apsp_integers_build(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, int64_t scale,
	struct apsp_integers *out, struct apsp_negative_cycle *out_cycle,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_integers_done)
	struct apsp_integers made = {.scale = 1, .unit = 1};
	struct sizes sizes;
	int r = sizes_find(lengths, &sizes, err);

	*out_cycle = (struct apsp_negative_cycle){0};
	if (r >= 0 && graph->profile.path == APSP_PATH_WIDEST) {
		if (lengths->n_ranks >= APSP_V_INFINITY_I32)
			return apsp_fail(err, APSP_EOVERFLOW,
				"the graph has %llu different weights, and "
				"path=widest counts fewer than %d; round the "
				"weights",
				(unsigned long long)lengths->n_ranks,
				APSP_V_INFINITY_I32);
		made.kind = APSP_DISTANCE_WIDTH;
		*out = APSP_TAKE(made);
		return 0;
	}
	made.kind = sizes.fractions ? APSP_DISTANCE_SUM
		    : sizes.others  ? APSP_DISTANCE_SCALED
				    : APSP_DISTANCE_HOPS;
	if (r >= 0 && made.kind == APSP_DISTANCE_SUM)
		r = unit_choose(lengths, &sizes, &made.unit, err);
	/* if all lengths are 1, skip the check, because lengths->lengths may be
	   NULL */
	if (r >= 0 && made.kind != APSP_DISTANCE_HOPS)
		r = check_values(graph, lengths, &sizes, &made, err);
	if (r >= 0)
		r = remove_negative(
			graph, lengths, &sizes, &made, out_cycle, err);
	if (made.kind == APSP_DISTANCE_SCALED)
		made.scale = scale != 0 ? scale
					: largest_scale(&made, sizes.largest,
						  lengths->n_vertices);
	if (r >= 0 && made.kind != APSP_DISTANCE_HOPS)
		r = check_scaled(graph, lengths, &sizes, &made, err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; made.potentials && v < lengths->n_vertices; v++)
		if (__builtin_mul_overflow(made.potentials[v], made.scale,
			    &made.potentials[v]) ||
			made.potentials[v] < -LARGEST)
			return apsp_fail(err, APSP_EOVERFLOW,
				"the negative lengths add up to more than 53 "
				"bits hold");
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_integers_row(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, int64_t *out)
{
	uint64_t first = lengths->offsets[tail];
	uint64_t n = lengths->offsets[tail + 1] - first;

	for (uint64_t a = 0; a < n; a++)
		out[a] = apsp_integers_at(lengths, integers, tail, first + a);
}

void apsp_integers_done(struct apsp_integers *integers)
{
	free(integers->potentials);
	*integers = (struct apsp_integers){0};
}
