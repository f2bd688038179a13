/*
 * Arcs against four rows; see arc_proof.h.
 */
#include "compute/tables/arc_proof.h"

#include <string.h>

#include "compute/wide.h"

enum {
	LANES = APSP_PROOF_LANES,
};

typedef apsp_proof_lanes lanes_t;

/* What all arcs say. */
struct verdict {
	lanes_t object; /* not 0: some arc objects */
	lanes_t found;	/* arcs of predecessors */
};

static APSP_INLINE lanes_t all_of(int32_t value)
{
	return (lanes_t){value, value, value, value};
}

static APSP_INLINE bool any_of(lanes_t lanes)
{
	int64_t halves[2];

	memcpy(halves, &lanes, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

/* The arc's integer, where it fits 30 bits; else the most that does. */
static APSP_INLINE int32_t narrow_integer(
	const struct apsp_proof_arcs *arcs, uint64_t arc)
{
	int64_t wide = apsp_proof_integer(arcs, arc);

	return wide < APSP_PROOF_NOWHERE ? (int32_t)wide
					 : APSP_PROOF_NOWHERE - 1;
}

/* Hold the arcs of tail k against the rows. */
static APSP_INLINE void tail_ask(const struct apsp_proof_arcs *arcs,
	const struct apsp_proof_cell *cells, uint32_t k, struct verdict *out)
{
	const struct apsp_lengths *lengths = arcs->lengths;
	lanes_t from = cells[k].value, tails = all_of((int32_t)k);

	for (uint64_t e = lengths->offsets[k]; e < lengths->offsets[k + 1];
		e++) {
		const struct apsp_proof_cell *to = &cells[lengths->heads[e]];
		lanes_t sum = from + all_of(narrow_integer(arcs, e));
		lanes_t equal = sum == to->value, own = to->tail == tails;

		out->object |= (sum < to->value) |
			       (equal & (to->tail > tails)) | (own & ~equal);
		out->found -= own;
	}
}

static APSP_INLINE struct verdict tails_ask(
	const struct apsp_proof_arcs *arcs, const struct apsp_proof_cell *cells)
{
	struct verdict verdict = {0};

	for (uint32_t k = 0; k < arcs->lengths->n_vertices; k++)
		tail_ask(arcs, cells, k, &verdict);
	return verdict;
}

APSP_WIDE bool apsp_arc_proof_agrees(
	const struct apsp_proof_arcs *arcs, const struct apsp_proof_cell *cells)
{
	return !any_of(tails_ask(arcs, cells).object);
}

/* Count the vertices with a predecessor. False: one has a path and no
 * predecessor and is not the source, or the other way round. */
static APSP_INLINE bool vertices_fit(const struct apsp_proof_cell *cells,
	uint32_t n, const uint32_t sources[LANES], lanes_t *out_tails)
{
	lanes_t nowhere = all_of(APSP_PROOF_NOWHERE), wrong = {0}, tails = {0};

	for (uint32_t j = 0; j < n; j++) {
		lanes_t none = cells[j].tail == all_of(APSP_PROOF_NONE);

		/* both are 0 or -1 */
		wrong -= (none & (cells[j].value != nowhere)) |
			 (~none & (cells[j].value >= nowhere));
		tails += none + 1;
	}
	for (size_t l = 0; l < LANES; l++) {
		const struct apsp_proof_cell *source = &cells[sources[l]];

		/* the source is the one */
		if (source->tail[l] != APSP_PROOF_NONE ||
			source->value[l] != 0 || wrong[l] != 1)
			return false;
	}
	*out_tails = tails;
	return true;
}

APSP_WIDE bool apsp_arc_proof_whole(const struct apsp_proof_arcs *arcs,
	const struct apsp_proof_cell *cells, const uint32_t sources[LANES])
{
	struct verdict verdict;
	lanes_t tails;

	if (!vertices_fit(cells, arcs->lengths->n_vertices, sources, &tails))
		return false;
	verdict = tails_ask(arcs, cells);
	return !any_of(verdict.object | (verdict.found ^ tails));
}
