/*
 * The distances from one vertex to all others, or from all others to one, as
 * exact sums (storage/search/path_cost.h). If doubles hold all sums exactly,
 * the distances are taken from the tables. Otherwise the tables may be slightly
 * wrong: the solver rounds real lengths (compute/graph/README.md, Integers), so
 * a path may be slightly longer than the shortest path, and distances may be
 * rounded to float32. Then the tables give only the order in which vertices are
 * visited, and the lengths of arcs are added again.
 *
 * If the question is about walks of exactly n arcs, the row has no distances.
 * Instead, it has for each vertex a set of numbers: the numbers of arcs of the
 * walks from or to this vertex. A walk may repeat vertices and arcs.
 *
 *	start ─► step, step, … (false) ─► exact, value or walks
 */
#ifndef APSP_STORAGE_CIRCUITS_EXACT_ROW_H
#define APSP_STORAGE_CIRCUITS_EXACT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_work.h"
#include "storage/search/adjacency.h"

enum apsp_row_kind {
	APSP_ROW_KIND_TABLE, /* the distances in the tables are exact */
	APSP_ROW_KIND_EXACT, /* exact distances are computed by adding the
				lengths of arcs */
	APSP_ROW_KIND_STEPS, /* a distance is a number of arcs; tables are not
				read */
	APSP_ROW_KIND_WALKS, /* no distances: for each vertex, the numbers of
				arcs that walks to it have; tables are not
				read */
};

struct apsp_exact_row {
	enum apsp_row_kind kind;
	bool backward; /* true: distances from all vertices to one; false: from
			  one vertex to all */
	/* for each vertex, the distance rounded to a double; INFINITY: no path.
	   NULL for APSP_ROW_KIND_WALKS. Owned */
	double *value;
	/* for each vertex whose `value` is finite, the exact distance in units;
	   only for APSP_ROW_KIND_EXACT. Owned */
	apsp_path_cost *exact;
	/* for each vertex: bit k is set if there is a walk of k arcs; only for
	   APSP_ROW_KIND_WALKS. Owned */
	uint64_t *walks;
	double largest; /* largest finite magnitude in `value` */

	/* The following members are private to exact_row.c. */
	const struct apsp_adjacency *arcs; /* borrowed */
	struct apsp_path_cost_unit unit;   /* the unit of exact distances */
	uint32_t *order; /* the vertices that have a path, ordered by their
			    distances in the table; for APSP_ROW_KIND_STEPS, the
			    queue of a breadth-first search. Owned */
	uint32_t *keys;	 /* memory for sorting; owned */
	uint32_t n_ordered;
	uint32_t next;	   /* index in `order` of the next vertex to visit; for
			      APSP_ROW_KIND_WALKS, the next vertex itself */
	uint32_t max_arcs; /* largest number of arcs of a walk */
	uint32_t length;   /* number of arcs of the walks to which the present
			      pass adds an arc */
	double slop;	   /* upper bound of the rounding error of a sum of two
			      doubles */
	bool changed;	   /* the present pass has lowered a distance */
};

/* Return the largest number of bytes of memory that a row of any kind needs. */
uint64_t apsp_exact_row_bytes(uint64_t n_vertices);

/* Allocate a row. `arcs` must outlive the row. For APSP_ROW_KIND_WALKS, walks
   have at most max_arcs arcs, which must be below 64. The caller ends *out with
   apsp_exact_row_done(). APSP_ENOMEM. */
int apsp_exact_row_init(const struct apsp_adjacency *arcs,
	enum apsp_row_kind kind, bool backward, uint32_t max_arcs,
	struct apsp_exact_row *out, struct apsp_err *err);
void apsp_exact_row_done(struct apsp_exact_row *row);

/* Begin to find the distances or walks from or to `root`. If the kind needs
   tables, the caller has stored the distances from the tables in row->value. */
void apsp_exact_row_start(struct apsp_exact_row *row, uint32_t root);

/* Do one turn of the work (circuit_work.h). Returns whether more turns are
   needed. */
bool apsp_exact_row_step(
	struct apsp_exact_row *row, struct apsp_circuit_work *work);

#endif
