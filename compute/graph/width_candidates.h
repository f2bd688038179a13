/*
 * Lists the widths and scales with which a solve tries to compute the distance
 * matrix V, the narrow widths first (compute/graph/README.md, Widths). If a
 * width is too narrow for V, or if a scale is not above all hop counts, the
 * solve tries the next entry. The list depends only on the graph, so every
 * algorithm and device ends with the same entry.
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
	enum apsp_element element; /* number type of the distance matrix V */
	int64_t scale; /* factor of the kind SCALED (integers.h); other kinds do
			  not use it */
};

/* Facts about a graph that are known before a solve. The lower bounds come from
   apsp_root_paths_bound(). */
struct apsp_width_facts {
	enum apsp_distance_kind kind;
	int64_t scale; /* n_vertices, but at most the largest scale with which
			  all integers fit 53 bits */
	bool negative; /* some length is negative, so there are potentials */
	/* lower bound of the largest distance; if the kind is SUM or WIDTH,
	   lower bound of the largest value of the distance matrix V */
	int64_t largest;
	uint32_t hops; /* lower bound of the largest hop count */
};

/* Store in `out` the widths and scales to be tried, and return their number,
   which is at least 1. Every scale is below the infinity of its element. The
   entries for float64 come last. If the kind is WIDTH, there is no entry for
   float64. */
int apsp_width_candidates_list(const struct apsp_width_facts *facts,
	struct apsp_width out[APSP_WIDTHS_MAX]);

#endif
