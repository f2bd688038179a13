/*
 * The arcs of one profile in memory, stored by tail and by head, for searches.
 * They are copied from a table file, so they have the solver's weights and
 * lengths. A complete adjacency is immutable; any thread may read it.
 *
 *	out of v    heads, weights, lengths [out_offsets[v], out_offsets[v + 1])
 *	into v      tails, in_arcs, in_lengths [in_offsets[v],
 *	            in_offsets[v + 1])
 *
 * in_arcs[i] is the arc's index in heads, weights and lengths. in_lengths[i]
 * repeats the arc's length, because searches go from heads to tails. The arcs
 * out of a vertex are in ascending order of their heads, and the arcs into a
 * vertex are in ascending order of their tails.
 */
#ifndef APSP_STORAGE_SEARCH_ADJACENCY_H
#define APSP_STORAGE_SEARCH_ADJACENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/path_cost.h"
#include "storage/tables/tables.h"

#define APSP_ARC_NONE UINT64_MAX

/* Facts about the lengths of all arcs. From these facts, searches compute
   bounds of rounding errors and the unit of exact sums. */
struct apsp_length_facts {
	double smallest; /* least magnitude above 0; INFINITY if all lengths are
			    0 */
	double largest;	 /* greatest magnitude */
	bool zeros;	 /* some length is 0 */
	bool negative;	 /* some length is below 0 */
	int last_bit; /* exponent of the lowest bit that is set in any length */
};

struct apsp_adjacency {
	uint32_t n_vertices;
	uint64_t n_arcs;
	uint64_t *out_offsets; /* n_vertices + 1 */
	uint32_t *heads;
	double *weights; /* weights after parallel arcs were merged */
	double *lengths;
	uint64_t *in_offsets; /* n_vertices + 1 */
	uint32_t *tails;
	uint32_t *in_arcs;
	double *in_lengths;
	struct apsp_length_facts facts;
	bool has_unit; /* 128 bits can hold sums of lengths exactly */
	/* valid only if has_unit is true; see apsp_adjacency_needs_unit() */
	struct apsp_path_cost_unit unit;
};

/* Return the bytes of memory that the adjacency of a table file takes. */
uint64_t apsp_adjacency_bytes(const struct apsp_table_header *header);

/* An adjacency that is being copied, in steps of about a millisecond. The
   struct is {0} before the first step. */
struct apsp_adjacency_build {
	struct apsp_adjacency made;
	int phase;
	uint64_t next;	/* index of the next element to process in the present
			   phase of copying */
	uint64_t piece; /* number of offsets or arcs that one step copies; 0:
			   65,536 */
};

/*
 * Do one step of copying. Each call must get the same table file. Returns 1 if
 * there is more to do, or 0 when build->made is complete. The caller ends
 * build->made with apsp_adjacency_done(). APSP_EDAMAGED: the table file is
 * damaged. APSP_EDATA: the graph is too large for searches. APSP_ENOMEM.
 */
int apsp_adjacency_step(struct apsp_adjacency_build *build,
	struct apsp_tables *tables, struct apsp_err *err);
void apsp_adjacency_done(struct apsp_adjacency *adjacency);

/* Call this before the unit is used. APSP_EDATA: there is no unit, because sums
   of the lengths do not fit 128 bits. */
int apsp_adjacency_needs_unit(
	const struct apsp_adjacency *adjacency, struct apsp_err *err);

/* Return the index in `heads` of the arc from tail to head; APSP_ARC_NONE:
   there is no such arc. Takes logarithmic time. */
uint64_t apsp_adjacency_find(
	const struct apsp_adjacency *adjacency, uint32_t tail, uint32_t head);

/* The number of arcs out of one vertex, and the sum of their weights; the same
   for the arcs into the vertex. Sums are exact, and are rounded once.
   Self-loops do not count. The time to compute this struct is linear in the
   number of these arcs. */
struct apsp_vertex_arcs {
	uint64_t out_degree;
	uint64_t in_degree;
	double out_strength; /* sum of the weights of all arcs out of the
				vertex */
	double in_strength;
};

struct apsp_vertex_arcs apsp_adjacency_vertex(
	const struct apsp_adjacency *adjacency, uint32_t v);

#endif
