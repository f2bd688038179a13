/*
 * The widths and scales in which V is tried, narrow first
 * (compute/graph/README.md, Widths). Where one proves too narrow, or its scale
 * not above all hop counts, the next one is tried. The list depends on the
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

/* Known before a solve; bounds are those of apsp_distance_bound_find(). */
struct apsp_width_facts {
	enum apsp_distance_kind kind;
	int64_t scale;	 /* the largest that lengths fit: n_vertices, or less */
	bool negative;	 /* there are potentials */
	int64_t largest; /* lower bound of distance (SCALED, HOPS) or V (SUM) */
	uint32_t hops;	 /* lower bound */
};

/* Fill out and return how many, at least 1; only the last ones are f64. */
int apsp_width_candidates_list(const struct apsp_width_facts *facts,
	struct apsp_width out[APSP_WIDTHS_MAX]);

#endif
