/*
 * Lists of the arcs by head. The predecessor of a vertex is the tail of the
 * last arc of a shortest path. It can be stored as a rank: the index of this
 * arc in the list of all arcs to the same head. The table file has ranks if it
 * is then smaller than with vertex indices (daemon/job/table_file.h). Ranks are
 * decoded with these lists.
 */
#ifndef APSP_COMPUTE_GRAPH_IN_ARCS_H
#define APSP_COMPUTE_GRAPH_IN_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/*
 * Build lengths->in by a counting sort. Until apsp_in_arcs_settle(),
 * predecessors are vertex indices. Takes linear time, on all processors.
 * apsp_lengths_done() or apsp_in_arcs_done() frees the lists. APSP_ENOMEM.
 */
int apsp_in_arcs_build(struct apsp_lengths *lengths, struct apsp_err *err);

/* Return the type of predecessors with which the table file is smallest: a type
   of ranks, or the type of indices (apsp_rank_element()). The lists lengths->in
   must have been built. */
enum apsp_element apsp_in_arcs_best(const struct apsp_lengths *lengths);

/*
 * Choose whether predecessors are ranks or vertex indices. For widest paths,
 * predecessors are ranks, in the smallest type that holds all ranks. The proof
 * of widest paths must find the arc of each predecessor, and a rank gives this
 * arc without a search; no file stores these ranks. For other paths,
 * apsp_in_arcs_best() chooses. If predecessors become vertex indices, the lists
 * lengths->in are freed.
 */
void apsp_in_arcs_settle(
	struct apsp_lengths *lengths, enum apsp_distance_kind kind);

/* Whether predecessors are stored as ranks. */
static inline bool apsp_in_arcs_ranks(const struct apsp_lengths *lengths)
{
	return lengths->in.rank != APSP_ELEMENT_NONE;
}

/* Check that lengths->in has each arc once, and in the right place. Takes
   linear time. APSP_EPROOF: an arc is missing or in a wrong place. */
int apsp_in_arcs_check(
	const struct apsp_lengths *lengths, struct apsp_err *err);

/* Return the type of stored predecessors: a type of ranks or, if predecessors
   are not ranks, the type of vertex indices. */
static inline enum apsp_element apsp_in_arcs_element(
	const struct apsp_lengths *lengths)
{
	return apsp_in_arcs_ranks(lengths)
		       ? lengths->in.rank
		       : apsp_index_element(lengths->n_vertices);
}

/* Return the rank of the arc from `tail` to `head`. The rank is the number of
   arcs to `head` that have lower tails. UINT32_MAX: there is no arc from `tail`
   to `head`. Takes logarithmic time. */
uint32_t apsp_in_arcs_rank(
	const struct apsp_in_arcs *in, uint32_t tail, uint32_t head);

/*
 * Copy columns [from, end) of a row of stored predecessors to `out`, as 32-bit
 * integers. UINT32_MAX: there is no predecessor.
 */
void apsp_in_arcs_codes(const struct apsp_lengths *lengths, const void *row,
	uint32_t from, uint32_t end, uint32_t *out);

/* Do the reverse of apsp_in_arcs_codes() for one predecessor: store `code`,
   which is a rank or a vertex index, in column j of a row. */
static inline void apsp_in_arcs_put(const struct apsp_lengths *lengths,
	void *row, uint32_t j, uint32_t code)
{
	switch (apsp_in_arcs_element(lengths)) {
	case APSP_ELEMENT_U8:
		((uint8_t *)row)[j] = (uint8_t)code;
		return;
	case APSP_ELEMENT_U16:
		((uint16_t *)row)[j] = (uint16_t)code;
		return;
	default:
		((uint32_t *)row)[j] = code;
	}
}

/* Copy columns [from, end) of a row of stored predecessors to `out`, as vertex
   indices: each rank is replaced by the tail of its arc. If there is no
   predecessor, or if the stored predecessor is wrong, the value in `out` is
   n_vertices or more. */
void apsp_in_arcs_tails(const struct apsp_lengths *lengths, const void *row,
	uint32_t from, uint32_t end, uint32_t *out);

#endif
