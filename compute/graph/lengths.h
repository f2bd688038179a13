/*
 * The arc lengths that an uploaded graph has under a profile, as compressed
 * sparse rows (compute/graph/README.md, Transforms).
 */
#ifndef APSP_COMPUTE_GRAPH_LENGTHS_H
#define APSP_COMPUTE_GRAPH_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/table_file.h"

/* The arcs sorted by head and then by tail (in_arcs.h). All arrays are owned.
   They are NULL if the lists were not built. */
struct apsp_in_arcs {
	/* type of the ranks that are stored as predecessors; APSP_ELEMENT_NONE:
	   predecessors are indices */
	enum apsp_element rank;
	uint64_t *offsets; /* n_vertices + 1 entries */
	uint32_t *tails;
	uint32_t *arcs; /* for each arc, its index in `heads` of struct
			   apsp_lengths */
};

/*
 * The arcs that remain after merging and dropping, with their transformed
 * weights, and without self-loops. They are sorted by tail and then by head.
 * All arrays are owned.
 */
struct apsp_lengths {
	uint32_t n_vertices;
	uint64_t n_arcs;
	uint64_t *offsets; /* n_vertices + 1 entries */
	uint32_t *heads;
	double *weights; /* merged weights; NULL: they were freed */
	/* The length of each arc. If the profile says path=widest, the lengths
	   are the ranks of weights. Otherwise the lengths are the transformed
	   weights. If the transform changes no weight, `lengths` and `weights`
	   are the same array. NULL: all lengths are 1. */
	double *lengths;
	/* If the profile says path=widest: the different weights in descending
	   order; ladder[r - 1] is the weight of rank r. Otherwise NULL. */
	double *ladder;
	uint64_t n_ranks; /* number of entries in `ladder` */
	struct apsp_in_arcs in;
	uint64_t *self_loop; /* bit v is set if vertex v had a self-loop, which
				was dropped */
	bool has_negative_loop; /* some self-loop had a negative length */
	uint32_t negative_loop; /* vertex of the first self-loop with a negative
				   length */
	/* apsp_lengths_checksum() of the arrays as apsp_lengths_build() made
	   them */
	uint64_t checksum;
};

/*
 * Make the arcs of a graph under its profile, in these steps:
 *
 *  1. with invalid=drop, drop uploaded weights that the transform does not
 *     accept
 *  2. merge duplicates
 *  3. with normalise, sum the weights of each vertex (totals.h)
 *  4. drop weights below min_weight, and the arcs of vertices that the option
 *     `without` leaves out
 *  5. with normalise, replace weights by their shares, and drop shares below
 *     min_share
 *  6. refuse or drop values outside the transform's domain
 *  7. transform
 *  8. drop self-loops
 *
 * The transform lognorm divides by the largest value of all arcs, including the
 * arcs that are dropped. With path=widest, the lengths are the ranks of weights
 * or shares (weight_ranks.h), among the arcs that are left when self-loops are
 * dropped. The array `weights` of *out has the merged weights. Takes linear
 * time, and little more memory than the rows of all uploaded arcs. The caller
 * ends *out with apsp_lengths_done().
 *
 * APSP_EDATA: a value is outside the domain, a merged weight has no share, or
 * there is a duplicate under duplicates=error; the message names the arc by its
 * labels. APSP_EPROOF: the sorted rows are not the arcs of the graph
 * (arc_rows.h). APSP_ENOMEM.
 */
int apsp_lengths_build(const struct apsp_graph *graph, struct apsp_lengths *out,
	struct apsp_err *err);
void apsp_lengths_done(struct apsp_lengths *lengths);

/* Return a checksum of all arrays except those of `in`, which in_arcs.h proves.
   Reads all arcs, on all processors. */
uint64_t apsp_lengths_checksum(const struct apsp_lengths *lengths);

/* Check that the arrays are still as apsp_lengths_build() made them: compute
   their checksum again. APSP_EPROOF: an array has changed. */
int apsp_lengths_check(
	const struct apsp_lengths *lengths, struct apsp_err *err);

/*
 * Copy some arcs, in the same order: an arc is copied if its byte in `kept` is
 * not 0. `kept` has n_arcs bytes. In *out, only the arrays `offsets`, `heads`
 * and `lengths` are filled. The caller ends *out with apsp_lengths_done() even
 * if the function fails. APSP_ENOMEM.
 */
int apsp_lengths_select(const struct apsp_lengths *lengths, const uint8_t *kept,
	struct apsp_lengths *out, struct apsp_err *err);

void apsp_in_arcs_done(struct apsp_in_arcs *in);

/* Return the length of an arc. */
static inline double apsp_lengths_get(
	const struct apsp_lengths *lengths, uint64_t arc)
{
	return lengths->lengths ? lengths->lengths[arc] : 1;
}

#define APSP_NO_ARC UINT64_MAX

/* Find the row that contains item number `at` of compressed sparse rows: the
   last row for which offsets[row] <= at. Returns 0 if there are no rows. Takes
   logarithmic time. */
uint32_t apsp_lengths_row_of(
	const uint64_t *offsets, uint32_t n_rows, uint64_t at);

/* Return the index, in `heads` and `lengths`, of the arc from `tail` to `head`.
   APSP_NO_ARC: the graph has no arc from `tail` to `head`. Takes logarithmic
   time. */
uint64_t apsp_lengths_find(
	const struct apsp_lengths *lengths, uint32_t tail, uint32_t head);

#endif
