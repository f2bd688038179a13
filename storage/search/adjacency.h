/*
 * The arcs of one profile in memory, by tail and by head: what searches walk.
 * Made from the rows of a table file, so weights and lengths are those that the
 * solver made; immutable once made, and read by any thread.
 *
 *	out of v    heads, weights, lengths [out_offsets[v], out_offsets[v + 1])
 *	into v      tails, in_arcs, in_lengths [in_offsets[v],
 *	            in_offsets[v + 1])
 *
 * in_arcs[i] is the arc's place among heads, weights and lengths; in_lengths[i]
 * is its length again, because searches go from heads to tails. Heads of a row
 * ascend, and so do tails.
 */
#ifndef APSP_STORAGE_SEARCH_ADJACENCY_H
#define APSP_STORAGE_SEARCH_ADJACENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/path_cost.h"
#include "storage/tables/tables.h"

#define APSP_ARC_NONE UINT64_MAX

/* What bounds and exact sums must know of all lengths. */
struct apsp_length_facts {
	double smallest; /* magnitude, zeros apart; INFINITY: all are 0 */
	double largest;	 /* magnitude */
	bool zeros;	 /* some length is 0 */
	bool negative;	 /* some length is below 0 */
	int last_bit;	 /* exponent of the least bit that a length has set */
};

struct apsp_adjacency {
	uint32_t n_vertices;
	uint64_t n_arcs;
	uint64_t *out_offsets; /* n_vertices + 1 */
	uint32_t *heads;
	double *weights; /* merged */
	double *lengths;
	uint64_t *in_offsets; /* n_vertices + 1 */
	uint32_t *tails;
	uint32_t *in_arcs;
	double *in_lengths;
	struct apsp_length_facts facts;
	struct apsp_path_cost_unit unit;
};

/* The bytes that the arcs of such tables take. */
uint64_t apsp_adjacency_bytes(const struct apsp_table_header *header);

/* An adjacency that is being made, in steps of a millisecond or so. */
struct apsp_adjacency_build {
	struct apsp_adjacency made;
	int phase;
	uint64_t next;	/* element of the phase */
	uint64_t piece; /* offsets or arcs of a step; may be lowered */
};

/*
 * Start; the caller ends *out with apsp_adjacency_done(&out->made).
 * APSP_ENOMEM. APSP_EDATA: 128 bits do not hold sums of these lengths.
 */
int apsp_adjacency_begin(const struct apsp_tables *tables,
	struct apsp_adjacency_build *out, struct apsp_err *err);

/*
 * Do a part. Returns 1 if there is more, else 0: build->made is complete. The
 * same tables at every call. APSP_EDAMAGED, APSP_EDATA.
 */
int apsp_adjacency_step(struct apsp_adjacency_build *build,
	struct apsp_tables *tables, struct apsp_err *err);
void apsp_adjacency_done(struct apsp_adjacency *adjacency);

/* The place of an arc among heads, or APSP_ARC_NONE. Logarithmic time. */
uint64_t apsp_adjacency_find(
	const struct apsp_adjacency *adjacency, uint32_t tail, uint32_t head);

/* The arcs of one vertex, without self-loops. Linear in their number. */
struct apsp_vertex_arcs {
	uint64_t out_degree;
	uint64_t in_degree;
	double out_strength; /* sum of weights */
	double in_strength;
};

struct apsp_vertex_arcs apsp_adjacency_vertex(
	const struct apsp_adjacency *adjacency, uint32_t v);

#endif
