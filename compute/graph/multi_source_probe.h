/*
 * How much work multi-source would do for a graph: its sweeps for a few
 * sources, counted on the host. The count may be two visits of each arc or
 * forty, and no cheaper figure of a graph tells which.
 */
#ifndef APSP_COMPUTE_GRAPH_MULTI_SOURCE_PROBE_H
#define APSP_COMPUTE_GRAPH_MULTI_SOURCE_PROBE_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/err.h"

/* A graph as multi-source goes over it. */
struct apsp_multi_source_probe {
	const struct apsp_lengths *lengths; /* borrowed, as all three */
	const struct apsp_integers *integers;
	const struct apsp_positions *positions;
	uint8_t *useless; /* of each arc; owned; NULL: all arcs are followed */
};

/*
 * Make a probe of the three, which must outlive it. With paths it leaves out
 * useless arcs (useless_arcs.h), as a CPU does; NULL: none, as a GPU. The
 * caller ends *out with apsp_multi_source_probe_done(). APSP_ENOMEM.
 */
int apsp_multi_source_probe_init(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions,
	const struct apsp_root_paths *paths,
	struct apsp_multi_source_probe *out, struct apsp_err *err);
void apsp_multi_source_probe_done(struct apsp_multi_source_probe *probe);

/*
 * The least that apsp_multi_source_probe_count() can count: each arc that
 * leaves a vertex which a batch's first source reaches, once. closure: of the
 * same graph.
 */
double apsp_multi_source_probe_least(
	const struct apsp_multi_source_probe *probe,
	const struct apsp_bits *closure);

/*
 * Store in *out_visits over how many arcs a batch of neighbouring sources is
 * pushed, an arc counting once a sweep: the mean of batches at a few positions.
 * Stops early once the count is past what any plan would choose. APSP_ENOMEM.
 */
int apsp_multi_source_probe_count(const struct apsp_multi_source_probe *probe,
	double *out_visits, struct apsp_err *err);

#endif
