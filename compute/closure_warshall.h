/*
 * `closure-warshall`: the closure on the device, bit-packed and blocked.
 */
#ifndef APSP_COMPUTE_CLOSURE_WARSHALL_H
#define APSP_COMPUTE_CLOSURE_WARSHALL_H

#include "compute/bits.h"
#include "compute/device.h"
#include "compute/lengths.h"
#include "compute/monitor.h"
#include "daemon/base/err.h"

/*
 * Reflexive closure of the arcs, n_vertices rows; the caller owns *out. n³ / 32
 * word operations, n² / 8 bytes on the device. Blocks. APSP_ELIMIT: it does not
 * fit the device; APSP_EDEVICE; APSP_ECANCELLED; APSP_ENOMEM.
 * Method: Warshall 1962 on packed words, in blocks of 32 pivots.
 */
int apsp_closure_warshall_run(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_monitor *monitor,
	struct apsp_bits *out, struct apsp_err *err);

#endif
