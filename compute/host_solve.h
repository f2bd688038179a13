/*
 * `reference` as an algorithm: rows from Dijkstra on the host straight into the
 * result, judged by the same rules as a device's (readback.h).
 */
#ifndef APSP_COMPUTE_HOST_SOLVE_H
#define APSP_COMPUTE_HOST_SOLVE_H

#include "compute/lengths.h"
#include "compute/monitor.h"
#include "compute/result.h"
#include "daemon/base/err.h"

/*
 * Returns an enum apsp_verdict or a negative code, as apsp_readback_run().
 */
int apsp_host_solve_run(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_err *err);

#endif
