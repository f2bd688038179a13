/*
 * Every arc held against four rows, which lie side by side so that one look at
 * an arc serves all (compute/tables/README.md, Proof). It reads the lengths
 * themselves.
 */
#ifndef APSP_COMPUTE_TABLES_ARC_PROOF_H
#define APSP_COMPUTE_TABLES_ARC_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"

enum {
	APSP_PROOF_LANES = 4, /* what the least of x86-64 and of Arm compares */
	/* values of V in 16 and 32 bits are below; a vertex without a path has
	   this */
	APSP_PROOF_NOWHERE = 1 << 30,
	APSP_PROOF_NONE = -1, /* no predecessor */
};

typedef int32_t apsp_proof_lanes
	__attribute__((vector_size(APSP_PROOF_LANES * sizeof(int32_t))));

/* A vertex in all rows, as every arc to it is held against it. */
struct apsp_proof_cell {
	apsp_proof_lanes tail;
	apsp_proof_lanes value;
};

/* Borrowed. */
struct apsp_proof_arcs {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	double per_unit; /* 0: it does not fit a double */
};

/*
 * Whether no arc is shorter than the path between its ends in any row, and none
 * as long comes from a lower predecessor. A vertex that is not reached has the
 * lowest. Sums are cut at 2^30 - 1, which is beyond all finite values. Values
 * are from 0 to APSP_PROOF_NOWHERE; there are no potentials.
 */
bool apsp_arc_proof_agrees(const struct apsp_proof_arcs *arcs,
	const struct apsp_proof_cell *cells);

/*
 * The whole proof of rows of V from such sources, without a walk: besides the
 * above, each predecessor's arc exists and ends a path of the very value, and
 * whoever has a value but the source has a predecessor. So values fall along
 * predecessors, since arcs are 1 or longer, and no way leads anywhere but to
 * the source. Values may be any.
 */
bool apsp_arc_proof_whole(const struct apsp_proof_arcs *arcs,
	const struct apsp_proof_cell *cells,
	const uint32_t sources[APSP_PROOF_LANES]);

/* An arc's integer without potentials; wraps where these would be needed. */
static inline int64_t apsp_proof_integer(
	const struct apsp_proof_arcs *arcs, uint64_t arc)
{
	const struct apsp_integers *integers = arcs->integers;
	double length;
	int64_t whole;

	if (integers->kind == APSP_DISTANCE_HOPS)
		return 1;
	length = arcs->lengths->lengths[arc];
	if (integers->kind == APSP_DISTANCE_SCALED)
		return (int64_t)((uint64_t)(int64_t)length *
					 (uint64_t)integers->scale +
				 1);
	length = arcs->per_unit > 0 ? length * arcs->per_unit
				    : length / integers->unit;
	whole = (int64_t)length;
	whole -= length < (double)whole; /* down, not towards 0 */
	return whole + 1;
}

#endif
