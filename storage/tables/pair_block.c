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

/* Add the elements of a block to LANES sums: each sum (lane) gets every
   LANES-th element. */
static void lanes_add(const double values[N], double sums[LANES])
{
	double lanes[LANES];

	memcpy(lanes, sums, sizeof(lanes));
	for (int i = 0; i < N; i += LANES)
		for (int lane = 0; lane < LANES; lane++)
			lanes[lane] += values[i + lane];
	memcpy(sums, lanes, sizeof(lanes));
}

/* Copy the first n distances, so that elements of the copy can be marked as
   skipped. */
static void distances_copy(struct apsp_pair_block *block, uint32_t n)
{
	memcpy(block->copies[0], block->here, n * sizeof(double));
	memcpy(block->copies[1], block->with, n * sizeof(double));
	block->here = block->copies[0];
	block->with = block->copies[1];
}

void apsp_pair_block_load(struct apsp_pair_block *block, const double *here,
	const double *with, uint32_t n)
{
	block->here = here;
	block->with = with;
	block->n_skipped = 0;
	if (n >= N)
		return;
	distances_copy(block, n);
	for (uint32_t i = n; i < N; i++)
		apsp_pair_block_skip(block, i);
}

void apsp_pair_block_skip(struct apsp_pair_block *block, uint32_t element)
{
	if (block->here != block->copies[0])
		distances_copy(block, N);
	block->copies[0][element] = block->copies[1][element] = INFINITY;
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

/* Compute the difference of each pair of the block. */
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

		/* If a pair lacks a path, `larger` is INFINITY, and `tolerance`
		   times `larger` is INFINITY or NaN. Then the comparison is
		   false, and the difference is 0. */
		block->differences[i] =
			fabs(difference) > tolerance * larger ? difference : 0;
	}
}

/*
 * Count the changes. One sum of doubles counts five numbers, each in ten bits
 * of its own, because one sum takes less time than five sums:
 *
 *	number of pairs	 here	with	both	longer	shorter
 *	counted in units 1	2^10	2^20	2^30	2^40
 */
static void changes_count(struct apsp_pair_block *block)
{
	double units[N], lanes[LANES] = {0}, sum = 0;
	uint32_t numbers[5], *n = block->n;

	for (int i = 0; i < N; i++) {
		double difference = block->differences[i];
		double is_here = block->here[i] < INFINITY ? 1 : 0;
		double of_with = block->with[i] < INFINITY ? 0x1p10 : 0;
		double of_longer = difference > 0 ? 0x1p30 : 0;
		double of_shorter = difference < 0 ? 0x1p40 : 0;

		units[i] = is_here + of_with + is_here * of_with * 0x1p10 +
			   of_longer + of_shorter;
	}
	lanes_add(units, lanes);
	for (int lane = 0; lane < LANES; lane++)
		sum += lanes[lane];
	for (int k = 0; k < 5; k++)
		numbers[k] = (uint64_t)sum >> 10 * k & 1023;
	n[APSP_PAIR_GAINED] = numbers[0] - numbers[2];
	n[APSP_PAIR_LOST] = numbers[1] - numbers[2];
	n[APSP_PAIR_LONGER] = numbers[3];
	n[APSP_PAIR_SHORTER] = numbers[4];
	n[APSP_PAIR_EQUAL] = numbers[2] - numbers[3] - numbers[4];
	n[APSP_PAIR_NOWHERE] =
		N - block->n_skipped - numbers[0] - numbers[1] + numbers[2];
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

/* Add to *sums the distances of the pairs that have a path in both tables. */
static void both_add(
	const struct apsp_pair_block *block, struct apsp_block_sums *sums)
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
	const struct apsp_pair_rule *rule, struct apsp_block_sums *sums)
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
