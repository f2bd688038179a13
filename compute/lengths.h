/*
 * Arc lengths: an uploaded graph under a profile, as compressed sparse rows,
 * and their integer form V that every algorithm solves (design.md, decisions 6
 * and 8).
 */
#ifndef APSP_COMPUTE_LENGTHS_H
#define APSP_COMPUTE_LENGTHS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"
#include "daemon/base/table_file.h"

/*
 * Arcs after merging, threshold, transform, without self-loops; sorted by tail,
 * then head. All arrays owned.
 */
struct apsp_lengths {
	uint32_t n_vertices;
	uint64_t n_arcs;
	uint64_t *offsets; /* n_vertices + 1 */
	uint32_t *heads;
	double *weights;     /* merged */
	double *lengths;     /* transformed; may be weights; NULL: all are 1 */
	uint64_t *self_loop; /* bit row: v had a self-loop before it was dropped
			      */
	bool has_negative_loop; /* some self-loop's length was negative, */
	uint32_t negative_loop; /* the first at this vertex */
};

/*
 * In this order: drop what is outside the domain as uploaded (invalid=drop
 * only), merge, drop below min_weight, refuse or drop what is outside the
 * domain, transform, drop self-loops; so lognorm's largest weight may be a
 * self-loop's. Linear time; needs little more memory than the rows of all
 * uploaded arcs.
 *
 * APSP_EDATA: a merged weight outside the domain, or a duplicate under
 * duplicates=error; the message names the arc by its labels. APSP_ENOMEM.
 */
int apsp_lengths_build(const struct apsp_graph *graph, struct apsp_lengths *out,
	struct apsp_err *err);
void apsp_lengths_done(struct apsp_lengths *lengths);

/* Free weights, unless lengths are them; then weights is NULL. */
void apsp_lengths_drop_weights(struct apsp_lengths *lengths);

#define APSP_NO_ARC UINT64_MAX

/* The place of an arc in the rows, or APSP_NO_ARC. Logarithmic time. */
uint64_t apsp_lengths_find(
	const struct apsp_lengths *lengths, uint32_t tail, uint32_t head);

/*
 * Strictly positive integer lengths over the same arcs, made from the lengths
 * when they are asked for: kept, they would be most of a solve's memory beside
 * the tables. Integers: w' = w·scale + 1; hops (all lengths are 1, or there are
 * no arcs): w' = 1; reals: w' = floor(w / unit) + 1, unit being a power of two.
 * With negative lengths, what the kernels see is w'(u,v) + potential[u] -
 * potential[v] >= 0; no cycle of arcs of 0 is left, and for integers no such
 * arc.
 */
struct apsp_integers {
	enum apsp_distance_kind kind;
	int64_t scale;	     /* SCALED; 1 for the others */
	double unit;	     /* SUM; 1 for the others */
	int64_t *potentials; /* n_vertices; owned; NULL: no negative lengths */
};

/* A negative cycle in order; n is 0 if there is none. Owned. */
struct apsp_cycle {
	uint32_t *vertices;
	size_t n;
};

/*
 * scale is what V = distance · scale + hops is made with; 0 takes n_vertices.
 * It is ignored for hops and reals. APSP_ENEGCYCLE fills *out_cycle (self-loops
 * included) and names its first vertices in the message; APSP_EOVERFLOW: a
 * length does not fit 53 bits. The caller ends *out_cycle in any case.
 */
int apsp_integers_build(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, int64_t scale,
	struct apsp_integers *out, struct apsp_cycle *out_cycle,
	struct apsp_err *err);
void apsp_integers_done(struct apsp_integers *integers);
void apsp_cycle_done(struct apsp_cycle *cycle);

/* What the kernels see of an arc, which is one of tail's: 0 to 2^53. */
static inline int64_t apsp_integers_at(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, uint64_t arc)
{
	const int64_t *h = integers->potentials;
	uint64_t value;
	double length;

	if (integers->kind == APSP_DISTANCE_HOPS)
		return 1;
	length = lengths->lengths[arc];
	if (integers->kind == APSP_DISTANCE_SUM)
		value = (uint64_t)(int64_t)floor(length / integers->unit) + 1;
	else
		value = (uint64_t)(int64_t)length * (uint64_t)integers->scale +
			1;
	/* what goes beyond 64 bits on the way comes back */
	if (h)
		value += (uint64_t)(h[tail] - h[lengths->heads[arc]]);
	return (int64_t)value;
}

/* Those of all arcs of tail, in order, at out. */
void apsp_integers_row(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, int64_t *out);

/*
 * Those of all arcs, for what looks at them again and again. The caller frees
 * *out. APSP_ENOMEM.
 */
int apsp_integers_all(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t **out,
	struct apsp_err *err);

/*
 * Lower bounds of what any solution holds: the largest finite distance (in V,
 * under integers' own scale, potentials included) and the most hops, over all
 * V(root, ·) and V(·, root), by Dijkstra from the vertex of largest degree.
 * They skip widths and scales that cannot fit.
 */
int apsp_integers_bound(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t *out_v,
	uint32_t *out_hops, struct apsp_err *err);

#endif
