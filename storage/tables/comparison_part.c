/*
 * Compares the distances from some keys in two tables; see comparison_part.h. A
 * key stands for one or several vertices. The rows of both tables are compared
 * in blocks of pairs. The changed pairs of a block are then listed one by one.
 */
#include "storage/tables/comparison_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/bit_set.h"

enum {
	STEP_CELLS = 1 << 19, /* cells that one step reads */
	/* reading one exact sum takes as long as reading this many cells */
	SUM_CELLS = 32,
};

static uint64_t n_groups_of(const struct apsp_comparison_options *options)
{
	return options->group_of ? options->n_groups : 0;
}

uint64_t apsp_comparison_part_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options)
{
	uint64_t n_groups = n_groups_of(options);

	return apsp_keyed_rows_bytes(here, options->n_keys) +
	       apsp_keyed_rows_bytes(with, options->n_keys) +
	       n_groups * n_groups * sizeof(struct apsp_group_change) +
	       APSP_N_LISTED_CHANGES * apsp_top_pairs_bytes(options->top);
}

/* Whether both tables store sums with the same precision, so that the stored
   distances can be compared. */
static bool same_precision(
	const struct apsp_tables *here, const struct apsp_tables *with)
{
	return here->header.distance_kind == APSP_DISTANCE_SUM &&
	       with->header.distance_kind == APSP_DISTANCE_SUM &&
	       here->header.sections[APSP_SECTION_DISTANCE].element ==
		       with->header.sections[APSP_SECTION_DISTANCE].element;
}

/* Whether the distances of the table are computed when they are read, as sums
   of the lengths of paths. */
static bool is_summed(const struct apsp_tables *tables, bool rounded)
{
	return !apsp_table_holds(&tables->header, APSP_SECTION_DISTANCE) ||
	       (tables->header.distance_kind == APSP_DISTANCE_SUM && !rounded);
}

int apsp_comparison_part_begin(struct apsp_tables *here,
	struct apsp_tables *with, const struct apsp_comparison_options *options,
	bool whole, struct apsp_comparison_part *out, struct apsp_err *err)
{
	bool rounded = !options->rule.lengths || same_precision(here, with);
	uint64_t n_groups = n_groups_of(options);
	int r;

	memset(out, 0, sizeof(*out));
	out->options = options;
	out->rounded = rounded;
	out->end = options->n_keys;
	out->cell_cost = is_summed(here, rounded) || is_summed(with, rounded)
				 ? SUM_CELLS
				 : 1;
	r = apsp_keyed_rows_begin(here, options->key_of_here, options->n_keys,
		rounded, &out->here, err);
	if (r == 0)
		r = apsp_keyed_rows_begin(with, options->key_of_with,
			options->n_keys, rounded, &out->with, err);
	for (int i = 0; i < APSP_N_PAIR_CHANGES && r == 0; i++)
		if (apsp_pair_change_is_listed((enum apsp_pair_change)i))
			r = apsp_top_pairs_begin(
				&out->found.top[i], options->top, err);
	if (r < 0)
		return r;
	out->found.groups =
		calloc(n_groups * n_groups + 1, sizeof(*out->found.groups));
	if (!out->found.groups)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	apsp_difference_bins_init(&out->found.bins,
		whole && out->here.single && out->with.single);
	return 0;
}

void apsp_comparison_part_done(struct apsp_comparison_part *self)
{
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		apsp_top_pairs_done(&self->found.top[i]);
	free(self->found.groups);
	apsp_keyed_rows_done(&self->here);
	apsp_keyed_rows_done(&self->with);
	memset(self, 0, sizeof(*self));
}

static bool is_left_out(const struct apsp_comparison_part *self, uint32_t key)
{
	const uint64_t *bits = self->options->left_out;

	return bits && apsp_bit_set_has(bits, key);
}

/* Whether the pair (key, key) is compared. It stands for the pairs of two
   different vertices that both have this key, so in each table at least two
   vertices must have the key. */
static bool has_own_pairs(const struct apsp_comparison_part *self, uint32_t key)
{
	return apsp_keyed_rows_size(&self->here, key) > 1 &&
	       apsp_keyed_rows_size(&self->with, key) > 1;
}

/*
 * The block has `size` pairs: the key `from` with each of the `size` keys that
 * begin at the key `first`. Count the pairs that have a left-out key
 * (options->left_out), and skip them. Also skip the pair of `from` with itself,
 * unless it stands for pairs of different vertices.
 */
static void block_skip(struct apsp_comparison_part *self, uint32_t from,
	uint32_t first, uint32_t size)
{
	struct apsp_pair_block *block = &self->block;
	bool all = is_left_out(self, from);

	if (from >= first && from - first < size && !has_own_pairs(self, from))
		apsp_pair_block_skip(block, from - first);
	for (uint32_t i = 0; self->options->left_out && i < size; i++) {
		if ((first + i == from && !has_own_pairs(self, from)) ||
			!(all || is_left_out(self, first + i)))
			continue;
		self->found.left_out[apsp_pair_change_of(&self->options->rule,
			block->here[i], block->with[i])]++;
		apsp_pair_block_skip(block, i);
	}
}

/* Offer pair i of the block to the list of top pairs with the same change. The
   list ignores a pair whose score (apsp_pair_score()) is too low. */
static void pair_offer(struct apsp_comparison_part *self, uint32_t from,
	uint32_t first, uint32_t i)
{
	enum apsp_pair_change change = apsp_pair_block_change(&self->block, i);
	struct apsp_top_pair pair = {
		.from = from,
		.to = first + i,
		.here = self->block.here[i],
		.with = self->block.with[i],
	};

	pair.score = apsp_pair_score(
		&self->options->rule, change, pair.here, pair.with);
	apsp_top_pairs_add(&self->found.top[change], &pair);
}

/* Append the changed pairs of the block to self->changed. */
static void block_append(
	struct apsp_comparison_part *self, uint32_t from, uint32_t first)
{
	const struct apsp_pair_block *block = &self->block;
	struct apsp_changed_row *row = self->changed;

	for (uint32_t k = 0; k < block->n_changed; k++) {
		uint32_t i = block->changed[k];

		row->pairs[row->n++] = (struct apsp_changed_pair){
			.from = from,
			.to = first + i,
			.change = apsp_pair_block_change(block, i),
			.here = block->here[i],
			.with = block->with[i],
		};
	}
}

/* Count the differences of the block in the histogram, and list the pairs that
   changed most. */
static void block_list(
	struct apsp_comparison_part *self, uint32_t from, uint32_t first)
{
	const struct apsp_pair_block *block = &self->block;
	double largest = 0;

	for (uint32_t k = 0; k < block->n_changed; k++) {
		double difference = block->differences[block->changed[k]];
		double magnitude = fabs(difference);

		/* skip lost and gained pairs: their difference is 0 */
		if (difference != 0)
			apsp_difference_bins_add(&self->found.bins, difference);
		largest = magnitude > largest ? magnitude : largest;
	}
	/* skip a block from which no pair can get into a list; most blocks are
	   of this kind */
	if (largest <= self->found.top[APSP_PAIR_LONGER].bar &&
		largest <= self->found.top[APSP_PAIR_SHORTER].bar &&
		block->n[APSP_PAIR_LOST] + block->n[APSP_PAIR_GAINED] == 0)
		return;
	for (uint32_t k = 0; k < block->n_changed; k++)
		pair_offer(self, from, first, block->changed[k]);
}

/* For the first `size` pairs of the block: count each pair in the struct
   apsp_group_change of its two groups, and add its difference there. */
static void block_group(struct apsp_comparison_part *self, uint32_t from,
	uint32_t first, uint32_t size)
{
	const struct apsp_pair_block *block = &self->block;
	const uint32_t *group_of = self->options->group_of;
	struct apsp_group_change *groups, *group;

	if (!group_of || group_of[from] == APSP_NO_KEY)
		return;
	groups = self->found.groups +
		 (size_t)group_of[from] * self->options->n_groups;
	group_of += first;
	for (uint32_t i = 0; i < size; i++) {
		if (group_of[i] == APSP_NO_KEY)
			continue;
		group = &groups[group_of[i]];
		group->n[apsp_pair_block_change(block, i)]++;
		group->difference += block->differences[i];
	}
	/* subtract the skipped elements, which the loop above has counted as
	   pairs without a path */
	for (uint32_t k = 0; k < block->n_skipped; k++) {
		uint32_t i = block->skipped[k];

		if (i < size && group_of[i] != APSP_NO_KEY)
			groups[group_of[i]].n[APSP_PAIR_NOWHERE]--;
	}
}

static double lanes_sum(const double lanes[8])
{
	double sum = 0;

	for (int lane = 0; lane < 8; lane++)
		sum += lanes[lane];
	return sum;
}

static void row_compare(struct apsp_comparison_part *self, uint32_t from,
	const double *here, const double *with)
{
	uint32_t n = self->options->n_keys;
	struct apsp_block_sums sums = {0};

	for (uint32_t first = 0; first < n; first += APSP_PAIR_BLOCK) {
		uint32_t size = n - first;

		apsp_pair_block_load(
			&self->block, here + first, with + first, size);
		size = size < APSP_PAIR_BLOCK ? size : APSP_PAIR_BLOCK;
		block_skip(self, from, first, size);
		apsp_pair_block_compare(
			&self->block, &self->options->rule, &sums);
		for (int change = 0; change < APSP_N_PAIR_CHANGES; change++)
			self->found.n[change] += self->block.n[change];
		if (self->changed)
			block_append(self, from, first);
		else
			block_list(self, from, first);
		block_group(self, from, first, size);
	}
	self->found.sum_here += lanes_sum(sums.here);
	self->found.sum_with += lanes_sum(sums.with);
	self->found.difference += lanes_sum(sums.differences);
}

/* Read the row of the next vertex in one of the two tables. If the rows of the
   present key are then complete in both tables, compare them. */
static int row_step(struct apsp_comparison_part *self, struct apsp_err *err)
{
	const double *row;
	int r;

	if (!self->row_here) {
		r = apsp_keyed_rows_step(&self->here, self->row, &row, err);
		if (r == 0)
			self->row_here = row;
		return r < 0 ? r : 0;
	}
	r = apsp_keyed_rows_step(&self->with, self->row, &row, err);
	if (r != 0)
		return r < 0 ? r : 0;
	row_compare(self, self->row++, self->row_here, row);
	self->row_here = NULL;
	return 0;
}

int apsp_comparison_part_step(
	struct apsp_comparison_part *self, struct apsp_err *err)
{
	/* number of cells of two rows together, one of `here` and one of
	   `with`; a call of row_step() reads one of the two rows */
	uint64_t row_cells = self->here.tables->header.n_vertices +
			     self->with.tables->header.n_vertices;
	uint64_t cells = 0;
	int r = 0;

	while (r == 0 && self->row < self->end && cells < STEP_CELLS &&
		!(self->changed && self->changed->n > 0)) {
		r = row_step(self, err);
		cells += row_cells / 2 * self->cell_cost + 64;
	}
	if (r == 0)
		r = apsp_tables_trust(self->here.tables, err);
	if (r == 0)
		r = apsp_tables_trust(self->with.tables, err);
	return r < 0 ? r : self->row < self->end;
}

static void numbers_add(uint64_t n[APSP_N_PAIR_CHANGES],
	const uint64_t other[APSP_N_PAIR_CHANGES])
{
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		n[i] += other[i];
}

void apsp_comparison_part_join(
	struct apsp_comparison_part *self, struct apsp_comparison_part *other)
{
	struct apsp_changes *found = &self->found, *more = &other->found;
	uint64_t n_groups = n_groups_of(self->options);

	numbers_add(found->n, more->n);
	numbers_add(found->left_out, more->left_out);
	found->sum_here += more->sum_here;
	found->sum_with += more->sum_with;
	found->difference += more->difference;
	apsp_difference_bins_join(&found->bins, &more->bins);
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		apsp_top_pairs_join(&found->top[i], &more->top[i]);
	for (uint64_t k = 0; k < n_groups * n_groups; k++) {
		numbers_add(found->groups[k].n, more->groups[k].n);
		found->groups[k].difference += more->groups[k].difference;
	}
}
