/*
 * The arcs of one vertex, or all arcs of a profile, in the order of an answer:
 * sorted by weight or length, or in the order of the vertices. If the arcs must
 * be sorted, they are in a heap. So the first arcs are found without sorting
 * all arcs, and finding the next arc takes logarithmic time.
 *
 *	init ─► step, step, … (0) ─► next, next, … ─► done
 */
#ifndef APSP_API_VERTICES_ARC_ORDER_H
#define APSP_API_VERTICES_ARC_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/search/adjacency.h"

enum apsp_arc_sort {
	APSP_ARC_SORT_NONE,
	APSP_ARC_SORT_WEIGHT, /* the greatest weight first */
	APSP_ARC_SORT_LENGTH, /* the least length first. If lengths are the
				 ranks of widths: the greatest width first */
};

/* In place of a vertex, this number asks for the arcs of all vertices. */
#define APSP_ALL_VERTICES UINT32_MAX

struct apsp_arc_order {
	uint32_t v; /* the vertex, or APSP_ALL_VERTICES */
	bool in;    /* true: the arcs into v; false: the arcs out of v */
	enum apsp_arc_sort sort;
	uint64_t n;	  /* number of arcs */
	uint64_t next;	  /* number of arcs that were returned */
	uint64_t copied;  /* number of arcs that were copied */
	uint64_t unsunk;  /* number of inner nodes of the heap that are still to
			     be ordered; 0: the heap is complete */
	uint32_t tail;	  /* the tail of the arc that was copied last */
	uint32_t *others; /* for each arc, its end that is not v, or its head if
			     v is APSP_ALL_VERTICES; owned. If `keys` is set,
			     the first n - next elements are a heap of the arcs
			     that were not returned yet */
	uint32_t *tails;  /* owned; parallel to `others`: the tails of all
			     arcs; NULL: the arcs are those of one vertex */
	double *keys;	  /* owned; parallel to `others`: the arc with the
			     least key comes first. NULL: the arcs are not
			     sorted */
};

/*
 * Begin to copy the arcs out of v or, if `in` is true, the arcs into v. If v is
 * APSP_ALL_VERTICES, `in` must be false. Arcs with equal weights, or with equal
 * lengths, are sorted by tail, and arcs with the same tail by head. The caller
 * ends *out with apsp_arc_order_done(). `share` counts the memory. Fails as
 * apsp_share_set() does. APSP_ENOMEM.
 */
int apsp_arc_order_init(const struct apsp_adjacency *arcs, uint32_t v, bool in,
	enum apsp_arc_sort sort, struct apsp_share *share,
	struct apsp_arc_order *out, struct apsp_err *err);
void apsp_arc_order_done(struct apsp_arc_order *order);

/* Do one step of copying and sorting, of a few milliseconds. `arcs` must be the
   same in each call. Returns 1 if more steps are needed, or 0 if the arcs are
   in order. */
int apsp_arc_order_step(
	struct apsp_arc_order *order, const struct apsp_adjacency *arcs);

/* Store the ends of the next arc. The caller has checked that an arc is
   left. */
void apsp_arc_order_next(
	struct apsp_arc_order *order, uint32_t *out_from, uint32_t *out_to);

#endif
