/*
 * Rows proved four at a time, which look at the same arcs; see row_proof.h.
 * Where distances are the integers themselves, no walk is needed (arc_proof.h).
 */
#include "compute/tables/row_proof.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/plan/footprint.h"
#include "compute/tables/arc_proof.h"
#include "compute/tables/walk_proof.h"
#include "daemon/base/auto.h"

enum {
	LANES = APSP_PROOF_LANES, /* rows of a group */
	NONE = APSP_PROOF_NONE,
	SAMPLES = 7, /* rows of a whole table, besides one of each strip */
	ALL = 256,   /* all rows of tables of so few */
};

/* The scratch of one thread: a group; lanes of a vertex lie side by side. */
struct hand {
	size_t n;	 /* lanes in use */
	size_t n_loaded; /* of these; the others are still in the strip */
	uint32_t sources[LANES];
	struct apsp_proof_cell *cells;
	struct apsp_walk_proof walk; /* if there is one */
};

struct apsp_row_proof {
	struct apsp_proof_arcs arcs;
	struct apsp_team *team; /* borrowed, or NULL */
	enum apsp_element distance;
	bool narrow; /* integers of paths fit 30 bits */
	bool walks;  /* the distances are not such integers */
	uint32_t seed;
	const struct apsp_row_strip *strip; /* of rows that are not loaded */
	uint32_t next;			    /* row of it to be looked at */
	unsigned int width;
	atomic_uint wrong; /* a source and 1; 0: none */
	struct hand hands[APSP_ROW_PROOF_HANDS];
};

APSP_AUTO_DEFINE(proof_end, struct apsp_row_proof, apsp_row_proof_free);

static bool hand_init(struct hand *hand, const struct apsp_row_proof *proof)
{
	size_t n = proof->arcs.lengths->n_vertices;

	hand->cells = aligned_alloc(_Alignof(struct apsp_proof_cell),
		(n + 1) * sizeof(*hand->cells));
	return hand->cells &&
	       (!proof->walks ||
		       apsp_walk_proof_init(&proof->arcs, proof->distance,
			       proof->narrow, &hand->walk));
}

int apsp_row_proof_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element v,
	enum apsp_element distance, uint32_t seed, struct apsp_team *team,
	struct apsp_row_proof **out, struct apsp_err *err)
{
	APSP_AUTO(proof_end) struct apsp_row_proof *made = NULL;
	bool whole;

	made = calloc(1, sizeof(*made));
	whole = made != NULL;
	if (whole) {
		made->arcs = (struct apsp_proof_arcs){lengths, integers,
			isfinite(1 / integers->unit) ? 1 / integers->unit : 0};
		made->distance = distance;
		made->seed = seed;
		made->team = team;
		made->narrow = v != APSP_ELEMENT_F64 && !integers->potentials;
		made->walks =
			integers->kind == APSP_DISTANCE_SUM || !made->narrow;
		made->width = apsp_row_proof_hands();
	}
	for (unsigned int t = 0; whole && t < made->width; t++)
		whole = hand_init(&made->hands[t], made);
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
		free(proof->hands[t].cells);
		apsp_walk_proof_done(&proof->hands[t].walk);
	}
	free(proof);
}

/* Where a row of the strip begins. */
static const char *row_of(const struct apsp_row_proof *proof, uint32_t row)
{
	return (const char *)proof->strip->distances +
	       (size_t)row * proof->arcs.lengths->n_vertices *
		       apsp_element_size(proof->distance);
}

/* A value that is none of V's has no right row. */
static int32_t value_of(int32_t value, int32_t infinity)
{
	return value < infinity	   ? value
	       : value == infinity ? APSP_PROOF_NOWHERE
				   : -1;
}

/* Bring the values of a row of V into a lane. */
static void values_load(const struct apsp_row_proof *proof,
	const struct hand *hand, uint32_t row, size_t lane)
{
	uint32_t n = proof->arcs.lengths->n_vertices;
	const void *values = row_of(proof, row);
	const uint16_t *u16 = values;
	const int32_t *i32 = values;

	for (size_t j = 0; j < n; j++)
		hand->cells[j].value[lane] =
			proof->distance == APSP_ELEMENT_U16
				? value_of(u16[j], APSP_V_INFINITY_U16)
				: value_of(i32[j], APSP_V_INFINITY_I32);
}

/* Bring a row of the strip into a lane, whose source is set. */
static void lane_load(const struct apsp_row_proof *proof,
	const struct hand *hand, size_t lane)
{
	const struct apsp_row_strip *strip = proof->strip;
	uint32_t n = proof->arcs.lengths->n_vertices;
	uint32_t row = hand->sources[lane] - strip->first;
	size_t at = (size_t)row * n;
	const uint16_t *narrow = strip->predecessors;
	const uint32_t *wide = strip->predecessors;
	bool is_narrow = apsp_predecessor_element(n) == APSP_ELEMENT_U16;

	for (size_t j = 0; j < n; j++)
		/* none is all ones in both */
		hand->cells[j].tail[lane] =
			is_narrow ? (narrow[at + j] == UINT16_MAX
						    ? NONE
						    : narrow[at + j])
				  : (int32_t)wide[at + j];
	if (proof->walks)
		memcpy(apsp_walk_proof_row(&hand->walk, lane),
			row_of(proof, row),
			n * apsp_element_size(proof->distance));
	else
		values_load(proof, hand, row, lane);
}

/* Bring what is still in the strip. */
static void lanes_load(const struct apsp_row_proof *proof, struct hand *hand)
{
	for (; hand->n_loaded < hand->n; hand->n_loaded++)
		lane_load(proof, hand, hand->n_loaded);
}

/* Lanes without a row are the first one's. */
static void lanes_fill(const struct apsp_row_proof *proof, struct hand *hand)
{
	uint32_t n = proof->arcs.lengths->n_vertices;

	for (size_t l = hand->n; l < LANES; l++) {
		hand->sources[l] = hand->sources[0];
		if (proof->walks)
			memcpy(apsp_walk_proof_row(&hand->walk, l),
				apsp_walk_proof_row(&hand->walk, 0),
				n * apsp_element_size(proof->distance));
		for (uint32_t j = 0; j < n; j++) {
			hand->cells[j].tail[l] = hand->cells[j].tail[0];
			hand->cells[j].value[l] = hand->cells[j].value[0];
		}
	}
}

/* 0, or a source whose row is wrong and 1. */
static unsigned int hand_judge(
	const struct apsp_row_proof *proof, struct hand *hand)
{
	if (proof->walks)
		return apsp_walk_proof_rows(
			&hand->walk, hand->cells, hand->sources);
	return apsp_arc_proof_whole(&proof->arcs, hand->cells, hand->sources)
		       ? 0
		       : hand->sources[0] + 1;
}

static void group_prove(void *ctx, unsigned int thread, size_t group)
{
	struct apsp_row_proof *proof = ctx;
	struct hand *hand = &proof->hands[group];
	unsigned int wrong;

	(void)thread;
	lanes_load(proof, hand);
	lanes_fill(proof, hand);
	wrong = hand_judge(proof, hand);
	if (wrong > 0)
		atomic_store(&proof->wrong, wrong);
	hand->n = 0;
	hand->n_loaded = 0;
}

int apsp_row_proof_finish(struct apsp_row_proof *proof, struct apsp_err *err)
{
	unsigned int wrong, used = 0;

	while (used < proof->width && proof->hands[used].n > 0)
		used++;
	apsp_team_for(proof->team, used, group_prove, proof);
	wrong = atomic_load(&proof->wrong);
	if (wrong == 0)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"paths from the source %u, or from one of the next proved, are "
		"not the shortest ones: the tables were computed wrongly",
		wrong - 1);
}

/* A number that looks random, by the seed and x. */
static uint32_t mix(const struct apsp_row_proof *proof, uint32_t x)
{
	x ^= proof->seed;
	x = (x + 1) * UINT32_C(0x9e3779b1);
	x ^= x >> 15;
	x *= UINT32_C(0x85ebca6b);
	return x ^ x >> 13;
}

/* Whether the row is the one of its part of the table, or of its strip, if that
   has several. */
static bool is_chosen(const struct apsp_row_proof *proof,
	const struct apsp_row_strip *strip, uint32_t row)
{
	uint64_t n = proof->arcs.lengths->n_vertices;
	uint64_t source = strip->first + row;
	uint64_t parts = n <= ALL ? n : SAMPLES;
	/* the part that begins at part · n / parts, rounded down */
	uint64_t part = ((source + 1) * parts - 1) / n;
	uint64_t begin = part * n / parts, end = (part + 1) * n / parts;

	/* what the host makes one by one takes longer than its proof */
	if (!strip->marks)
		return true;
	if (strip->n_rows > 1 &&
		row == mix(proof, ~strip->first) % strip->n_rows)
		return true;
	return source == begin + mix(proof, (uint32_t)part) % (end - begin);
}

/* Give free lanes to rows of the strip that are chosen. */
static void rows_choose(struct apsp_row_proof *proof)
{
	const struct apsp_row_strip *strip = proof->strip;
	struct hand *hand = proof->hands, *end = hand + proof->width;

	for (; proof->next < strip->n_rows; proof->next++) {
		if (!is_chosen(proof, strip, proof->next))
			continue;
		while (hand < end && hand->n == LANES)
			hand++;
		if (hand == end)
			return;
		hand->sources[hand->n++] = strip->first + proof->next;
	}
}

/* Bring the i-th row that has a lane and is still in the strip. */
static void lane_bring(void *ctx, unsigned int thread, size_t i)
{
	const struct apsp_row_proof *proof = ctx;
	const struct hand *hand = proof->hands;

	(void)thread;
	for (; i >= hand->n - hand->n_loaded; hand++)
		i -= hand->n - hand->n_loaded;
	lane_load(proof, hand, hand->n_loaded + i);
}

void apsp_row_proof_begin(struct apsp_row_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_team_part *out)
{
	*out = (struct apsp_team_part){.body = lane_bring, .ctx = proof};
	proof->strip = strip;
	proof->next = 0;
	rows_choose(proof);
	for (unsigned int t = 0; t < proof->width; t++)
		out->n += proof->hands[t].n - proof->hands[t].n_loaded;
}

int apsp_row_proof_end(struct apsp_row_proof *proof, struct apsp_err *err)
{
	const struct hand *last = &proof->hands[proof->width - 1];
	int r = 0;

	for (unsigned int t = 0; t < proof->width; t++)
		proof->hands[t].n_loaded = proof->hands[t].n;
	while (r == 0 && last->n == LANES) {
		r = apsp_row_proof_finish(proof, err);
		rows_choose(proof);
	}
	for (unsigned int t = 0; t < proof->width; t++)
		lanes_load(proof, &proof->hands[t]);
	proof->strip = NULL;
	return r;
}
