/*
 * Proves and stores the values of the paths from and to the root; see
 * root_widths.h. An arc that proves the value of a path to the root leads to a
 * vertex whose path has fewer arcs. So the proving arcs form paths that end at
 * the root. In the same way, the arcs that prove the paths from the root form
 * paths that begin at the root.
 */
#include "compute/graph/root_widths.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/semiring.h"
#include "compute/graph/v_element.h"
#include "daemon/base/auto.h"

void apsp_root_widths_done(struct apsp_root_widths *widths)
{
	free(widths->to);
	free(widths->from);
	*widths = (struct apsp_root_widths){0};
}

/* Whether an arc of rank `rank` between v and `next` proves the value of v:
   `next` has a path with fewer arcs, and this path and the arc together have
   the value of v. */
static bool arc_proves(const struct apsp_root_side *side, uint32_t v,
	uint32_t next, int64_t rank)
{
	int64_t value = side->distances[next];

	return side->hops[next] < side->hops[v] &&
	       value < APSP_DIJKSTRA_INFINITY &&
	       apsp_extend(true, value, rank) == side->distances[v];
}

/* Mark each vertex whose value is proved by an arc. Bit 0 stands for the value
   of the path from the root, bit 1 for the value of the path to the root. */
static void values_mark(const struct apsp_lengths *whole,
	const struct apsp_lengths *arcs, const struct apsp_root_paths *paths,
	uint8_t *marks)
{
	for (uint32_t u = 0; u < arcs->n_vertices; u++)
		for (uint64_t e = arcs->offsets[u]; e < arcs->offsets[u + 1];
			e++) {
			uint32_t v = arcs->heads[e];
			double length = arcs->lengths[e];
			int64_t rank = (int64_t)length;
			bool from = !(marks[v] & 1) &&
				    arc_proves(&paths->from, v, u, rank);
			bool to = !(marks[u] & 2) &&
				  arc_proves(&paths->to, u, v, rank);
			uint64_t arc;

			if (!from && !to)
				continue;
			arc = apsp_lengths_find(whole, u, v);
			if (arc == APSP_NO_ARC || whole->lengths[arc] != length)
				continue;
			marks[v] |= from;
			marks[u] |= (uint8_t)(to << 1);
		}
}

/* Whether all values are proved. The value of the root must be 0. Any other
   finite value is proved if `bit` is set in the mark of its vertex. An infinite
   value needs no proof. */
static bool side_is_proved(const struct apsp_root_side *side, uint32_t n,
	uint32_t root, const uint8_t *marks, uint8_t bit)
{
	bool proved = side->distances[root] == 0;

	for (uint32_t v = 0; v < n; v++)
		proved &= side->distances[v] == APSP_DIJKSTRA_INFINITY ||
			  v == root || marks[v] & bit;
	return proved;
}

static void *side_store(const struct apsp_root_side *side, uint32_t n,
	enum apsp_element element)
{
	void *values = malloc((n + (size_t)1) * apsp_element_size(element));

	if (values)
		apsp_v_element_store(element, side->distances, n, values);
	return values;
}

int apsp_root_widths_make(const struct apsp_lengths *whole,
	const struct apsp_lengths *arcs, const struct apsp_root_paths *paths,
	enum apsp_element element, struct apsp_root_widths *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_root_widths_done)
	struct apsp_root_widths made = {
		.element = element, .n_vertices = whole->n_vertices};
	APSP_AUTO(apsp_free) uint8_t *marks = NULL;
	uint32_t n = whole->n_vertices;

	marks = calloc(n + (size_t)1, sizeof(*marks));
	made.to = side_store(&paths->to, n, element);
	made.from = side_store(&paths->from, n, element);
	if (!marks || !made.to || !made.from)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for widths from and to one of %u vertices",
			n);
	values_mark(whole, arcs, paths, marks);
	if (n > 0 &&
		(!side_is_proved(&paths->from, n, paths->root, marks, 1) ||
			!side_is_proved(&paths->to, n, paths->root, marks, 2)))
		return apsp_fail(err, APSP_EPROOF,
			"the widths of paths from and to vertex %u are not "
			"those of paths",
			paths->root);
	*out = APSP_TAKE(made);
	return 0;
}
