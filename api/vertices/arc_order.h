/*
 * The arcs of one vertex in the order of an answer: sorted by weight or length,
 * or in the order of the vertices at their other ends. Arcs that must be sorted
 * are in a heap, so the first arcs are found without sorting all, and each arc
 * takes logarithmic time.
 */
#ifndef APSP_API_VERTICES_ARC_ORDER_H
#define APSP_API_VERTICES_ARC_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"

enum apsp_arc_sort {
	APSP_ARC_SORT_NONE,
	APSP_ARC_SORT_WEIGHT, /* the greatest weight first */
	APSP_ARC_SORT_LENGTH, /* the least length first. If lengths are the
				 ranks of widths: the greatest width first */
};

struct apsp_arc_order {
	uint64_t n;	  /* number of arcs */
	uint64_t next;	  /* number of arcs that were returned */
	uint32_t *others; /* the vertices at the other ends of the arcs, owned.
			     If `keys` is set, a heap of the n - next arcs that
			     were not returned yet */
	double *keys; /* owned; parallel to `others`: the arc with the least key
			 comes first. NULL: the arcs are not sorted */
};

/* The memory of the two arrays, in bytes. */
uint64_t apsp_arc_order_bytes(const struct apsp_adjacency *arcs, uint32_t v,
	bool in, enum apsp_arc_sort sort);

/*
 * Copy the arcs out of v or, if `in` is true, the arcs into v. Arcs with equal
 * weights, or with equal lengths, come in the order of the vertices at their
 * other ends. The caller ends *out with apsp_arc_order_done(). APSP_ENOMEM.
 */
int apsp_arc_order_init(const struct apsp_adjacency *arcs, uint32_t v, bool in,
	enum apsp_arc_sort sort, struct apsp_arc_order *out,
	struct apsp_err *err);
void apsp_arc_order_done(struct apsp_arc_order *order);

/* Return the vertex at the other end of the next arc. There must be one. */
uint32_t apsp_arc_order_next(struct apsp_arc_order *order);

#endif
