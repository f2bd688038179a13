/*
 * Four rows proved by a walk; see walk_proof.h.
 *
 * Why it proves a row: walking shows that every distance is the length of a
 * path, so none is too small; and if d(j) <= d(k) + w for all arcs k → j, none
 * is too large, as along any path no vertex' distance exceeds the path so far.
 */
#include "compute/tables/walk_proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LANES = APSP_PROOF_LANES,
	NONE = APSP_PROOF_NONE,
};

#define NO_ARC INT64_MIN
#define UNSETTLED INT64_MIN
#define UNREACHED (INT64_C(1) << 61)

bool apsp_walk_proof_init(const struct apsp_proof_arcs *arcs,
	enum apsp_element distance, bool narrow, struct apsp_walk_proof *out)
{
	size_t n = arcs->lengths->n_vertices, cells = (n + 1) * LANES;
	bool sums = arcs->integers->kind == APSP_DISTANCE_SUM;

	*out = (struct apsp_walk_proof){
		.arcs = arcs, .distance = distance, .narrow = narrow};
	out->rows = malloc(cells * sizeof(double));
	out->values = malloc(cells * sizeof(*out->values));
	out->last = malloc(cells * sizeof(*out->last));
	out->stack = malloc((n + 1) * sizeof(*out->stack));
	if (sums) {
		out->sums = malloc(cells * sizeof(*out->sums));
		out->lengths = malloc(cells * sizeof(*out->lengths));
	}
	return out->rows && out->values && out->last && out->stack &&
	       (!sums || (out->sums && out->lengths));
}

void apsp_walk_proof_done(struct apsp_walk_proof *walk)
{
	free(walk->rows);
	free(walk->values);
	free(walk->last);
	free(walk->sums);
	free(walk->lengths);
	free(walk->stack);
	memset(walk, 0, sizeof(*walk));
}

void *apsp_walk_proof_row(const struct apsp_walk_proof *walk, size_t lane)
{
	return walk->rows +
	       lane * walk->arcs->lengths->n_vertices * sizeof(double);
}

/* Find the last arc of each path. */
static void last_find(
	const struct apsp_walk_proof *walk, const struct apsp_proof_cell *cells)
{
	const struct apsp_lengths *lengths = walk->arcs->lengths;

	for (size_t c = 0; c < (size_t)lengths->n_vertices * LANES; c++)
		walk->last[c] = NO_ARC;
	for (uint32_t k = 0; k < lengths->n_vertices; k++) {
		int32_t tail = (int32_t)k;
		apsp_proof_lanes all = {tail, tail, tail, tail};

		for (uint64_t e = lengths->offsets[k];
			e < lengths->offsets[k + 1]; e++) {
			uint32_t j = lengths->heads[e];
			apsp_proof_lanes same = cells[j].tail == all;
			size_t at = (size_t)j * LANES;
			int64_t halves[2];

			memcpy(halves, &same, sizeof(halves));
			if ((halves[0] | halves[1]) == 0)
				continue;
			for (int l = 0; l < LANES; l++) {
				if (!same[l])
					continue;
				walk->last[at + l] =
					apsp_proof_integer(walk->arcs, e);
				if (walk->lengths)
					walk->lengths[at + l] =
						lengths->lengths[e];
			}
		}
	}
}

/* Settle j in a lane, after all vertices before it on its path. */
static bool path_walk(const struct apsp_walk_proof *walk,
	const struct apsp_proof_cell *cells, size_t lane, uint32_t j)
{
	uint32_t n = walk->arcs->lengths->n_vertices, depth = 0;
	int64_t value;
	double sum = 0;

	while (walk->values[(size_t)j * LANES + lane] == UNSETTLED) {
		size_t at = (size_t)j * LANES + lane;

		if (depth == n || walk->last[at] == NO_ARC)
			return false; /* a cycle, or no such arc */
		walk->stack[depth++] = j;
		j = (uint32_t)cells[j].tail[lane];
	}
	value = walk->values[(size_t)j * LANES + lane];
	if (value == UNREACHED)
		return false;
	if (walk->sums)
		sum = walk->sums[(size_t)j * LANES + lane];
	while (depth-- > 0) {
		size_t at = (size_t)walk->stack[depth] * LANES + lane;

		value = (int64_t)((uint64_t)value + (uint64_t)walk->last[at]);
		walk->values[at] = value;
		if (walk->sums) {
			sum += walk->lengths[at];
			walk->sums[at] = sum;
		}
	}
	return true;
}

/* Walk all paths of a lane. False: its predecessors are no tree. */
static bool row_walk(const struct apsp_walk_proof *walk,
	const struct apsp_proof_cell *cells, uint32_t source, size_t lane)
{
	uint32_t n = walk->arcs->lengths->n_vertices;

	if (cells[source].tail[lane] != NONE)
		return false;
	for (uint32_t j = 0; j < n; j++) {
		size_t at = (size_t)j * LANES + lane;

		walk->values[at] = UNSETTLED;
		if (cells[j].tail[lane] != NONE)
			continue;
		walk->values[at] = j == source ? 0 : UNREACHED;
		if (walk->sums)
			walk->sums[at] = j == source ? 0 : INFINITY;
	}
	for (uint32_t j = 0; j < n; j++)
		if (walk->values[(size_t)j * LANES + lane] == UNSETTLED &&
			!path_walk(walk, cells, lane, j))
			return false;
	return true;
}

/* Whether column j of a row holds what was walked. */
static bool cell_agrees(const struct apsp_walk_proof *walk, const void *row,
	uint32_t j, size_t at)
{
	int64_t value = walk->values[at];
	bool reached = value != UNREACHED;
	float narrow;

	if (walk->arcs->integers->kind == APSP_DISTANCE_SUM) {
		if (walk->distance == APSP_ELEMENT_F64)
			return memcmp((const double *)row + j, &walk->sums[at],
				       sizeof(double)) == 0;
		narrow = (float)walk->sums[at];
		return memcmp((const float *)row + j, &narrow,
			       sizeof(narrow)) == 0;
	}
	switch (walk->distance) {
	case APSP_ELEMENT_U16:
		return ((const uint16_t *)row)[j] ==
		       (reached ? value : APSP_V_INFINITY_U16);
	case APSP_ELEMENT_I32:
		return ((const int32_t *)row)[j] ==
		       (reached ? value : APSP_V_INFINITY_I32);
	default:
		return ((const double *)row)[j] ==
		       (reached ? (double)value : INFINITY);
	}
}

/* Whether the walked values fit 30 bits; puts them beside the tails. */
static bool values_narrow(
	const struct apsp_walk_proof *walk, struct apsp_proof_cell *cells)
{
	uint32_t n = walk->arcs->lengths->n_vertices;

	for (uint32_t j = 0; j < n; j++)
		for (size_t l = 0; l < LANES; l++) {
			int64_t value = walk->values[(size_t)j * LANES + l];

			if (value < 0 || (value >= APSP_PROOF_NOWHERE &&
						 value != UNREACHED))
				return false;
			cells[j].value[l] = value == UNREACHED
						    ? APSP_PROOF_NOWHERE
						    : (int32_t)value;
		}
	return true;
}

/*
 * Whether no arc is shorter than the path between its ends in any lane, and
 * none as long comes from a lower predecessor, where values take 64 bits.
 * Integers wrap where potentials would be needed; their difference does not.
 */
static bool arcs_agree_wide(
	const struct apsp_walk_proof *walk, const struct apsp_proof_cell *cells)
{
	const struct apsp_lengths *lengths = walk->arcs->lengths;

	for (uint32_t k = 0; k < lengths->n_vertices; k++)
		for (uint64_t e = lengths->offsets[k];
			e < lengths->offsets[k + 1]; e++) {
			uint32_t j = lengths->heads[e];
			const int64_t *from = walk->values + (size_t)k * LANES;
			const int64_t *to = walk->values + (size_t)j * LANES;
			uint64_t length =
				(uint64_t)apsp_proof_integer(walk->arcs, e);

			for (int l = 0; l < LANES; l++) {
				int64_t more =
					(int64_t)((uint64_t)from[l] + length -
						  (uint64_t)to[l]);

				if (from[l] != UNREACHED &&
					(more < 0 ||
						(more == 0 &&
							cells[j].tail[l] >
								(int32_t)k)))
					return false;
			}
		}
	return true;
}

static bool lane_agrees(const struct apsp_walk_proof *walk,
	const struct apsp_proof_cell *cells, uint32_t source, size_t lane)
{
	const void *row = apsp_walk_proof_row(walk, lane);
	bool right = row_walk(walk, cells, source, lane);

	for (uint32_t j = 0; right && j < walk->arcs->lengths->n_vertices; j++)
		right = cell_agrees(walk, row, j, (size_t)j * LANES + lane);
	return right;
}

uint32_t apsp_walk_proof_rows(const struct apsp_walk_proof *walk,
	struct apsp_proof_cell *cells, const uint32_t sources[APSP_PROOF_LANES])
{
	bool right;

	last_find(walk, cells);
	for (size_t l = 0; l < LANES; l++)
		if (!lane_agrees(walk, cells, sources[l], l))
			return sources[l] + 1;
	right = walk->narrow ? values_narrow(walk, cells) &&
				       apsp_arc_proof_agrees(walk->arcs, cells)
			     : arcs_agree_wide(walk, cells);
	return right ? 0 : sources[0] + 1;
}
