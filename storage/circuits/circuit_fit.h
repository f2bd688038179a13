/*
 * Searches for the largest bound that gives a circuit with no more arcs than
 * the question allows. The bound (a length, a slack or a number of arcs;
 * circuit_question.h) limits the walks whose arcs are in the circuit. Use this
 * search if the question's own bound gives a circuit with too many arcs.
 *
 * The search halves an interval of bounds. A bound has at most three
 * significant digits. It is below 0 only for APSP_CIRCUIT_WITHIN in a graph
 * with negative lengths. For APSP_CIRCUIT_HOPS_MOST, a bound is a whole number
 * of arcs. For APSP_CIRCUIT_HOPS_EXACTLY, no bound is tried.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_FIT_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit.h"

struct apsp_circuit_fit {
	/* The following members are valid when apsp_circuit_fit_step() has
	   returned 0. */
	bool found; /* some bound has a circuit with few enough arcs; `value` is
		       the largest such bound */
	double value;
	struct apsp_circuit
		circuit; /* the circuit of the bound that is being tried */

	/* The following members are private to circuit_fit.c. */
	struct apsp_circuit_question question;
	struct apsp_tables *tables;
	const struct apsp_adjacency *graph;
	uint64_t max_steps;
	bool begun;   /* `circuit` has begun */
	int exponent; /* the least bound above 0 is 100 · 10^exponent */
	/* the bounds are numbered; this is the number of the lowest bound that
	   may still be tried. Once a bound with few enough arcs was found, the
	   best such bound has the number low - 1 */
	int64_t low;
	/* the circuit of the bound with this number has too many arcs. At
	   first, this is the least of the numbered bounds that are not below
	   the question's own bound */
	int64_t high;
};

/*
 * Begin to search for a bound (circuit_question.h) that is less than the bound
 * in `question`. `tables`, `graph` and the arrays of the question must outlive
 * the search. max_steps is the limit of steps of each circuit that is tried.
 * The caller ends *out with apsp_circuit_fit_done().
 */
void apsp_circuit_fit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit_fit *out);
void apsp_circuit_fit_done(struct apsp_circuit_fit *fit);

/* Continue after apsp_circuit_part_step() was called once for each part of
   fit->circuit. Returns 1 if each part must do another turn, else 0. Fails as
   apsp_circuit_begin() and apsp_circuit_step() do. */
int apsp_circuit_fit_step(struct apsp_circuit_fit *fit, struct apsp_err *err);

#endif
