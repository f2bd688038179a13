/*
 * If a circuit has more arcs than allowed: the largest bound whose circuit
 * fits. The bound is searched by halving, with three digits of the bound that
 * was too large. For APSP_CIRCUIT_HOPS_MOST, it is a whole number of arcs. A
 * walk of a given number of arcs has no smaller bound.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_FIT_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit.h"

struct apsp_circuit_fit {
	/* the answer, after apsp_circuit_fit_step() has returned 0 */
	bool found; /* some bound fits */
	double value;

	/* for circuit_fit.c */
	struct apsp_circuit_question question;
	struct apsp_tables *tables;
	const struct apsp_adjacency *graph;
	struct apsp_circuit circuit;
	bool begun; /* `circuit` has begun */
	struct apsp_circuit_work work;
	double scale;  /* bounds are whole numbers divided by it */
	uint32_t low;  /* bounds below this number fit */
	uint32_t high; /* this number does not fit, or is the bound that was too
			  large */
};

/*
 * Begin to search for a bound below that of `question`. `tables`, `graph` and
 * the arrays of the question must outlive the search. Each circuit that is
 * tried may take max_steps steps. The caller ends *out with
 * apsp_circuit_fit_done().
 */
void apsp_circuit_fit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit_fit *out);
void apsp_circuit_fit_done(struct apsp_circuit_fit *fit);

/* Do one turn of the work. Returns 1 if there is more to do, else 0. Fails as
   apsp_circuit_begin() and apsp_circuit_step() do. */
int apsp_circuit_fit_step(struct apsp_circuit_fit *fit, struct apsp_err *err);

#endif
