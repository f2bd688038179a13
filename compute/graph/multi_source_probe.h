/*
 * How much work multi-source would do for a graph: its sweeps for a few
 * sources, counted on the host. The count may be two visits of each arc or
 * forty, and no cheaper figure of a graph tells which.
 */
#ifndef APSP_COMPUTE_GRAPH_MULTI_SOURCE_PROBE_H
#define APSP_COMPUTE_GRAPH_MULTI_SOURCE_PROBE_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/err.h"

/*
 * Store in *out_visits over how many arcs a batch of neighbouring sources is
 * pushed, an arc counting once a sweep: the mean of batches at a few positions.
 * With paths, useless arcs are left out (useless_arcs.h), as on a CPU; NULL: as
 * on a GPU. Stops early once the count is past what any plan would choose.
 * APSP_ENOMEM.
 */
int apsp_multi_source_probe_count(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions,
	const struct apsp_root_paths *paths, double *out_visits,
	struct apsp_err *err);

#endif
