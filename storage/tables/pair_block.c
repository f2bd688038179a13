/*
 * Compares blocks of pairs; see pair_block.h. The loops have no branches, so
 * that the compiler can use vector instructions. For the same reason, flags
 * are numbers of the same type as distances.
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

/* Find the least and the largest of the elements and 0. */
static void range_find(
	const double values[N], double *out_least, double *out_most)
{
	double least[LANES] = {0}, most[LANES] = {0};

	for (int i = 0; i < N; i += LANES)
		for (int lane = 0; lane < LANES; lane++) {
			double value = values[i + lane];

			least[lane] = value < least[lane] ? value : least[lane];
			most[lane] = value > most[lane] ? value : most[lane];
		}
	for (int lane = 1; lane < LANES; lane++) {
		least[0] = least[lane] < least[0] ? least[lane] : least[0];
		most[0] = most[lane] > most[0] ? most[lane] : most[0];
	}
	*out_least = least[0];
	*out_most = most[0];
}

/* Let `out` have the values of pairs with a path on both sides, and 0
   elsewhere. */
static void both_get(const double *restrict values,
	const double *restrict others, double *restrict out)
{
	for (int i = 0; i < N; i++) {
		double value = values[i] < INFINITY ? values[i] : 0;

		out[i] = others[i] < INFINITY ? value : 0;
	}
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

/* Find the changes and the differences. */
static void changes_find(
	struct apsp_pair_block *block, const struct apsp_pair_rule *rule)
{
	double comparable = rule->lengths ? 1 : 0;
	double tolerance = rule->tolerance;
	double changes[N];
	int32_t whole[N];

	for (int i = 0; i < N; i++) {
		double here = block->here[i], with = block->with[i];
		double a = fabs(here), b = fabs(with);
		double larger = a > b ? a : b;
		double difference = here - with;
		double is_here = here < INFINITY ? 1 : 0;
		double is_with = with < INFINITY ? 1 : 0;
		/* false if both are INFINITY, because the difference is NaN */
		double differs =
			fabs(difference) > tolerance * larger ? comparable : 0;
		double is_shorter = difference < 0 ? 1 : 0;

		differs *= is_here * is_with;
		changes[i] = is_here + 2 * is_with + differs * (1 + is_shorter);
		block->differences[i] = differs > 0 ? difference : 0;
	}
	for (int i = 0; i < N; i++)
		whole[i] = (int32_t)changes[i];
	for (int i = 0; i < N; i++)
		block->changes[i] = (uint8_t)whole[i];
	for (uint32_t k = 0; k < block->n_skipped; k++)
		block->changes[block->skipped[k]] = APSP_PAIR_SKIPPED;
}

/* Count the changes, and list the pairs that changed. */
static void changes_count(struct apsp_pair_block *block)
{
	uint32_t n_changed = 0;

	for (uint8_t change = 0; change < APSP_N_PAIR_CHANGES; change++) {
		uint16_t count = 0;

		for (int i = 0; i < N; i++)
			count += block->changes[i] == change;
		block->n[change] = count;
	}
	block->n_changed = 0;
	block->least = block->most = 0;
	if (block->n[APSP_PAIR_NOWHERE] + block->n[APSP_PAIR_EQUAL] +
			block->n_skipped ==
		N)
		return;
	for (int i = 0; i < N; i++) {
		uint8_t change = block->changes[i];

		block->changed[n_changed] = (uint16_t)i;
		n_changed += (change != APSP_PAIR_NOWHERE) &
			     (change != APSP_PAIR_EQUAL) &
			     (change != APSP_PAIR_SKIPPED);
	}
	range_find(block->differences, &block->least, &block->most);
	block->n_changed = n_changed;
}

void apsp_pair_block_compare(struct apsp_pair_block *block,
	const struct apsp_pair_rule *rule, struct apsp_pair_sums *sums)
{
	double both[N];

	changes_find(block, rule);
	changes_count(block);
	both_get(block->here, block->with, both);
	lanes_add(both, sums->here);
	both_get(block->with, block->here, both);
	lanes_add(both, sums->with);
	lanes_add(block->differences, sums->differences);
}
