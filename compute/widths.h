/*
 * In what width and scale V is tried (design.md, decisions 6 and 7): a short
 * list, narrow first. An attempt that turns out too narrow, or whose scale
 * turns out not to be above all hop counts, is followed by the next one; the
 * list depends on the graph alone, so every algorithm and device ends at the
 * same.
 */
#ifndef APSP_COMPUTE_WIDTHS_H
#define APSP_COMPUTE_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

enum {
	APSP_WIDTHS_MAX = 4,
};

struct apsp_width {
	enum apsp_element element; /* of V on the device */
	int64_t scale;		   /* of SCALED; else ignored */
};

/* What is known before: lower bounds, from apsp_integers_bound(). */
struct apsp_width_facts {
	enum apsp_distance_kind kind;
	uint32_t n_vertices;
	bool negative;	 /* there are potentials */
	int64_t largest; /* distance (SCALED, HOPS) or V (SUM) */
	uint32_t hops;
};

/* Fill out; returns how many, at least 1: the last is always f64. */
int apsp_widths_plan(const struct apsp_width_facts *facts,
	struct apsp_width out[APSP_WIDTHS_MAX]);

#endif
