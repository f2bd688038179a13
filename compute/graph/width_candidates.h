/*
 * Lists the widths and scales with which a solve tries to compute V, the narrow
 * widths first (compute/graph/README.md, Widths). If a width turns out too
 * narrow for V, or a scale is not above all hop counts, the next entry is
 * tried. The list depends only on the graph, so every algorithm and device ends
 * with the same entry.
 */
#ifndef APSP_COMPUTE_GRAPH_WIDTH_CANDIDATES_H
#define APSP_COMPUTE_GRAPH_WIDTH_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/job/table_file.h"

enum {
	APSP_WIDTHS_MAX = 5,
};

struct apsp_width {
	enum apsp_element element; /* element of V on the device */
	int64_t scale; /* the scale if the kind is SCALED; other kinds ignore
			  it */
};

/* Facts about a graph that are known before a solve. The lower bounds come from
   apsp_root_paths_bound(). */
struct apsp_width_facts {
	enum apsp_distance_kind kind;
	int64_t scale; /* n_vertices, or the largest scale that the lengths
			  allow */
	bool negative; /* some length is negative, so there are potentials */
	/* lower bound of the largest distance; if the kind is SUM or WIDTH,
	   lower bound of the largest value of V */
	int64_t largest;
	uint32_t hops; /* lower bound of the largest hop count */
};

/* Store in `out` the widths and scales to be tried, and return their number,
   which is at least 1. The entries for float64 come last; if the kind is WIDTH,
   there are none. */
int apsp_width_candidates_list(const struct apsp_width_facts *facts,
	struct apsp_width out[APSP_WIDTHS_MAX]);

#endif
