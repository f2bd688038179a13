/*
 * Compares blocks of pairs; see pair_block.h. The loops have no branches, so
 * that the compiler can use vector instructions.
 */
#include "storage/tables/pair_block.h"

#include <math.h>
#include <string.h>

enum {
	N = APSP_PAIR_BLOCK,
	LANES = 8,
};

/* Add the elements of a block to the sums of their lanes. */
static void lanes_add(const double values[N], double sums[LANES])
{
	double lanes[LANES];

	memcpy(lanes, sums, sizeof(lanes));
	for (int i = 0; i < N; i += LANES)
		for (int lane = 0; lane < LANES; lane++)
			lanes[lane] += values[i + lane];
	memcpy(sums, lanes, sizeof(lanes));
}

/* Return the sum of flags, each of which is 0 or 1. */
static uint32_t flags_count(const double flags[N])
{
	double lanes[LANES] = {0}, sum = 0;

	lanes_add(flags, lanes);
	for (int lane = 0; lane < LANES; lane++)
		sum += lanes[lane];
	return (uint32_t)sum;
}

void apsp_pair_block_load(struct apsp_pair_block *block, const double *here,
	const double *with, uint32_t n)
{
	uint32_t size = n < N ? n : N;

	memcpy(block->here, here, size * sizeof(*here));
	memcpy(block->with, with, size * sizeof(*with));
	block->n_skipped = 0;
	for (uint32_t i = size; i < N; i++)
		apsp_pair_block_skip(block, i);
}

void apsp_pair_block_skip(struct apsp_pair_block *block, uint32_t element)
{
	block->here[element] = block->with[element] = INFINITY;
	block->skipped[block->n_skipped++] = (uint16_t)element;
}

enum apsp_pair_change apsp_pair_change_of(
	const struct apsp_pair_rule *rule, double here, double with)
{
	double larger = fmax(fabs(here), fabs(with));

	if (here == INFINITY || with == INFINITY)
		return here < INFINITY	 ? APSP_PAIR_GAINED
		       : with < INFINITY ? APSP_PAIR_LOST
					 : APSP_PAIR_NOWHERE;
	if (!rule->lengths || fabs(here - with) <= rule->tolerance * larger)
		return APSP_PAIR_EQUAL;
	return here > with ? APSP_PAIR_LONGER : APSP_PAIR_SHORTER;
}

/* Find the differences. */
static void differences_find(
	struct apsp_pair_block *block, const struct apsp_pair_rule *rule)
{
	double tolerance = rule->tolerance;

	if (!rule->lengths) {
		memset(block->differences, 0, sizeof(block->differences));
		return;
	}
	for (int i = 0; i < N; i++) {
		double here = block->here[i], with = block->with[i];
		double a = fabs(here), b = fabs(with);
		double larger = a > b ? a : b;
		double difference = here - with;

		/* This is false if a path is missing: then `larger` is
		   INFINITY, and its share is INFINITY or NaN. */
		block->differences[i] =
			fabs(difference) > tolerance * larger ? difference : 0;
	}
}

/* Count the changes. */
static void changes_count(struct apsp_pair_block *block)
{
	double is_here[N], is_with[N], is_both[N], is_longer[N], is_shorter[N];
	uint32_t n_both, n_here, n_with, *n = block->n;

	for (int i = 0; i < N; i++) {
		is_here[i] = block->here[i] < INFINITY ? 1 : 0;
		is_with[i] = block->with[i] < INFINITY ? 1 : 0;
		is_both[i] = is_here[i] * is_with[i];
		is_longer[i] = block->differences[i] > 0 ? 1 : 0;
		is_shorter[i] = block->differences[i] < 0 ? 1 : 0;
	}
	n_here = flags_count(is_here);
	n_with = flags_count(is_with);
	n_both = flags_count(is_both);
	n[APSP_PAIR_GAINED] = n_here - n_both;
	n[APSP_PAIR_LOST] = n_with - n_both;
	n[APSP_PAIR_LONGER] = flags_count(is_longer);
	n[APSP_PAIR_SHORTER] = flags_count(is_shorter);
	n[APSP_PAIR_EQUAL] =
		n_both - n[APSP_PAIR_LONGER] - n[APSP_PAIR_SHORTER];
	n[APSP_PAIR_NOWHERE] = N - block->n_skipped - n_here - n_with + n_both;
}

/* List the pairs that changed. */
static void changed_list(struct apsp_pair_block *block)
{
	uint32_t n_changed = 0;
	int32_t changed[N];

	for (int i = 0; i < N; i++) {
		double is_here = block->here[i] < INFINITY ? 1 : 0;
		double is_with = block->with[i] < INFINITY ? 1 : 0;
		double differs = block->differences[i] != 0 ? 1 : 0;

		changed[i] = (int32_t)(fabs(is_here - is_with) + differs);
	}
	for (int i = 0; i < N; i++) {
		block->changed[n_changed] = (uint16_t)i;
		n_changed += (uint32_t)changed[i];
	}
	block->n_changed = n_changed;
}

/* Add the distances of pairs with a path on both sides to the sums. */
static void both_add(
	const struct apsp_pair_block *block, struct apsp_pair_sums *sums)
{
	double here[N], with[N];

	for (int i = 0; i < N; i++) {
		double a = block->here[i], b = block->with[i];
		double of_here = b < INFINITY ? a : 0;
		double of_with = a < INFINITY ? b : 0;

		here[i] = a < INFINITY ? of_here : 0;
		with[i] = b < INFINITY ? of_with : 0;
	}
	lanes_add(here, sums->here);
	lanes_add(with, sums->with);
}

void apsp_pair_block_compare(struct apsp_pair_block *block,
	const struct apsp_pair_rule *rule, struct apsp_pair_sums *sums)
{
	const uint32_t *n = block->n;

	differences_find(block, rule);
	changes_count(block);
	both_add(block, sums);
	block->n_changed = 0;
	if (n[APSP_PAIR_NOWHERE] + n[APSP_PAIR_EQUAL] + block->n_skipped == N)
		return;
	changed_list(block);
	lanes_add(block->differences, sums->differences);
}
