/*
 * For widest paths: the values, in the distance matrix V, of the paths from and
 * to one vertex, the root. A value is the rank of a path's width: the wider the
 * path, the lower its value. The value of a pair is at most the value of its
 * path by way of the root:
 *
 *	V(i,j) <= max(to(i), from(j))     to(i) = V(i,root), from(j) = V(root,j)
 *
 * If V(i,j) equals this bound, the path by way of the root is a widest path of
 * the pair. This holds for nearly all pairs of most graphs
 * (compute/graph/README.md, Widest paths). For such a pair, the proof of V
 * needs no other path.
 */
#ifndef APSP_COMPUTE_GRAPH_ROOT_WIDTHS_H
#define APSP_COMPUTE_GRAPH_ROOT_WIDTHS_H

#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* Both arrays are owned, and have n_vertices values of the type `element`, u16
   or i32. They are NULL if the job does not compute widest paths. */
struct apsp_root_widths {
	enum apsp_element element;
	uint32_t n_vertices;
	void *to;
	void *from;
};

/*
 * Store the values of `paths` as elements of the distance matrix V, and prove
 * them. The value of a vertex v with a path to the root is proved by an arc
 * that meets two conditions. The arc leads from v to a vertex whose path to the
 * root has fewer arcs. The arc and this path together have the value of v.
 * Paths from the root are proved in the same way. The function searches `arcs`
 * for proving arcs, and checks that `whole` has these arcs, too. `whole` has
 * all arcs of the table; `arcs` may have only the useful arcs. Takes linear
 * time. The caller ends *out with apsp_root_widths_done(). APSP_EPROOF: no arc
 * proves some value; APSP_ENOMEM.
 */
int apsp_root_widths_make(const struct apsp_lengths *whole,
	const struct apsp_lengths *arcs, const struct apsp_root_paths *paths,
	enum apsp_element element, struct apsp_root_widths *out,
	struct apsp_err *err);
void apsp_root_widths_done(struct apsp_root_widths *widths);

/* Return the value of vertex v in one of the arrays of struct
   apsp_root_widths. */
static inline uint32_t apsp_root_widths_at(
	enum apsp_element element, const void *values, uint32_t v)
{
	return element == APSP_ELEMENT_U16
		       ? ((const uint16_t *)values)[v]
		       : (uint32_t)((const int32_t *)values)[v];
}

#endif
