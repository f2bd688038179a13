/*
 * Predecessors of some rows of V, as a certificate of the whole solve (design.md,
 * decision 9): the predecessor of j from i is the lowest k among the essential
 * arcs with V(i,k) + w(k,j) = V(i,j), and the minimum over all of them must be
 * V(i,j) itself.
 *
 * v:      n_rows × n_vertices, upload order; row r is vertex r0 + r.
 * arcs:   offsets, tails (ascending for each head) and lengths by head.
 * out:    n_rows × n_vertices; all ones where there is no predecessor.
 * checks: [0] cells that do not prove themselves, [1] finite cells that show
 *         width or scale to be too small: off the diagonal with a hop count that
 *         reads 0 (scale 0: not looked at), or past 2^53 in 64 bits, where sums
 *         are no longer exact, [2] finite cells.
 *
 * One work-item SPAN neighbouring columns of one row: global size (columns /
 * SPAN rounded up to whole groups, n_rows).
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif
#ifndef PREDECESSOR_BITS
#define PREDECESSOR_BITS 16
#endif

#if PREDECESSOR_BITS == 16
typedef ushort vertex_t;
#else
typedef uint vertex_t;
#endif

#if ELEMENT == 64
#define HOPS_READ_ZERO(x, scale)                                               \
	((x) == floor((x) / (value_t)(scale)) * (value_t)(scale))
#define EXACT(x) ((x) < 9007199254740992.0)
#else
#define HOPS_READ_ZERO(x, scale) ((uint)(x) % (uint)(scale) == 0)
#define EXACT(x) 1
#endif

__kernel void predecessors(__global const value_t *v, uint n_vertices, uint r0,
	__global const uint *offsets, __global const uint *tails,
	__global const value_t *lengths, uint scale, __global vertex_t *out,
	volatile __global uint *checks)
{
	uint r = get_global_id(1), first = get_global_id(0) * SPAN;
	__global const value_t *row = v + (ulong)r * n_vertices;
	uint unproved = 0, misfits = 0, finite = 0;

	for (uint j = first; j < first + SPAN && j < n_vertices; j++) {
		value_t target = row[j], best = V_INFINITY;
		vertex_t tail = (vertex_t)-1;

		for (uint e = offsets[j]; e < offsets[j + 1]; e++) {
			value_t sum = row[tails[e]] + lengths[e];

			if (sum < best) {
				best = sum;
				tail = (vertex_t)tails[e];
			}
		}
		if (j == r0 + r) {
			tail = (vertex_t)-1;
			unproved += target != 0;
		} else {
			unproved += best != target;
			if (target < V_INFINITY)
				misfits += !EXACT(target) ||
					(scale > 0 &&
						HOPS_READ_ZERO(target, scale));
		}
		finite += target < V_INFINITY;
		out[(ulong)r * n_vertices + j] = tail;
	}
	if (unproved > 0)
		atomic_add(&checks[0], unproved);
	if (misfits > 0)
		atomic_add(&checks[1], misfits);
	if (finite > 0)
		atomic_add(&checks[2], finite);
}
