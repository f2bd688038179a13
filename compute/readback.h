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

struct apsp_readback;

/*
 * Make ready to pass rows to *result; all that is pointed to must outlive *out,
 * which the caller frees. Chunks are of tuning->staging_bytes. APSP_ENOMEM,
 * APSP_ELIMIT, APSP_EDEVICE.
 */
int apsp_readback_open(struct apsp_predecessors *predecessors,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_readback **out, struct apsp_err *err);
void apsp_readback_free(struct apsp_readback *readback);

/*
 * Pass the rows that the panels hold, which are the next ones; while the host
 * takes one chunk the device makes the next.
 *
 * Returns an enum apsp_verdict, or APSP_EPROOF: V does not prove itself, a
 * defect of a kernel, a driver or the card; APSP_ECANCELLED, APSP_EDEVICE, and
 * what apsp_result_rows() returns.
 */
int apsp_readback_rows(struct apsp_readback *readback,
	const struct apsp_panels *panels, struct apsp_err *err);

/*
 * A verdict on all rows, which were proved: n_reachable is the closure's count
 * of bits, and fewer finite values mean a width that overflowed. APSP_EPROOF.
 */
int apsp_readback_finish(const struct apsp_readback *readback,
	uint64_t n_reachable, struct apsp_err *err);

#endif
