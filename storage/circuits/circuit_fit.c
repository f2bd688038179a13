/* The largest bound of a circuit that fits; see circuit_fit.h. */
#include "storage/circuits/circuit_fit.h"

#include <math.h>
#include <string.h>

enum {
	DIGITS = 3,
};

void apsp_circuit_fit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit_fit *out)
{
	double most = question->value;

	*out = (struct apsp_circuit_fit){
		.question = *question,
		.tables = tables,
		.graph = graph,
		.max_steps = max_steps,
		.scale = 1,
	};
	out->question.stops_early = true;
	if (question->bound == APSP_CIRCUIT_HOPS_MOST) {
		out->high = question->n_arcs;
	} else if (question->bound != APSP_CIRCUIT_HOPS_EXACTLY && most > 0) {
		out->scale = pow(10, DIGITS - 1 - floor(log10(most)));
		if (isfinite(out->scale) && out->scale > 0)
			out->high = (uint32_t)ceil(most * out->scale);
	}
}

void apsp_circuit_fit_done(struct apsp_circuit_fit *fit)
{
	apsp_circuit_done(&fit->circuit);
	memset(fit, 0, sizeof(*fit));
}

/* Begin the circuit of the bound in the middle between `low` and `high`. */
static int middle_begin(struct apsp_circuit_fit *fit, struct apsp_err *err)
{
	uint32_t middle = fit->low + (fit->high - fit->low) / 2;
	int r;

	if (fit->question.bound == APSP_CIRCUIT_HOPS_MOST)
		fit->question.n_arcs = middle;
	else
		fit->question.value = middle / fit->scale;
	r = apsp_circuit_begin(&fit->question, fit->tables, fit->graph,
		fit->max_steps, &fit->circuit, err);
	fit->begun = r == 0;
	return r;
}

int apsp_circuit_fit_step(struct apsp_circuit_fit *fit, struct apsp_err *err)
{
	uint32_t middle = fit->low + (fit->high - fit->low) / 2;
	int r;

	if (fit->low >= fit->high)
		return 0;
	r = fit->begun ? 0 : middle_begin(fit, err);
	if (r == 0)
		r = apsp_circuit_step(&fit->circuit, err);
	if (r != 0)
		return r;
	if (fit->circuit.truncated) {
		fit->high = middle;
	} else {
		fit->low = middle + 1;
		fit->found = true;
		fit->value = fit->question.bound == APSP_CIRCUIT_HOPS_MOST
				     ? fit->question.n_arcs
				     : fit->question.value;
	}
	apsp_circuit_done(&fit->circuit);
	fit->begun = false;
	return fit->low < fit->high;
}
