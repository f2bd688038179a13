/*
 * Rows proved four at a time, which look at the same arcs; see row_proof.h.
 *
 * Why it proves a row: walking shows that every distance is the length of a
 * path, so none is too small; and if d(j) <= d(k) + w for all arcs k → j, none
 * is too large, as along any path no vertex' distance exceeds the path so far.
 */
#include "compute/tables/row_proof.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/plan/footprint.h"
#include "daemon/base/auto.h"

enum {
	LANES = 4,   /* rows of a group */
	SAMPLES = 7, /* rows of a whole table, besides each strip's last */
	ALL = 256,   /* all rows of tables of so few */
	NARROW_END = 1 << 30, /* values of V in 16 and 32 bits are below */
};

#define NONE (-1)
#define NO_ARC INT64_MIN
#define UNSETTLED INT64_MIN
#define UNREACHED (INT64_C(1) << 61)

/* What the least of x86-64 and of Arm compares at once. */
typedef int32_t lanes_t __attribute__((vector_size(LANES * sizeof(int32_t))));

/* A vertex in all lanes, as every arc to it is held against it. */
struct cell {
	lanes_t tail;
	lanes_t value; /* NARROW_END: not reached; where V is narrow */
};

/* The scratch of one thread: a group; lanes of a vertex lie side by side. */
struct hand {
	size_t n; /* lanes in use */
	uint32_t sources[LANES];
	char *rows; /* of distances, LANES of them */
	struct cell *cells;
	int64_t *values; /* distances in integers */
	int64_t *last;	 /* of each path's last arc */
	double *sums;	 /* the same in real lengths */
	double *lengths;
	uint32_t *stack;
};

struct apsp_row_proof {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	struct apsp_team *team; /* borrowed, or NULL */
	enum apsp_element distance;
	bool narrow;	 /* integers of paths fit 30 bits */
	double per_unit; /* 0: it does not fit a double */
	unsigned int width;
	atomic_uint wrong; /* a source and 1; 0: none */
	struct hand hands[APSP_ROW_PROOF_HANDS];
};

APSP_AUTO_DEFINE(proof_end, struct apsp_row_proof, apsp_row_proof_free);

static bool hand_init(struct hand *hand, size_t n, bool sums)
{
	size_t cells = (n + 1) * LANES;

	hand->cells = aligned_alloc(
		_Alignof(struct cell), (n + 1) * sizeof(*hand->cells));
	hand->rows = malloc(cells * sizeof(double));
	hand->values = malloc(cells * sizeof(*hand->values));
	hand->last = malloc(cells * sizeof(*hand->last));
	hand->stack = malloc((n + 1) * sizeof(*hand->stack));
	if (sums) {
		hand->sums = malloc(cells * sizeof(*hand->sums));
		hand->lengths = malloc(cells * sizeof(*hand->lengths));
	}
	return hand->cells && hand->rows && hand->values && hand->last &&
	       hand->stack && (!sums || (hand->sums && hand->lengths));
}

int apsp_row_proof_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element v,
	enum apsp_element distance, struct apsp_team *team,
	struct apsp_row_proof **out, struct apsp_err *err)
{
	APSP_AUTO(proof_end) struct apsp_row_proof *made = NULL;
	bool whole;

	made = calloc(1, sizeof(*made));
	whole = made != NULL;
	if (whole) {
		made->lengths = lengths;
		made->integers = integers;
		made->distance = distance;
		made->team = team;
		made->narrow = v != APSP_ELEMENT_F64 && !integers->potentials;
		made->width = apsp_row_proof_hands();
		if (isfinite(1 / integers->unit))
			made->per_unit = 1 / integers->unit;
	}
	for (unsigned int t = 0; whole && t < made->width; t++)
		whole = hand_init(&made->hands[t], lengths->n_vertices,
			integers->kind == APSP_DISTANCE_SUM);
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to prove rows of %u vertices",
			lengths->n_vertices);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_row_proof_free(struct apsp_row_proof *proof)
{
	if (!proof)
		return;
	for (unsigned int t = 0; t < proof->width; t++) {
		struct hand *hand = &proof->hands[t];

		free(hand->cells);
		free(hand->rows);
		free(hand->values);
		free(hand->last);
		free(hand->sums);
		free(hand->lengths);
		free(hand->stack);
	}
	free(proof);
}

/* An arc's integer without potentials; wraps where these would be needed. */
static inline int64_t integer_of(
	const struct apsp_row_proof *proof, uint64_t arc)
{
	const struct apsp_integers *integers = proof->integers;
	double length;
	int64_t whole;

	if (integers->kind == APSP_DISTANCE_HOPS)
		return 1;
	length = proof->lengths->lengths[arc];
	if (integers->kind == APSP_DISTANCE_SCALED)
		return (int64_t)((uint64_t)(int64_t)length *
					 (uint64_t)integers->scale +
				 1);
	length = proof->per_unit > 0 ? length * proof->per_unit
				     : length / integers->unit;
	whole = (int64_t)length;
	whole -= length < (double)whole; /* down, not towards 0 */
	return whole + 1;
}

/* Take row `row` of the strip into the next lane. */
static void lane_load(const struct apsp_row_proof *proof, struct hand *hand,
	const struct apsp_row_strip *strip, uint32_t row)
{
	uint32_t n = proof->lengths->n_vertices;
	size_t at = (size_t)row * n, lane = hand->n++;
	size_t size = n * apsp_element_size(proof->distance);
	const uint16_t *narrow = strip->predecessors;
	const uint32_t *wide = strip->predecessors;
	bool is_narrow = apsp_predecessor_element(n) == APSP_ELEMENT_U16;

	hand->sources[lane] = strip->first + row;
	memcpy(hand->rows + lane * n * sizeof(double),
		(const char *)strip->distances + row * size, size);
	for (size_t j = 0; j < n; j++)
		/* none is all ones in both */
		hand->cells[j].tail[lane] =
			is_narrow ? (narrow[at + j] == UINT16_MAX
						    ? NONE
						    : narrow[at + j])
				  : (int32_t)wide[at + j];
}

/* Find the last arc of each path. */
static void last_find(const struct apsp_row_proof *proof, struct hand *hand)
{
	const struct apsp_lengths *lengths = proof->lengths;

	for (size_t c = 0; c < (size_t)lengths->n_vertices * LANES; c++)
		hand->last[c] = NO_ARC;
	for (uint32_t k = 0; k < lengths->n_vertices; k++) {
		int32_t tail = (int32_t)k;
		lanes_t all = {tail, tail, tail, tail};

		for (uint64_t e = lengths->offsets[k];
			e < lengths->offsets[k + 1]; e++) {
			uint32_t j = lengths->heads[e];
			lanes_t same = hand->cells[j].tail == all;
			size_t at = (size_t)j * LANES;
			int64_t halves[2];

			memcpy(halves, &same, sizeof(halves));
			if ((halves[0] | halves[1]) == 0)
				continue;
			for (int l = 0; l < LANES; l++) {
				if (!same[l])
					continue;
				hand->last[at + l] = integer_of(proof, e);
				if (hand->lengths)
					hand->lengths[at + l] =
						lengths->lengths[e];
			}
		}
	}
}

/* Settle j in a lane, after all vertices before it on its path. */
static bool path_walk(struct hand *hand, uint32_t n, size_t lane, uint32_t j)
{
	uint32_t depth = 0;
	int64_t value;
	double sum = 0;

	while (hand->values[(size_t)j * LANES + lane] == UNSETTLED) {
		size_t at = (size_t)j * LANES + lane;

		if (depth == n || hand->last[at] == NO_ARC)
			return false; /* a cycle, or no such arc */
		hand->stack[depth++] = j;
		j = (uint32_t)hand->cells[j].tail[lane];
	}
	value = hand->values[(size_t)j * LANES + lane];
	if (value == UNREACHED)
		return false;
	if (hand->sums)
		sum = hand->sums[(size_t)j * LANES + lane];
	while (depth-- > 0) {
		size_t at = (size_t)hand->stack[depth] * LANES + lane;

		value = (int64_t)((uint64_t)value + (uint64_t)hand->last[at]);
		hand->values[at] = value;
		if (hand->sums) {
			sum += hand->lengths[at];
			hand->sums[at] = sum;
		}
	}
	return true;
}

/* Walk all paths of a lane. False: its predecessors are no tree. */
static bool row_walk(struct hand *hand, uint32_t n, size_t lane)
{
	uint32_t source = hand->sources[lane];

	if (hand->cells[source].tail[lane] != NONE)
		return false;
	for (uint32_t j = 0; j < n; j++) {
		size_t at = (size_t)j * LANES + lane;

		hand->values[at] = UNSETTLED;
		if (hand->cells[j].tail[lane] != NONE)
			continue;
		hand->values[at] = j == source ? 0 : UNREACHED;
		if (hand->sums)
			hand->sums[at] = j == source ? 0 : INFINITY;
	}
	for (uint32_t j = 0; j < n; j++)
		if (hand->values[(size_t)j * LANES + lane] == UNSETTLED &&
			!path_walk(hand, n, lane, j))
			return false;
	return true;
}

/* Whether column j of a row holds what was walked. */
static bool cell_agrees(const struct apsp_row_proof *proof,
	const struct hand *hand, const void *row, uint32_t j, size_t at)
{
	int64_t value = hand->values[at];
	bool reached = value != UNREACHED;
	float narrow;

	if (proof->integers->kind == APSP_DISTANCE_SUM) {
		if (proof->distance == APSP_ELEMENT_F64)
			return memcmp((const double *)row + j, &hand->sums[at],
				       sizeof(double)) == 0;
		narrow = (float)hand->sums[at];
		return memcmp((const float *)row + j, &narrow,
			       sizeof(narrow)) == 0;
	}
	switch (proof->distance) {
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
static bool values_narrow(struct hand *hand, uint32_t n)
{
	for (uint32_t j = 0; j < n; j++)
		for (size_t l = 0; l < LANES; l++) {
			int64_t value = hand->values[(size_t)j * LANES + l];

			if (value < 0 ||
				(value >= NARROW_END && value != UNREACHED))
				return false;
			hand->cells[j].value[l] = value == UNREACHED
							  ? NARROW_END
							  : (int32_t)value;
		}
	return true;
}

/*
 * Whether no arc is shorter than the path between its ends in any lane, and
 * none as long comes from a lower predecessor. A vertex that is not reached has
 * the lowest. An arc longer than 30 bits objects to nothing.
 */
static bool arcs_agree(
	const struct apsp_row_proof *proof, const struct hand *hand)
{
	const struct apsp_lengths *lengths = proof->lengths;

	for (uint32_t k = 0; k < lengths->n_vertices; k++) {
		int32_t tail = (int32_t)k;
		lanes_t from = hand->cells[k].value, object = {0};
		lanes_t tails = {tail, tail, tail, tail};
		int64_t halves[2];

		for (uint64_t e = lengths->offsets[k];
			e < lengths->offsets[k + 1]; e++) {
			const struct cell *to = &hand->cells[lengths->heads[e]];
			int64_t wide = integer_of(proof, e);
			int32_t length = wide < NARROW_END ? (int32_t)wide
							   : NARROW_END - 1;
			lanes_t all = {length, length, length, length};

			all += from;
			object |= (all < to->value) |
				  ((all == to->value) & (to->tail > tails));
		}
		memcpy(halves, &object, sizeof(halves));
		if (halves[0] | halves[1])
			return false;
	}
	return true;
}

/*
 * The same where values take 64 bits. Integers wrap where potentials would be
 * needed; their difference does not.
 */
static bool arcs_agree_wide(
	const struct apsp_row_proof *proof, const struct hand *hand)
{
	const struct apsp_lengths *lengths = proof->lengths;

	for (uint32_t k = 0; k < lengths->n_vertices; k++)
		for (uint64_t e = lengths->offsets[k];
			e < lengths->offsets[k + 1]; e++) {
			uint32_t j = lengths->heads[e];
			const int64_t *from = hand->values + (size_t)k * LANES;
			const int64_t *to = hand->values + (size_t)j * LANES;
			uint64_t length = (uint64_t)integer_of(proof, e);

			for (int l = 0; l < LANES; l++) {
				int64_t more =
					(int64_t)((uint64_t)from[l] + length -
						  (uint64_t)to[l]);

				if (from[l] != UNREACHED &&
					(more < 0 ||
						(more == 0 &&
							hand->cells[j].tail[l] >
								(int32_t)k)))
					return false;
			}
		}
	return true;
}

static bool lane_agrees(
	const struct apsp_row_proof *proof, struct hand *hand, size_t lane)
{
	uint32_t n = proof->lengths->n_vertices;
	const char *row = hand->rows + lane * n * sizeof(double);
	bool right = row_walk(hand, n, lane);

	for (uint32_t j = 0; right && j < n; j++)
		right = cell_agrees(
			proof, hand, row, j, (size_t)j * LANES + lane);
	return right;
}

/* Lanes without a row are the first one's. */
static void lanes_fill(struct hand *hand, uint32_t n)
{
	for (size_t l = hand->n; l < LANES; l++) {
		hand->sources[l] = hand->sources[0];
		memcpy(hand->rows + l * n * sizeof(double), hand->rows,
			n * sizeof(double));
		for (uint32_t j = 0; j < n; j++)
			hand->cells[j].tail[l] = hand->cells[j].tail[0];
	}
}

static void group_prove(void *ctx, unsigned int thread, size_t group)
{
	struct apsp_row_proof *proof = ctx;
	struct hand *hand = &proof->hands[group];
	uint32_t n = proof->lengths->n_vertices;
	bool right = true;

	(void)thread;
	if (hand->n == 0)
		return;
	lanes_fill(hand, n);
	last_find(proof, hand);
	for (size_t l = 0; l < LANES && right; l++) {
		right = lane_agrees(proof, hand, l);
		if (!right)
			atomic_store(&proof->wrong, hand->sources[l] + 1);
	}
	if (right && !(proof->narrow ? values_narrow(hand, n) &&
					       arcs_agree(proof, hand)
				     : arcs_agree_wide(proof, hand)))
		atomic_store(&proof->wrong, hand->sources[0] + 1);
	hand->n = 0;
}

int apsp_row_proof_finish(struct apsp_row_proof *proof, struct apsp_err *err)
{
	unsigned int wrong;

	apsp_team_for(proof->team, proof->width, group_prove, proof);
	wrong = atomic_load(&proof->wrong);
	if (wrong == 0)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"paths from the source %u, or from one of the next proved, are "
		"not the shortest ones: the tables were computed wrongly",
		wrong - 1);
}

/* A number that looks random in each of many parts of the rows. */
static uint32_t mix(uint32_t x)
{
	x = (x + 1) * UINT32_C(0x9e3779b1);
	x ^= x >> 15;
	x *= UINT32_C(0x85ebca6b);
	return x ^ x >> 13;
}

/* Whether the row is one of each of many parts of the table, or the last of a
   strip of several. */
static bool is_chosen(const struct apsp_row_proof *proof,
	const struct apsp_row_strip *strip, uint32_t row)
{
	uint64_t n = proof->lengths->n_vertices, source = strip->first + row;
	uint64_t parts = n <= ALL ? n : SAMPLES;
	/* the part that begins at part · n / parts, rounded down */
	uint64_t part = ((source + 1) * parts - 1) / n;
	uint64_t begin = part * n / parts, end = (part + 1) * n / parts;

	/* what the host makes one by one takes longer than its proof */
	if (!strip->marks || (row > 0 && row + 1 == strip->n_rows))
		return true;
	return source == begin + mix((uint32_t)part) % (end - begin);
}

int apsp_row_proof_rows(struct apsp_row_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_err *err)
{
	int r = 0;

	for (uint32_t row = 0; r == 0 && row < strip->n_rows; row++) {
		struct hand *hand = proof->hands;

		if (!is_chosen(proof, strip, row))
			continue;
		while (hand->n == LANES)
			hand++;
		lane_load(proof, hand, strip, row);
		if (hand->n == LANES && hand == proof->hands + proof->width - 1)
			r = apsp_row_proof_finish(proof, err);
	}
	return r;
}
