/*
 * Searches for the largest bound that gives a circuit with few enough arcs; see
 * circuit_fit.h. The bound limits the walks whose arcs are in the circuit.
 */
#include "storage/circuits/circuit_fit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* a bound has DIGITS significant digits: it is one of the numbers from
	   LEAST to LEAST + N_DIGITS - 1, times a power of ten */
	DIGITS = 3,
	LEAST = 100,
	N_DIGITS = 900,
	/* bounds are tried in this number of decades (a decade reaches from a
	   power of ten to the next). The last decade contains the question's
	   bound. If bounds can be below 0, interval_set() adds decades */
	DECADES = 3,
};

/*
 * Return the bound with the number k. The bounds of three digits are numbered
 * in ascending order: number 0 is the bound 0, number 1 is 100 · 10^exponent,
 * and number -k is the negative of number k. For APSP_CIRCUIT_HOPS_MOST, number
 * k is a bound of k arcs.
 */
static double bound_of(const struct apsp_circuit_fit *fit, int64_t k)
{
	int64_t above = llabs(k) - 1;
	char text[64];

	if (k == 0 || fit->question.bound == APSP_CIRCUIT_HOPS_MOST)
		return (double)k;
	/* print and parse a decimal number, because a product or quotient with
	   a power of ten would not always be the double nearest to the decimal
	   number */
	snprintf(text, sizeof(text), "%s%llde%lld", k < 0 ? "-" : "",
		(long long)(LEAST + above % N_DIGITS),
		(long long)(fit->exponent + above / N_DIGITS));
	return strtod(text, NULL);
}

/* Return the decimal exponent of the first digit of `value`. */
static int decade_of(double value)
{
	return (int)floor(log10(fabs(value)));
}

/* Choose how the bounds are numbered. Set `low` and `high` so that the numbers
   from `low` to below `high` are all bounds that are less than the question's
   own bound. */
static void interval_set(struct apsp_circuit_fit *fit)
{
	const struct apsp_length_facts *facts = &fit->graph->facts;
	double most = fit->question.value, farthest;
	bool is_signed =
		fit->question.bound == APSP_CIRCUIT_WITHIN && facts->negative;
	int first, n_decades = DECADES;
	int64_t end;

	if (!is_signed && most <= 0)
		return;
	first = decade_of(is_signed ? facts->smallest : most) - DECADES + 1;
	if (is_signed) {
		/* `farthest` becomes an upper bound of the magnitudes of all
		   distances. Take so many decades that the lowest bound that
		   is tried is less than every distance. */
		farthest = facts->largest * fit->graph->n_vertices;
		farthest = fmin(fmax(farthest, fabs(most)), DBL_MAX);
		n_decades = decade_of(farthest) + 2 - first;
	}
	fit->exponent = first - DIGITS + 1;
	end = (int64_t)n_decades * N_DIGITS;
	fit->low = fit->high = is_signed ? -end : 0;
	while (fit->high < end) {
		int64_t middle = fit->high + (end - fit->high) / 2;

		if (bound_of(fit, middle) < most)
			fit->high = middle + 1;
		else
			end = middle;
	}
}

void apsp_circuit_fit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit_fit *out)
{
	*out = (struct apsp_circuit_fit){
		.question = *question,
		.tables = tables,
		.graph = graph,
		.max_steps = max_steps,
	};
	out->question.stops_early = true;
	if (question->bound == APSP_CIRCUIT_HOPS_MOST)
		out->high = question->n_arcs;
	else if (question->bound != APSP_CIRCUIT_HOPS_EXACTLY)
		interval_set(out);
}

void apsp_circuit_fit_done(struct apsp_circuit_fit *fit)
{
	apsp_circuit_done(&fit->circuit);
	memset(fit, 0, sizeof(*fit));
}

/* Begin to find the circuit of the bound with the number k. */
static int middle_begin(
	struct apsp_circuit_fit *fit, int64_t k, struct apsp_err *err)
{
	int r;

	if (fit->question.bound == APSP_CIRCUIT_HOPS_MOST)
		fit->question.n_arcs = (uint32_t)k;
	else
		fit->question.value = bound_of(fit, k);
	r = apsp_circuit_begin(&fit->question, fit->tables, fit->graph,
		fit->max_steps, &fit->circuit, err);
	fit->begun = r == 0;
	return r;
}

int apsp_circuit_fit_step(struct apsp_circuit_fit *fit, struct apsp_err *err)
{
	int64_t middle = fit->low + (fit->high - fit->low) / 2;
	int r;

	if (fit->low >= fit->high)
		return 0;
	r = fit->begun ? 0 : middle_begin(fit, middle, err);
	if (r == 0)
		r = apsp_circuit_step(&fit->circuit, err);
	if (r != 0)
		return r;
	if (fit->circuit.truncated) {
		fit->high = middle;
	} else {
		fit->low = middle + 1;
		fit->found = true;
		fit->value = bound_of(fit, middle);
	}
	apsp_circuit_done(&fit->circuit);
	fit->begun = false;
	return fit->low < fit->high;
}
