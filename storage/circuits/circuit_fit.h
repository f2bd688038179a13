/*
 * Searches the largest bound whose circuit has no more arcs than allowed, after
 * the circuit of a larger bound had more. The search halves an interval of
 * bounds. A bound has three digits, or is a whole number of arcs for
 * APSP_CIRCUIT_HOPS_MOST. For APSP_CIRCUIT_HOPS_EXACTLY there is no smaller
 * bound.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_FIT_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit.h"

struct apsp_circuit_fit {
	/* the answer, after apsp_circuit_fit_step() has returned 0 */
	bool found; /* a bound fits: `value` */
	double value;

	/* private to circuit_fit.c */
	struct apsp_circuit_question question;
	struct apsp_tables *tables;
	const struct apsp_adjacency *graph;
	struct apsp_circuit circuit;
	bool begun; /* `circuit` has begun */
	struct apsp_circuit_work work;
	double scale;  /* a bound is a whole number divided by `scale` */
	uint32_t low;  /* the numbers below `low` fit */
	uint32_t high; /* the number `high` does not fit, or is the bound that
			  was too large */
};

/*
 * Begin to search for a bound below the bound of `question`. `tables`, `graph`
 * and the arrays of the question must outlive the search. Each circuit that is
 * tried may take max_steps steps. The caller ends *out with
 * apsp_circuit_fit_done().
 */
void apsp_circuit_fit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit_fit *out);
void apsp_circuit_fit_done(struct apsp_circuit_fit *fit);

/* Do one turn of the work. Returns 1 if more turns are needed, else 0. Fails as
   apsp_circuit_begin() and apsp_circuit_step() do. */
int apsp_circuit_fit_step(struct apsp_circuit_fit *fit, struct apsp_err *err);

#endif
