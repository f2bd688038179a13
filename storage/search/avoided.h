/*
 * Vertices and arcs that a path must not contain.
 */
#ifndef APSP_STORAGE_SEARCH_AVOIDED_H
#define APSP_STORAGE_SEARCH_AVOIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/bit_set.h"
#include "daemon/base/err.h"

struct apsp_avoided {
	uint64_t *vertices; /* a bit for each vertex; NULL if nothing is
			       avoided; owned */
	uint32_t (*arcs)[2];
	size_t n_arcs;
};

/* Add vertex v to the avoided vertices. The graph has n vertices. The caller
   ends *avoided with apsp_avoided_done(). APSP_ENOMEM. */
int apsp_avoided_vertex(struct apsp_avoided *avoided, uint32_t n, uint32_t v,
	struct apsp_err *err);
/* Add the arc from tail to head to the avoided arcs. The graph has n vertices,
   and need not have this arc. APSP_ENOMEM. */
int apsp_avoided_arc(struct apsp_avoided *avoided, uint32_t n, uint32_t tail,
	uint32_t head, struct apsp_err *err);
void apsp_avoided_done(struct apsp_avoided *avoided);

static inline bool apsp_avoided_has_vertex(
	const struct apsp_avoided *avoided, uint32_t v)
{
	return avoided->vertices && apsp_bit_set_has(avoided->vertices, v);
}

/* Whether the arc itself, its tail or its head is avoided. */
static inline bool apsp_avoided_has_arc(
	const struct apsp_avoided *avoided, uint32_t tail, uint32_t head)
{
	if (!avoided->vertices)
		return false;
	if (apsp_avoided_has_vertex(avoided, tail) ||
		apsp_avoided_has_vertex(avoided, head))
		return true;
	for (size_t i = 0; i < avoided->n_arcs; i++)
		if (avoided->arcs[i][0] == tail && avoided->arcs[i][1] == head)
			return true;
	return false;
}

#endif
