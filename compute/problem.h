/*
 * A job's input, made ready on the host: everything about the graph that does
 * not depend on the width that V is computed in.
 */
#ifndef APSP_COMPUTE_PROBLEM_H
#define APSP_COMPUTE_PROBLEM_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/closure.h"
#include "compute/components.h"
#include "compute/device.h"
#include "compute/lengths.h"
#include "compute/monitor.h"
#include "compute/order.h"
#include "compute/widths.h"
#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

struct apsp_problem {
	struct apsp_graph graph;
	struct apsp_lengths lengths;
	struct apsp_integers integers; /* of the scale last asked for */
	struct apsp_components components;
	struct apsp_order order;
	struct apsp_bits closure;
	struct apsp_bits on_cycle;
	uint64_t n_reachable; /* bits set in closure */
	uint32_t hops;	      /* some path that is needed has as many arcs */
	struct apsp_width widths[APSP_WIDTHS_MAX];
	int n_widths;
};

/*
 * Map the graph file at path. The caller ends *out with apsp_problem_done(),
 * also after an error of the steps below.
 */
int apsp_problem_open(
	const char *path, struct apsp_problem *out, struct apsp_err *err);
void apsp_problem_done(struct apsp_problem *problem);

/*
 * Lengths, their integer form and the list of widths. out_cycle as in
 * apsp_integers_build(). Errors as there and of apsp_lengths_build().
 */
int apsp_problem_lengths(struct apsp_problem *problem,
	struct apsp_cycle *out_cycle, struct apsp_err *err);

/*
 * Components, order, closure and cycles. closure NULL is the default one;
 * device may be NULL for `closure-order`. Errors as of closure->run().
 */
int apsp_problem_closure(struct apsp_problem *problem,
	const struct apsp_closure *closure, const struct apsp_device *device,
	struct apsp_monitor *monitor, struct apsp_err *err);

/*
 * Make lengths again if their weights were dropped: only what comes after an
 * attempt wants them. Errors as of apsp_lengths_build().
 */
int apsp_problem_weights(struct apsp_problem *problem, struct apsp_err *err);

/* Bring problem->integers to the scale of an attempt. */
int apsp_problem_scale(struct apsp_problem *problem,
	const struct apsp_width *width, struct apsp_err *err);

#endif
