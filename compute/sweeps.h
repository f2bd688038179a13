/*
 * How much work multi-source has with a graph: its sweeps, made on the host for
 * a few sources. No figure of a graph that is cheaper to have tells it: it may
 * be two looks at each arc or forty.
 */
#ifndef APSP_COMPUTE_SWEEPS_H
#define APSP_COMPUTE_SWEEPS_H

#include "compute/lengths.h"
#include "compute/order.h"
#include "daemon/base/err.h"

/*
 * Store in *out_visits how many arcs a batch of neighbouring sources is pushed
 * over, once an arc and sweep: the mean of batches at some positions. Ends
 * early with what it has where that is more than anybody would choose. Takes a
 * few looks at each arc. APSP_ENOMEM.
 */
int apsp_sweeps_count(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	double *out_visits, struct apsp_err *err);

#endif
