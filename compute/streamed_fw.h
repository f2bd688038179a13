/*
 * `streamed-fw`: blocked Floyd–Warshall on a matrix that lies in host memory
 * (panels_host.h), for graphs whose matrix the device does not hold.
 *
 * The matrix is divided into slabs, neighbouring tile rows. In a round one slab
 * K is the pivot: it is closed on the device, and every other one is brought
 * there, relaxed through it and taken back. The device has room for five slabs:
 * the pivot, the next one, which is last in a round and stays, and a ring of
 * three, of which one is on its way up, one is being relaxed and one on its way
 * down, on three queues.
 *
 * Method: Xing et al., section 5; Katz & Kider 2008. passes.h says why a slab
 * needs one pass.
 */
#ifndef APSP_COMPUTE_STREAMED_FW_H
#define APSP_COMPUTE_STREAMED_FW_H

#include "compute/algorithm.h"

/* The algorithm's run (algorithm.h), on panels in host memory. */
int apsp_streamed_fw_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

#endif
