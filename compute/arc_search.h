/*
 * How much the host searches of a graph's arcs before multi-source follows
 * them. graph/ searches, and plan/ says what that takes.
 */
#ifndef APSP_COMPUTE_ARC_SEARCH_H
#define APSP_COMPUTE_ARC_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	APSP_ARC_SEARCH_PROBES = 3,
};

/*
 * Whether to search for useless arcs (compute/graph/useless_arcs.h). Few
 * sources are solved sooner than the search is done; of many arcs it would take
 * as much memory as V; lengths that are all 1 make none useless.
 */
bool apsp_arc_search_pays(
	uint64_t n_vertices, uint64_t n_arcs, bool unit_lengths);

/*
 * Batches of sources, APSP_ARC_SEARCH_PROBES at most, for which the probe
 * counts sweeps (compute/graph/multi_source_probe.h): fewer where one already
 * takes most of a second.
 */
uint32_t apsp_arc_search_probes(uint64_t n_arcs);

#endif
