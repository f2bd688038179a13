/*
 * Integers from lengths; see integers.h.
 */
#include "compute/graph/integers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "compute/graph/potentials.h"
#include "daemon/base/auto.h"

enum {
	LABEL_SIZE = 48,	/* of a label in a message */
	PRECISION_BITS = 17,	/* the smallest length is 2^17 units */
	LARGEST_BITS = 52,	/* the largest is below 2^52 units */
	LEAST_EXPONENT = -1074, /* of a double above 0 */
};

#define LARGEST (INT64_C(1) << 53)

static int too_long(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, uint32_t tail, uint64_t arc,
	struct apsp_err *err)
{
	char from[LABEL_SIZE];
	char to[LABEL_SIZE];

	apsp_graph_label(graph, tail, from, sizeof(from));
	apsp_graph_label(graph, lengths->heads[arc], to, sizeof(to));
	return apsp_fail(err, APSP_EOVERFLOW,
		"the arc from '%s' to '%s' has length %.17g, which does not "
		"fit 53 bits next to the others",
		from, to, lengths->lengths[arc]);
}

static enum apsp_distance_kind kind_of(const struct apsp_lengths *lengths)
{
	enum apsp_distance_kind kind = APSP_DISTANCE_HOPS;

	if (!lengths->lengths)
		return kind;
	for (uint64_t a = 0; a < lengths->n_arcs; a++) {
		double length = lengths->lengths[a];

		if (length != rint(length) || fabs(length) > (double)LARGEST)
			return APSP_DISTANCE_SUM;
		if (length != 1)
			kind = APSP_DISTANCE_SCALED;
	}
	return kind;
}

/* The least and the largest length, apart from signs and zeros. */
struct sizes {
	double smallest; /* INFINITY: all are 0 */
	double largest;
	bool zeros;
};

static struct sizes sizes_of(const struct apsp_lengths *lengths)
{
	struct sizes sizes = {.smallest = INFINITY};

	for (uint64_t a = 0; a < lengths->n_arcs; a++) {
		double length = fabs(lengths->lengths[a]);

		sizes.zeros |= length == 0;
		if (length > 0)
			sizes.smallest = fmin(sizes.smallest, length);
		sizes.largest = fmax(sizes.largest, length);
	}
	return sizes;
}

static int above_least(int exponent)
{
	return exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT;
}

/*
 * The unit's exponent. An arc of length 0 counts as one unit, and a path may
 * have one such arc for each vertex. So where some length is 0, the unit is
 * made finer, until n_vertices units are less than the smallest length / 2^17,
 * or the largest length would no longer fit.
 */
static int unit_exponent(const struct sizes *sizes, uint32_t n_vertices)
{
	int exponent = ilogb(sizes->smallest) - PRECISION_BITS;

	if (sizes->zeros) {
		int fits = ilogb(sizes->largest) + 1 - LARGEST_BITS;
		int finer = exponent;

		while (finer > LEAST_EXPONENT &&
			ldexp(sizes->smallest, -PRECISION_BITS - finer) <
				n_vertices)
			finer--;
		if (finer < fits)
			finer = fits;
		if (finer < exponent)
			exponent = finer;
	}
	return above_least(exponent);
}

/* w, or w' of reals, before potentials. */
static double value_of(const struct apsp_integers *integers, double length)
{
	if (integers->kind != APSP_DISTANCE_SUM)
		return length;
	return floor(length / integers->unit) + 1; /* a power of two: exact */
}

static int check_values(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++)
			if (!(fabs(value_of(integers, lengths->lengths[a])) <=
				    (double)LARGEST))
				return too_long(graph, lengths, v, a, err);
	return 0;
}

static bool any_negative(const struct apsp_lengths *lengths)
{
	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		if (lengths->lengths[a] < 0)
			return true;
	return false;
}

static int no_memory(const struct apsp_lengths *lengths, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the lengths of %llu arcs",
		(unsigned long long)lengths->n_arcs);
}

static int remove_negative(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, struct apsp_integers *integers,
	struct apsp_negative_cycle *out_cycle, struct apsp_err *err)
{
	struct apsp_potentials_scale scale = {0};
	int r;

	if (lengths->has_negative_loop) {
		r = apsp_negative_cycle_loop(
			lengths->negative_loop, out_cycle, err);
		return r < 0 ? r
			     : apsp_negative_cycle_refuse(
				       graph, out_cycle, err);
	}
	if (integers->kind == APSP_DISTANCE_HOPS || !any_negative(lengths))
		return 0;
	if (integers->kind == APSP_DISTANCE_SUM) {
		struct sizes sizes = sizes_of(lengths);

		scale.unit = ilogb(integers->unit);
		/* the last bit of the smallest length */
		scale.step =
			above_least(ilogb(sizes.smallest) - (DBL_MANT_DIG - 1));
	}
	r = apsp_potentials_find(
		lengths, scale, &integers->potentials, out_cycle, err);
	if (r < 0)
		return r;
	if (out_cycle->n != 0)
		return apsp_negative_cycle_refuse(graph, out_cycle, err);
	return 0;
}

/*
 * Check that every integer that kernels get fits 53 bits. SCALED adds the
 * potentials to w and then scales: (w + h(u) - h(v)) · scale + 1 is above 0.
 */
static int check_scaled(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	const int64_t *h = integers->potentials;
	int64_t one = integers->kind == APSP_DISTANCE_SCALED;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			int64_t value = (int64_t)value_of(
				integers, lengths->lengths[a]);

			if (h) /* each is at most 2^53 either way */
				value += h[v] - h[lengths->heads[a]];
			if (__builtin_mul_overflow(
				    value, integers->scale, &value) ||
				value > LARGEST - one)
				return too_long(graph, lengths, v, a, err);
		}
	}
	return 0;
}

static int scale_potentials(const struct apsp_lengths *lengths,
	struct apsp_integers *integers, struct apsp_err *err)
{
	int64_t *h = integers->potentials;

	for (uint32_t v = 0; h && v < lengths->n_vertices; v++)
		if (__builtin_mul_overflow(h[v], integers->scale, &h[v]) ||
			h[v] < -LARGEST)
			return apsp_fail(err, APSP_EOVERFLOW,
				"the negative lengths add up to more than 53 "
				"bits hold");
	return 0;
}

int apsp_integers_build(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, int64_t scale,
	struct apsp_integers *out, struct apsp_negative_cycle *out_cycle,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_integers_done)
	struct apsp_integers made = {.kind = kind_of(lengths), .scale = 1};
	int r = 0;

	*out_cycle = (struct apsp_negative_cycle){0};
	made.unit = 1;
	if (made.kind == APSP_DISTANCE_SUM) {
		struct sizes sizes = sizes_of(lengths);

		made.unit =
			ldexp(1, unit_exponent(&sizes, lengths->n_vertices));
	}
	if (made.kind == APSP_DISTANCE_SCALED)
		made.scale = scale != 0 ? scale : lengths->n_vertices;
	/* lengths that are all 1 fit, and have no array to check */
	if (made.kind != APSP_DISTANCE_HOPS)
		r = check_values(graph, lengths, &made, err);
	if (r >= 0)
		r = remove_negative(graph, lengths, &made, out_cycle, err);
	if (r >= 0 && made.kind != APSP_DISTANCE_HOPS)
		r = check_scaled(graph, lengths, &made, err);
	if (r >= 0)
		r = scale_potentials(lengths, &made, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(made);
	return 0;
}

int apsp_integers_all(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t **out,
	struct apsp_err *err)
{
	int64_t *all = malloc((lengths->n_arcs + 1) * sizeof(*all));

	if (!all)
		return no_memory(lengths, err);
	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		apsp_integers_row(
			lengths, integers, v, all + lengths->offsets[v]);
	*out = all;
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
