/*
 * Chooses the rows to prove and copies them into groups; see
 * sampled_rows_proof.h.
 */
#include "compute/tables/sampled_rows_proof.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "compute/plan/footprint.h"
#include "compute/tables/row_group_proof.h"
#include "daemon/base/auto.h"

enum {
	LANES = APSP_ROW_GROUP,
	/* number of rows that are chosen from the whole table; one row of each
	   strip (row_strip.h) that has several rows is proved in addition */
	SAMPLES = 7,
	/* if a table has at most this number of rows, all its rows are
	   proved */
	ALL = 256,
};

/* A group of rows. One thread at a time proves it. */
struct hand {
	struct apsp_row_group group;
	/* How many of the group's rows were copied into the group. Its other
	   rows are only in the strip (row_strip.h). */
	size_t n_loaded;
};

struct apsp_sampled_rows_proof {
	struct apsp_row_group_form form;
	/* the tight arcs (arcs that are not longer than the distance between
	   their ends), if apsp_sampled_rows_proof_select() was called */
	struct apsp_lengths tight;
	uint32_t seed;
	/* the strip whose rows are being proved; NULL between two strips */
	const struct apsp_row_strip *strip;
	/* the row of `strip` at which rows_choose() continues */
	uint32_t next;
	unsigned int threads; /* number of threads that prove groups */
	unsigned int width;   /* number of groups */
	/* number of rows that are chosen from the whole table */
	uint32_t samples;
	/* True: the rows came in a bundle, and only rows that are drawn at
	   random are proved. False: in addition to drawn rows, every row that
	   the host made is proved. */
	bool draws;
	/* 0: no wrong row has been found. Otherwise 1 + the source of a row;
	   this row is wrong, or another row of its group is wrong. */
	atomic_uint wrong;
	struct hand hands[APSP_PARALLEL_MAX];
};

APSP_AUTO_DEFINE(proof_end, struct apsp_sampled_rows_proof,
	apsp_sampled_rows_proof_free);

int apsp_sampled_rows_proof_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_widths *root, enum apsp_element v,
	enum apsp_element distance, uint32_t seed, unsigned int threads,
	unsigned int width, struct apsp_sampled_rows_proof **out,
	struct apsp_err *err)
{
	APSP_AUTO(proof_end) struct apsp_sampled_rows_proof *made = NULL;
	bool whole;

	made = calloc(1, sizeof(*made));
	whole = made != NULL;
	if (whole) {
		made->form = apsp_row_group_form_make(
			lengths, integers, root, v, distance);
		made->seed = seed;
		made->threads = threads;
		made->width = width;
		made->samples = SAMPLES;
	}
	for (unsigned int t = 0; whole && t < made->width; t++)
		whole = apsp_row_group_init(&made->form, &made->hands[t].group);
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to prove rows of %u vertices",
			lengths->n_vertices);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_sampled_rows_proof_draw(
	struct apsp_sampled_rows_proof *proof, uint32_t samples)
{
	proof->draws = true;
	proof->samples = samples;
}

int apsp_sampled_rows_proof_select(struct apsp_sampled_rows_proof *proof,
	const uint8_t *kept, struct apsp_err *err)
{
	int r = apsp_lengths_select(
		proof->form.lengths, kept, &proof->tight, err);

	if (r == 0)
		proof->form.arcs = &proof->tight;
	return r;
}

void apsp_sampled_rows_proof_free(struct apsp_sampled_rows_proof *proof)
{
	if (!proof)
		return;
	for (unsigned int t = 0; t < proof->width; t++)
		apsp_row_group_done(&proof->hands[t].group);
	apsp_lengths_done(&proof->tight);
	free(proof);
}

/* Copy rows from the strip (proof->strip) into a group: the rows that were
   chosen for this group and are not copied yet. */
static void rows_load(
	const struct apsp_sampled_rows_proof *proof, struct hand *hand)
{
	for (; hand->n_loaded < hand->group.n; hand->n_loaded++)
		apsp_row_group_load(&hand->group, hand->n_loaded, proof->strip);
}

static void group_prove(void *ctx, unsigned int thread, size_t group)
{
	struct apsp_sampled_rows_proof *proof = ctx;
	struct hand *hand = &proof->hands[group];
	uint32_t wrong;

	(void)thread;
	rows_load(proof, hand);
	wrong = apsp_row_group_prove(&hand->group);
	if (wrong > 0)
		atomic_store(&proof->wrong, wrong);
	hand->group.n = 0;
	hand->n_loaded = 0;
}

int apsp_sampled_rows_proof_finish(
	struct apsp_sampled_rows_proof *proof, struct apsp_err *err)
{
	unsigned int wrong, used = 0;

	while (used < proof->width && proof->hands[used].group.n > 0)
		used++;
	apsp_parallel_for(used, proof->threads, group_prove, proof);
	wrong = atomic_load(&proof->wrong);
	if (wrong == 0)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"paths from the source %u, or from a source that is proved "
		"together with it, are not shortest paths: the tables were "
		"computed wrongly",
		wrong - 1);
}

/* Return a pseudo-random number that depends only on the seed and x. */
static uint32_t mix(const struct apsp_sampled_rows_proof *proof, uint32_t x)
{
	x ^= proof->seed;
	x = (x + 1) * UINT32_C(0x9e3779b1);
	x ^= x >> 15;
	x *= UINT32_C(0x85ebca6b);
	return x ^ x >> 13;
}

/* Whether a row is chosen for the proof. It is chosen in three cases: the host
   made the row, and the rows did not come in a bundle; the row was drawn from
   its part of the table; or the strip has several rows, and the row was drawn
   from the strip. */
static bool is_chosen(const struct apsp_sampled_rows_proof *proof,
	const struct apsp_row_strip *strip, uint32_t row)
{
	uint64_t n = proof->form.lengths->n_vertices;
	uint64_t source = strip->first + row;
	uint64_t parts = n <= ALL || n <= proof->samples ? n : proof->samples;
	/* The table's n rows are divided into `parts` equal parts. `part` is
	   the number of the part that contains the row. */
	uint64_t part = ((source + 1) * parts - 1) / n;
	uint64_t begin = part * n / parts, end = (part + 1) * n / parts;

	/* every row that the host made is proved; proving it takes less time
	   than making it */
	if (!strip->marks && !proof->draws)
		return true;
	if (strip->n_rows > 1 &&
		row == mix(proof, ~strip->first) % strip->n_rows)
		return true;
	return source == begin + mix(proof, (uint32_t)part) % (end - begin);
}

/* A group has four lanes, which are places for rows. Assign each chosen row of
   the strip to a free lane of a group, until all lanes are used. */
static void rows_choose(struct apsp_sampled_rows_proof *proof)
{
	const struct apsp_row_strip *strip = proof->strip;
	struct hand *hand = proof->hands, *end = hand + proof->width;

	for (; proof->next < strip->n_rows; proof->next++) {
		if (!is_chosen(proof, strip, proof->next))
			continue;
		while (hand < end && hand->group.n == LANES)
			hand++;
		if (hand == end)
			return;
		hand->group.sources[hand->group.n++] =
			strip->first + proof->next;
	}
}

/* Copy one row into its group. `i` counts the rows that have a place in a group
   but are not copied yet: first the rows of group 0, then the rows of group 1,
   and so on. */
static void row_load(void *ctx, unsigned int thread, size_t i)
{
	const struct apsp_sampled_rows_proof *proof = ctx;
	const struct hand *hand = proof->hands;

	(void)thread;
	for (; i >= hand->group.n - hand->n_loaded; hand++)
		i -= hand->group.n - hand->n_loaded;
	apsp_row_group_load(&hand->group, hand->n_loaded + i, proof->strip);
}

void apsp_sampled_rows_proof_begin(struct apsp_sampled_rows_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out)
{
	*out = (struct apsp_parallel_part){.body = row_load, .ctx = proof};
	proof->strip = strip;
	proof->next = 0;
	rows_choose(proof);
	for (unsigned int t = 0; t < proof->width; t++)
		out->n += proof->hands[t].group.n - proof->hands[t].n_loaded;
}

int apsp_sampled_rows_proof_end(
	struct apsp_sampled_rows_proof *proof, struct apsp_err *err)
{
	const struct hand *last = &proof->hands[proof->width - 1];
	int r = 0;

	for (unsigned int t = 0; t < proof->width; t++)
		proof->hands[t].n_loaded = proof->hands[t].group.n;
	while (r == 0 && last->group.n == LANES) {
		r = apsp_sampled_rows_proof_finish(proof, err);
		rows_choose(proof);
	}
	for (unsigned int t = 0; t < proof->width; t++)
		rows_load(proof, &proof->hands[t]);
	proof->strip = NULL;
	return r;
}
