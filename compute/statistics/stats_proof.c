/*
 * Compares the statistics of a table with each other; see stats_proof.h.
 */
#include "compute/statistics/stats_proof.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Doubles hold every whole number below 2^53. */
#define DOUBLE_WHOLE 0x1p53

/* Sums of statistics over all vertices, either of the paths from each vertex or
   of the paths to each vertex. `most` is not a sum but the largest of all
   distances. */
struct total {
	double count, sum, harmonic, most;
};

static struct total total_of(const struct apsp_stats_proof *proof, int in)
{
	size_t n = proof->n_vertices;
	struct total total = {.most = -INFINITY};

	for (uint32_t v = 0; v < n; v++) {
		const double *at = proof->vertices + v;
		double most = at[(APSP_STAT_FARTHEST_OUT + in) * n];

		total.count += at[(APSP_STAT_REACHES + in) * n];
		total.sum += at[(APSP_STAT_DISTANCE_OUT + in) * n];
		total.harmonic += at[(APSP_STAT_HARMONIC_OUT + in) * n];
		total.most = fmax(total.most, most); /* NaN: no path */
	}
	return total;
}

/* Whether a and b can be sums of the same values, added in two orders. If the
   values are whole numbers and the sum is below DOUBLE_WHOLE, no addition
   rounds, so a and b must be equal. */
static bool sums_agree(
	const struct apsp_stats_proof *proof, double a, double b, bool whole)
{
	double slack = whole && fabs(a) < DOUBLE_WHOLE
			       ? 0
			       : apsp_sum_slack(proof->n_vertices);

	/* In one order of additions, a sum can exceed the largest double and
	   become infinite, but in another order not. So infinity counts as the
	   largest double here. If a distance is 0, the sum of inverses is
	   infinite in both orders. */
	a = a > DBL_MAX ? DBL_MAX : a;
	b = b > DBL_MAX ? DBL_MAX : b;
	return fabs(a - b) <= slack * fabs(a) + slack * fabs(b) ||
	       (isnan(a) && isnan(b));
}

/* What a histogram says about its values: their number, and the least sum that
   they can have. */
struct bins_total {
	double count;
	double least;
};

static struct bins_total bins_total_of(const struct apsp_histogram *histogram)
{
	struct bins_total total = {0, 0};

	for (int b = 0; b < APSP_HISTOGRAM_BINS; b++) {
		double count = (double)histogram->counts[b];

		total.count += count;
		/* the sum is least if each value is at the beginning of its
		   bin */
		total.least += count * histogram->width *
			       (double)(b + histogram->first);
	}
	return total;
}

/* Whether `sum` can be the sum of the values that the histogram has counted. A
   bin does not include its upper end, so a whole number in a bin is at most the
   upper end minus 1. */
static bool sum_fits(const struct apsp_stats_proof *proof,
	const struct apsp_histogram *histogram, double sum, bool whole)
{
	struct bins_total total = bins_total_of(histogram);
	double most = total.least +
		      total.count * (histogram->width - (whole ? 1 : 0));
	double bound = fabs(total.least) + fabs(most) + fabs(sum);
	/* whole numbers below DOUBLE_WHOLE are added without rounding */
	double slack = whole && bound < DOUBLE_WHOLE
			       ? 0
			       : apsp_sum_slack(proof->n_vertices) * bound;

	return sum >= total.least - slack && sum <= most + slack;
}

/* Return an upper bound of the absolute values that the histogram has counted.
 */
static double bins_bound(const struct apsp_histogram *histogram)
{
	double bound = 0;

	for (int b = 0; b < APSP_HISTOGRAM_BINS; b++) {
		double first = (double)(b + histogram->first);

		if (histogram->counts[b] > 0)
			bound = fmax(bound, fmax(fabs(first), fabs(first + 1)));
	}
	return bound * histogram->width;
}

/*
 * Whether sums of distances can be compared. If distances can be negative, a
 * sum may be near 0 although its addends are not, and then its rounding errors
 * are not small beside it. So such sums are compared only if no addition
 * rounds: distances are whole, and the sum of their absolute values is below
 * DOUBLE_WHOLE.
 */
static bool has_comparable_sums(
	const struct apsp_stats_proof *proof, bool whole)
{
	return !proof->form->below ||
	       (whole && proof->n_pairs * bins_bound(&proof->histograms[0]) <
				 DOUBLE_WHOLE);
}

int apsp_stats_proof_run(
	const struct apsp_stats_proof *proof, struct apsp_err *err)
{
	const struct total out = total_of(proof, 0), in = total_of(proof, 1);
	const struct apsp_histogram *histograms = proof->histograms;
	double distances = bins_total_of(&histograms[0]).count;
	double hops = bins_total_of(&histograms[1]).count;
	bool whole = proof->form->kind != APSP_DISTANCE_SUM;
	bool sums = has_comparable_sums(proof, whole);
	/* widths have no hops */
	double with_hops =
		proof->form->kind == APSP_DISTANCE_WIDTH ? 0 : proof->n_pairs;

	if (out.count != in.count || out.count != proof->n_pairs)
		return apsp_fail(err, APSP_EPROOF,
			"statistics count %.0f and %.0f pairs with a path, and "
			"there are %.0f",
			out.count, in.count, proof->n_pairs);
	/* inverses are never whole, so their sums are not compared if distances
	   can be negative */
	if (out.most != in.most ||
		(sums && !sums_agree(proof, out.sum, in.sum, whole)) ||
		(!proof->form->below &&
			!sums_agree(proof, out.harmonic, in.harmonic, false)))
		return apsp_fail(err, APSP_EPROOF,
			"statistics of sources and of targets differ: %.17g "
			"and %.17g, farthest %.17g and %.17g",
			out.sum, in.sum, out.most, in.most);
	if (distances != proof->n_pairs || hops != with_hops)
		return apsp_fail(err, APSP_EPROOF,
			"histograms count %.0f and %.0f pairs with a path, and "
			"there are %.0f and %.0f",
			distances, hops, proof->n_pairs, with_hops);
	if (isfinite(out.sum) && sums &&
		!sum_fits(proof, &histograms[0], out.sum, whole))
		return apsp_fail(err, APSP_EPROOF,
			"no distances in the bins of the histogram have the "
			"sum %.17g",
			out.sum);
	if (proof->hops >= 0 &&
		!sum_fits(proof, &histograms[1], proof->hops, true))
		return apsp_fail(err, APSP_EPROOF,
			"no paths in the bins of the histogram have %.0f arcs",
			proof->hops);
	return 0;
}
