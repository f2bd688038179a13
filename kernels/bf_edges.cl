/*
 * Bellman–Ford over a list of edges. This file includes edge_sweep.clh. LANES is 1: the
 * only lane of a word holds the distance from the row's source. The last argument of the
 * kernel `sweep` holds the edges' lengths. Distances fall while other items read them.
 * An item that has read an old distance reads the new distance in the next round,
 * because every change causes one more round.
 *
 * If OWN_ROWS is 1, an item sweeps all edges for its rows, and no other item writes to
 * these rows. Otherwise items lower distances by atomic minima.
 *
 * Distances are integers, because OpenCL has atomic minima only of integers. All values
 * of the distance matrix V are whole numbers, even if V stores them as doubles. If V
 * has doubles, distances have 64 bits, and NONE means that no path is known. The sum of
 * NONE and a length does not wrap, and also means that no path is known. If V has 16 or
 * 32 bits, distances have 32 bits, and V_INFINITY means that no path is known.
 */
#include "element.clh"

#ifndef OWN_ROWS
#define OWN_ROWS 0
#endif

#if ELEMENT == 64
#if !OWN_ROWS
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
typedef long distance_t;
#define NONE (1L << 62)
#define FALL_TO(d, x) atom_min(d, x)
#define VALUE_OF(x) ((x) < NONE ? (value_t)(x) : V_INFINITY)
#else
typedef int distance_t;
#define FALL_TO(d, x) atomic_min(d, x)
#define VALUE_OF(x) ((value_t)(x))
#endif

#define LANES 1
#define AT_SOURCE 0
#define own_t __global const distance_t *
typedef distance_t lane_t;
typedef distance_t word_t;
#include "edge_sweep.clh"

#if OWN_ROWS
/* Relax neighbouring edges with the same head together, so that the distance of this
   head stays in a register. */
static inline uint edges_relax(__global distance_t *d,
	__global const uint *tails, __global const uint *heads, ulong first,
	ulong last, __global const distance_t *lengths)
{
	uint fell = 0;

	for (ulong e = first; e < last;) {
		uint head = heads[e];
		distance_t before = d[head], to = before;

		for (; e < last && heads[e] == head; e++) {
			uint tail = tails[e] & ~BOTH_WAYS;
			distance_t from = d[tail], sum = from + lengths[e];

			to = sum < to ? sum : to;
			if (tails[e] & BOTH_WAYS) {
				sum = to + lengths[e];
				if (sum < from) {
					d[tail] = sum;
					fell = 1;
				}
			}
		}
		fell |= to < before;
		d[head] = to;
	}
	return fell;
}
#else
static inline uint edges_relax(__global distance_t *d,
	__global const uint *tails, __global const uint *heads, ulong first,
	ulong last, __global const distance_t *lengths)
{
	uint fell = 0;

	for (ulong e = first; e < last; e++) {
		uint tail = tails[e] & ~BOTH_WAYS, head = heads[e];
		distance_t from = d[tail], to = d[head];

		if (from + lengths[e] < to) {
			FALL_TO(&d[head], from + lengths[e]);
			fell = 1;
		} else if (tails[e] & BOTH_WAYS && to + lengths[e] < from) {
			FALL_TO(&d[tail], to + lengths[e]);
			fell = 1;
		}
	}
	return fell;
}
#endif

__kernel void harvest(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, uint n_vertices, uint first, __global const distance_t *d)
{
	uint r = get_global_id(1), u = first + r;
	uint begin = get_global_id(0) * SPAN;

	if (u / TILE < base || u / TILE >= base + n_panels)
		return;
	for (uint j = begin; j < begin + SPAN && j < n_vertices; j++)
		panels[VALUE_AT(u, j, base, n_tiles)] =
			VALUE_OF(d[(ulong)r * n_vertices + j]);
}
