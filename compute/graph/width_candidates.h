/*
 * The widths and scales that are tried for V, the narrow ones first
 * (compute/graph/README.md, Widths). If V turns out too narrow, or the scale is
 * not above all hop counts, the next entry is tried. The list depends on the
 * graph alone, so every algorithm and device ends at the same entry.
 */
#ifndef APSP_COMPUTE_GRAPH_WIDTH_CANDIDATES_H
#define APSP_COMPUTE_GRAPH_WIDTH_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

enum {
	APSP_WIDTHS_MAX = 5,
};

struct apsp_width {
	enum apsp_element element; /* of V on the device */
	int64_t scale;		   /* of SCALED; others ignore it */
};

/* Facts known before a solve; apsp_root_paths_bound() has the bounds. */
struct apsp_width_facts {
	enum apsp_distance_kind kind;
	int64_t scale;	 /* n_vertices, or the largest that lengths allow */
	bool negative;	 /* there are potentials */
	int64_t largest; /* lower bound of distance (SCALED, HOPS) or V (SUM) */
	uint32_t hops;	 /* lower bound of the largest hop count */
};

/* Fill out; return the number of entries, at least 1. Entries of f64 come last.
 */
int apsp_width_candidates_list(const struct apsp_width_facts *facts,
	struct apsp_width out[APSP_WIDTHS_MAX]);

#endif
