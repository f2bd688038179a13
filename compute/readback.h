/*
 * Solved panels back to the host, by rows: V in upload order, predecessors, and
 * the checks by which the solve proves itself.
 */
#ifndef APSP_COMPUTE_READBACK_H
#define APSP_COMPUTE_READBACK_H

#include <stdint.h>

#include "compute/monitor.h"
#include "compute/panels.h"
#include "compute/predecessor.h"
#include "compute/result.h"
#include "daemon/base/err.h"

enum apsp_verdict {
	APSP_VERDICT_PROVED,
	/* V is too narrow, or scale is not above all hop counts: try the next
	 */
	APSP_VERDICT_TOO_NARROW,
};

/*
 * Pass all rows to *result, in chunks of tuning->staging_bytes; while the host
 * takes one chunk the device makes the next. n_reachable is the closure's count
 * of bits: fewer finite values mean a width that overflowed.
 *
 * Returns an enum apsp_verdict, or APSP_EPROOF: V does not prove itself, a
 * defect of a kernel, a driver or the card; APSP_ECANCELLED, APSP_EDEVICE,
 * APSP_ELIMIT, and what apsp_result_rows() returns.
 */
int apsp_readback_run(const struct apsp_panels *panels,
	struct apsp_predecessors *predecessors, uint64_t n_reachable,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_err *err);

#endif
