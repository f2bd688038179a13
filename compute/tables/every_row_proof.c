/*
 * Proves rows while they are in the processor's cache; see every_row_proof.h.
 */
#include "compute/tables/every_row_proof.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/semiring.h"
#include "compute/graph/v_element.h"
#include "compute/tables/verdict.h"

enum {
	ROWS = 8, /* number of rows that one task proves */
};

#define EXACT_END 0x1p53 /* doubles hold every integer below 2^53 */

/* The faults that a row can have. If the rows of a strip have several faults,
   the fault that is last in this list is reported. */
enum fault {
	FAULT_NONE,
	FAULT_NARROW,
	FAULT_MISSING, /* the closure has a path, but the row has no distance */
	/* the path has too many arcs: `scale` or more (integers.h) */
	FAULT_HOPS,
	FAULT_EXTRA, /* the row has a distance, but the closure has no path */
	FAULT_ARC,
	FAULT_TREE, /* the proof of tail_tree.h fails for the row of widths */
	FAULT_COPY,
};

/* Whether the row is still as it was made. The function computes the marks
   (checksums, row_marks.h) of the row, and compares them with the marks that
   were computed when the row was made. */
static bool row_unchanged(const struct apsp_every_row_proof *proof,
	const struct apsp_row_strip *strip, uint32_t row, const void *distances,
	const void *predecessors)
{
	const struct apsp_row_marks *marks = strip->marks;
	uint32_t n = proof->lengths->n_vertices;
	enum apsp_element stored = apsp_in_arcs_element(proof->lengths);
	uint32_t made = marks->predecessors[row];

	if (apsp_row_mark(&proof->weights, predecessors, n, stored) !=
		(stored == APSP_ELEMENT_U32 ? made : (uint16_t)made))
		return false;
	made = marks->distances[row];
	return apsp_row_mark(&proof->weights, distances, n, proof->distance) ==
	       (proof->distance == APSP_ELEMENT_U16 ? (uint16_t)made : made);
}

/* Row i of the distance matrix V was computed with the potentials h. Remove
   them: V(i,j) += h(j) - h(i). Then add up the row, and compare its sum with
   the sum of the values before and of the differences. The sums are modulo
   2^64. FAULT_NARROW: a value without potentials does not fit 32 bits;
   FAULT_COPY: the sums differ. */
static enum fault undo_i32(
	int32_t *row, const int64_t *h, uint32_t i, uint32_t n)
{
	uint64_t sum = 0;
	bool fits = true;

	for (uint32_t j = 0; j < n; j++) {
		int64_t undone = row[j] + h[j] - h[i];

		if (row[j] >= APSP_V_INFINITY_I32)
			continue;
		fits = fits && undone < APSP_V_INFINITY_I32 &&
		       undone > -APSP_V_INFINITY_I32;
		sum += (uint64_t)(row[j] + (h[j] - h[i]));
		row[j] = (int32_t)undone;
	}
	if (!fits)
		return FAULT_NARROW;
	for (uint32_t j = 0; j < n; j++)
		sum -= row[j] < APSP_V_INFINITY_I32 ? (uint64_t)row[j] : 0;
	return sum == 0 ? FAULT_NONE : FAULT_COPY;
}

/* The same for elements of float64. FAULT_NARROW: the absolute value of an
   element is 2^53 or more, where float64 is not exact. */
static enum fault undo_f64(
	double *row, const int64_t *h, uint32_t i, uint32_t n)
{
	uint64_t sum = 0;
	bool fits = true;

	for (uint32_t j = 0; j < n; j++) {
		int64_t undone;

		if (isinf(row[j]))
			continue;
		if (!(row[j] < EXACT_END))
			return FAULT_NARROW;
		undone = (int64_t)row[j] + (h[j] - h[i]);
		fits = fits && undone < (int64_t)EXACT_END &&
		       undone > -(int64_t)EXACT_END;
		sum += (uint64_t)(int64_t)row[j] + (uint64_t)(h[j] - h[i]);
		row[j] = (double)undone;
	}
	if (!fits)
		return FAULT_NARROW;
	for (uint32_t j = 0; j < n; j++)
		sum -= isinf(row[j]) ? 0 : (uint64_t)(int64_t)row[j];
	return sum == 0 ? FAULT_NONE : FAULT_COPY;
}

static bool has_potentials(const struct apsp_every_row_proof *proof)
{
	return proof->integers->potentials && !proof->bare &&
	       proof->integers->kind != APSP_DISTANCE_SUM;
}

#define EACH16(bit) (UINT64_C(0x0001000100010001) * (bit))

/*
 * Return a word in which bit b is set if elements[b] is finite. The array has n
 * elements, at most 64. An element is infinite if all its 16 bits are 1 after a
 * bitwise or with `ones`. For predecessors, `ones` is 0, because UINT16_MAX
 * means that there is no predecessor. For widths, `ones` has those bits that
 * are 0 in the value of infinity. Four elements are tested at once, so `ones`
 * holds the same 16 bits four times. An addition sets the top bit of each
 * finite element, and a multiplication makes the four top bits adjacent.
 */
static uint64_t finite_narrow(
	const uint16_t *elements, uint32_t n, uint64_t ones)
{
	uint64_t word = 0, four;
	uint32_t b = 0;

	for (; b + 4 <= n; b += 4) {
		memcpy(&four, elements + b, sizeof(four));
		four = ~(four | ones);
		four = ((four & EACH16(0x7fff)) + EACH16(0x7fff)) | four;
		four = four >> 15 & EACH16(1);
		word |= (four * UINT64_C(0x0001000200040008) >> 48 & 15) << b;
	}
	for (; b < n; b++)
		word |= (uint64_t)((elements[b] | (uint16_t)ones) != UINT16_MAX)
			<< b;
	return word;
}

#define EACH8(bit) (UINT64_C(0x0101010101010101) * (bit))

/*
 * Return a word in which bit b is set if predecessors[b] is a rank. The value
 * UINT8_MAX means that there is no predecessor. The array has n elements, at
 * most 64. Eight elements are tested at once (compare finite_narrow(), which
 * tests four).
 */
static uint64_t finite_bytes(const uint8_t *predecessors, uint32_t n)
{
	uint64_t word = 0, eight;
	uint32_t b = 0;

	for (; b + 8 <= n; b += 8) {
		memcpy(&eight, predecessors + b, sizeof(eight));
		eight = ~eight;
		eight = ((eight & EACH8(0x7f)) + EACH8(0x7f)) | eight;
		eight = eight >> 7 & EACH8(1);
		word |= (eight * UINT64_C(0x0102040810204080) >> 56) << b;
	}
	for (; b < n; b++)
		word |= (uint64_t)(predecessors[b] != UINT8_MAX) << b;
	return word;
}

static uint64_t finite_wide(const uint32_t *predecessors, uint32_t n)
{
	uint64_t word = 0;

	for (uint32_t b = 0; b < n; b++)
		word |= (uint64_t)(predecessors[b] != UINT32_MAX) << b;
	return word;
}

/* Look at the n elements of a row of predecessors from index `at` on, where n
   is at most 64. Return a word in which bit b is set if element at + b is a
   predecessor. */
static uint64_t finite_word(enum apsp_element stored, const void *predecessors,
	uint32_t at, uint32_t n)
{
	if (stored == APSP_ELEMENT_U8)
		return finite_bytes((const uint8_t *)predecessors + at, n);
	if (stored == APSP_ELEMENT_U16)
		return finite_narrow((const uint16_t *)predecessors + at, n, 0);
	return finite_wide((const uint32_t *)predecessors + at, n);
}

/* Look at the n elements of a row of widths from index `at` on, where n is at
   most 64. Return a word in which bit b is set if element at + b is not
   infinite. */
static uint64_t finite_widths(
	enum apsp_element element, const void *row, uint32_t at, uint32_t n)
{
	const uint16_t *narrow = row;
	const int32_t *wide = row;
	uint64_t word = 0;

	if (element == APSP_ELEMENT_U16)
		return finite_narrow(
			narrow + at, n, EACH16(~APSP_V_INFINITY_U16 & 0xffff));
	for (uint32_t b = 0; b < n; b++)
		word |= (uint64_t)(wide[at + b] != APSP_V_INFINITY_I32) << b;
	return word;
}

/* Compare row i of the predecessors with row i of the closure: a vertex must
   have a predecessor if the closure has a path to it, and no predecessor
   otherwise. For rows of widths, compare the widths with the closure instead.
   Returns the fault. */
static enum fault closure_compare(const struct apsp_every_row_proof *proof,
	uint32_t i, const void *distances, const void *predecessors)
{
	const uint64_t *bits = apsp_bits_row(proof->closure, i);
	uint32_t n = proof->lengths->n_vertices;
	enum apsp_element stored = apsp_in_arcs_element(proof->lengths);
	bool widths = proof->integers->kind == APSP_DISTANCE_WIDTH;
	uint64_t missing = 0, extra = 0;

	for (uint32_t j = 0; j < n; j += 64) {
		uint32_t count = n - j < 64 ? n - j : 64;
		uint64_t found =
			widths ? finite_widths(
					 proof->distance, distances, j, count)
			       : finite_word(stored, predecessors, j, count);

		if (i - j < 64)
			found |= UINT64_C(1) << (i - j);
		missing |= bits[j / 64] & ~found;
		extra |= found & ~bits[j / 64];
	}
	return extra ? FAULT_EXTRA : missing ? FAULT_MISSING : FAULT_NONE;
}

/*
 * Whether every path in the row has fewer arcs than the scale. A cell is
 * distance · scale + hops, where the hops are the number of arcs of the path. A
 * path of exactly `scale` arcs therefore looks like a path of 0 hops whose
 * distance is larger by 1. If a path has more arcs, its first `scale` arcs are
 * the row's path to another vertex. So it is enough to look for cells of 0
 * hops.
 */
static bool hops_fit(const struct apsp_every_row_proof *proof, const void *row)
{
	const struct apsp_integers *integers = proof->integers;
	uint32_t n = proof->lengths->n_vertices, n_none = 0;
	uint32_t mask = (uint32_t)integers->scale - 1;
	const uint16_t *narrow = row;
	const int32_t *wide = row;
	const double *deep = row;

	/*
	 * Check hops only in integer distances of the kind SCALED without
	 * potentials. If the scale is n or more, no check is needed, because no
	 * path has n arcs. A scale below n is a power of two, so `mask` selects
	 * the hops of a cell.
	 */
	if (integers->kind != APSP_DISTANCE_SCALED || integers->potentials ||
		integers->scale >= n || (integers->scale & mask) != 0)
		return true;
	if (proof->distance == APSP_ELEMENT_U16)
		for (uint32_t j = 0; j < n; j++)
			n_none += (narrow[j] & mask) == 0;
	else if (proof->distance == APSP_ELEMENT_I32)
		for (uint32_t j = 0; j < n; j++)
			n_none += ((uint32_t)wide[j] & mask) == 0;
	else
		for (uint32_t j = 0; j < n; j++)
			n_none += deep[j] < INFINITY &&
				  ((uint64_t)deep[j] & mask) == 0;
	/* the cell of the source itself has 0 hops; no other cell may have 0
	   hops */
	return n_none <= 1;
}

static uint32_t tail_get(const struct apsp_every_row_proof *proof,
	const void *predecessors, uint32_t j)
{
	uint32_t tail;

	apsp_in_arcs_tails(proof->lengths, predecessors, j, j + 1, &tail);
	return tail;
}

/* Convert the real length of an arc to an integer, in units of
   proof->integers->unit and without potentials. Return the integer. */
static int64_t units_of(const struct apsp_every_row_proof *proof, uint64_t arc)
{
	return (int64_t)floor(
		       proof->lengths->lengths[arc] / proof->integers->unit) +
	       1;
}

/* Return by how many units (units_of()) an arc from i is longer than the row's
   path from i to the arc's head. The function walks this path along the
   predecessors. The result is negative if the arc is shorter than the path, or
   if the predecessors do not lead back to i. */
static int64_t units_more(const struct apsp_every_row_proof *proof, uint32_t i,
	const void *predecessors, uint64_t arc)
{
	int64_t left = units_of(proof, arc);
	uint32_t n = proof->lengths->n_vertices;
	uint32_t j = proof->lengths->heads[arc];

	for (uint32_t step = 0; j != i; step++) {
		uint32_t tail = tail_get(proof, predecessors, j);
		uint64_t last = APSP_NO_ARC;

		if (tail < n && step < n)
			last = apsp_lengths_find(proof->lengths, tail, j);
		if (last == APSP_NO_ARC)
			return -1;
		left -= units_of(proof, last);
		j = tail;
	}
	return left;
}

/* Return by how many units (units_of()) an arc from i is longer than the row's
   path from i to the arc's head. The path is walked only if the path sum does
   not show that the arc is longer. If it does, return 1: only the sign of the
   result counts. */
static int64_t sum_more(const struct apsp_every_row_proof *proof, uint32_t i,
	const void *row, const void *predecessors, uint64_t arc)
{
	uint32_t j = proof->lengths->heads[arc];
	double length = proof->lengths->lengths[arc];
	double sum = proof->distance == APSP_ELEMENT_F64
			     ? ((const double *)row)[j]
			     : (double)((const float *)row)[j];
	/*
	 * An upper bound of all rounding errors in the path sum and the
	 * lengths. The path has fewer than n arcs. For each arc, the first term
	 * allows two units: one for rounding the arc's length to an integer,
	 * and one for the addition. The second term is for rounding the sum to
	 * float32.
	 */
	double doubt =
		2.0 * proof->lengths->n_vertices * proof->integers->unit +
		fabs(sum) * 0x1p-22;

	if (sum + doubt < length)
		return 1;
	return units_more(proof, i, predecessors, arc);
}

/* Return by how much the integer length of an arc i → j exceeds V(i,j), the
   integer distance from i to j. `row` is row i of the distance matrix V. */
static int64_t v_more(
	const struct apsp_every_row_proof *proof, const void *row, uint64_t arc)
{
	const struct apsp_integers *integers = proof->integers;
	int64_t v = (int64_t)apsp_v_element_get(
		proof->distance, row, proof->lengths->heads[arc]);
	uint64_t value = 1;

	if (integers->kind == APSP_DISTANCE_SCALED)
		value += (uint64_t)(int64_t)proof->lengths->lengths[arc] *
			 (uint64_t)integers->scale;
	else if (integers->kind == APSP_DISTANCE_WIDTH)
		value = (uint64_t)proof->lengths->lengths[arc];
	/* if the graph needs potentials, `value` and `v` may wrap, but their
	   difference is right */
	return (int64_t)(value - (uint64_t)v);
}

/* Return by how much an arc from i is longer than the row's path from i to the
   arc's head. Both lengths are integers (integers.h). */
static int64_t arc_more(const struct apsp_every_row_proof *proof, uint32_t i,
	const void *row, const void *predecessors, uint64_t arc)
{
	return proof->integers->kind == APSP_DISTANCE_SUM
		       ? sum_more(proof, i, row, predecessors, arc)
		       : v_more(proof, row, arc);
}

void apsp_every_row_proof_keep(const struct apsp_every_row_proof *proof,
	uint32_t i, const void *row, const void *predecessors, uint8_t *kept)
{
	const struct apsp_lengths *lengths = proof->lengths;

	for (uint64_t e = lengths->offsets[i]; e < lengths->offsets[i + 1]; e++)
		kept[e] = arc_more(proof, i, row, predecessors, e) <= 0;
}

/*
 * Check every arc from i against the row. No arc may be shorter than the path
 * between its ends. If the path is the arc itself, the arc and the path must
 * have the same length. An arc that was left out of the search for predecessors
 * must be longer than the path.
 */
static bool arcs_fit(const struct apsp_every_row_proof *proof, uint32_t i,
	const void *row, const void *predecessors)
{
	const struct apsp_lengths *lengths = proof->lengths;
	bool sums = proof->integers->kind == APSP_DISTANCE_SUM;

	for (uint64_t e = lengths->offsets[i]; e < lengths->offsets[i + 1];
		e++) {
		bool kept = !proof->kept || proof->kept[e];
		bool own =
			tail_get(proof, predecessors, lengths->heads[e]) == i;
		int64_t more;

		/* if the path between the arc's ends is the arc itself, the
		   path sum is the arc's length and needs no comparison */
		if (sums && own && kept)
			continue;
		more = arc_more(proof, i, row, predecessors, e);
		if (more < !kept || (own && more != 0))
			return false;
	}
	return true;
}

static enum fault row_judge(const struct apsp_every_row_proof *proof,
	unsigned int thread, const struct apsp_row_strip *strip, uint32_t row)
{
	uint32_t n = proof->lengths->n_vertices, i = strip->first + row;
	void *distances = (char *)strip->distances +
			  (size_t)row * n * apsp_element_size(proof->distance);
	const char *predecessors =
		(const char *)strip->predecessors +
		(size_t)row * n *
			apsp_element_size(apsp_in_arcs_element(proof->lengths));
	const int64_t *h = proof->integers->potentials;
	enum fault fault = FAULT_NONE;

	if (strip->marks &&
		!row_unchanged(proof, strip, row, distances, predecessors))
		return FAULT_COPY;
	if (!hops_fit(proof, distances))
		return FAULT_HOPS;
	if (has_potentials(proof))
		fault = proof->distance == APSP_ELEMENT_F64
				? undo_f64(distances, h, i, n)
				: undo_i32(distances, h, i, n);
	if (fault != FAULT_NONE)
		return fault;
	fault = closure_compare(proof, i, distances, predecessors);
	if (fault == FAULT_NONE && !arcs_fit(proof, i, distances, predecessors))
		return FAULT_ARC;
	if (fault == FAULT_NONE && proof->tree.arcs &&
		!apsp_tail_tree_proves(
			&proof->tree, thread, i, distances, predecessors))
		return FAULT_TREE;
	return fault;
}

static void rows_judge(void *ctx, unsigned int thread, size_t block)
{
	struct apsp_every_row_proof *proof = ctx;
	uint32_t row = (uint32_t)block * ROWS, end = row + ROWS;

	for (; row < end && row < proof->strip->n_rows; row++) {
		uint64_t fault = row_judge(proof, thread, proof->strip, row);
		uint64_t found = fault << 32 | (UINT32_MAX - row);
		uint64_t worst = atomic_load(&proof->worst);

		while (fault != FAULT_NONE && found > worst &&
			!atomic_compare_exchange_weak(
				&proof->worst, &worst, found))
			continue;
	}
}

void apsp_every_row_proof_begin(struct apsp_every_row_proof *proof,
	const struct apsp_row_strip *strip, unsigned int width,
	struct apsp_parallel_part *out)
{
	proof->strip = strip;
	atomic_store(&proof->worst, 0);
	*out = (struct apsp_parallel_part){
		(strip->n_rows + ROWS - 1) / ROWS, rows_judge, proof};
	if (has_potentials(proof)) {
		/* Prove the rows before the caller's other tasks begin. The
		   proof also removes potentials, and the other tasks must read
		   the rows without potentials. */
		apsp_parallel_parts(out, 1, width);
		out->n = 0;
	}
}

int apsp_every_row_proof_end(
	const struct apsp_every_row_proof *proof, struct apsp_err *err)
{
	uint64_t worst = atomic_load(&proof->worst);
	uint32_t source = proof->strip->first + (UINT32_MAX - (uint32_t)worst);

	switch ((enum fault)(worst >> 32)) {
	case FAULT_NONE:
		return 0;
	case FAULT_MISSING:
		if (proof->v == APSP_ELEMENT_F64)
			return apsp_fail(err, APSP_EPROOF,
				"vertices that the source %u reaches have no "
				"distance: distances or closure are wrong",
				source);
		return APSP_VERDICT_TOO_NARROW;
	case FAULT_NARROW:
		return APSP_VERDICT_TOO_NARROW;
	case FAULT_HOPS:
		return apsp_fail(err, APSP_EPROOF,
			"the hops of paths from the source %u do not fit "
			"their scale, but the device has not noticed this",
			source);
	case FAULT_EXTRA:
		return apsp_fail(err, APSP_EPROOF,
			"vertices that the source %u does not reach have a "
			"distance: distances or closure are wrong",
			source);
	case FAULT_ARC:
		return apsp_fail(err, APSP_EPROOF,
			"an arc from the source %u is shorter than the path "
			"between its ends, or as short and was not searched "
			"for predecessors",
			source);
	case FAULT_TREE:
		return apsp_fail(err, APSP_EPROOF,
			"the predecessors of the source %u do not lead back to "
			"it on paths as wide as its row says",
			source);
	case FAULT_COPY:
		return apsp_fail(err, APSP_EPROOF,
			"the row of the source %u has changed since it was "
			"made",
			source);
	}
	return apsp_fail(err, APSP_EBUG, "a row has an unknown fault");
}
