/*
 * Compares two tables; see table_comparison.h. Each row is compared in blocks
 * of pairs. The pairs of a block that changed are then listed one by one.
 */
#include "storage/tables/table_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "storage/tables/lookup.h"

enum {
	STEP_CELLS = 1 << 19, /* cells that one step reads */
	/* reading an exact sum takes as long as reading this many cells */
	SUM_CELLS = 32,
	STEP_PATHS = 256, /* paths that one step looks up */
};

static const enum apsp_pair_change listed[] = {
	APSP_PAIR_LOST, APSP_PAIR_GAINED, APSP_PAIR_LONGER, APSP_PAIR_SHORTER};

enum {
	N_LISTED = sizeof(listed) / sizeof(*listed),
};

uint64_t apsp_table_comparison_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options)
{
	uint64_t n_groups = options->group_of ? options->n_groups : 0;

	return apsp_keyed_rows_bytes(here, options->n_keys) +
	       apsp_keyed_rows_bytes(with, options->n_keys) +
	       n_groups * n_groups * sizeof(struct apsp_group_change) +
	       (n_groups ? 2 : 1) * N_LISTED *
		       apsp_top_pairs_bytes(options->top);
}

/* Whether stored distances of the two tables can be compared, because both have
   the same precision. */
static bool same_precision(
	const struct apsp_tables *here, const struct apsp_tables *with)
{
	return here->header.distance_kind == APSP_DISTANCE_SUM &&
	       with->header.distance_kind == APSP_DISTANCE_SUM &&
	       here->header.sections[APSP_SECTION_DISTANCE].element ==
		       with->header.sections[APSP_SECTION_DISTANCE].element;
}

/* Whether distances are sums that are added up when they are read. */
static bool is_summed(const struct apsp_tables *tables, bool rounded)
{
	return !apsp_table_holds(&tables->header, APSP_SECTION_DISTANCE) ||
	       (tables->header.distance_kind == APSP_DISTANCE_SUM && !rounded);
}

int apsp_table_comparison_begin(struct apsp_tables *here,
	struct apsp_tables *with, const struct apsp_comparison_options *options,
	struct apsp_table_comparison *out, struct apsp_err *err)
{
	bool rounded = !options->rule.lengths || same_precision(here, with);
	size_t n_groups = options->group_of ? options->n_groups : 0;
	int r;

	memset(out, 0, sizeof(*out));
	out->options = *options;
	out->cell_cost = is_summed(here, rounded) || is_summed(with, rounded)
				 ? SUM_CELLS
				 : 1;
	r = apsp_keyed_rows_begin(here, options->key_of_here, options->n_keys,
		rounded, &out->here, err);
	if (r == 0)
		r = apsp_keyed_rows_begin(with, options->key_of_with,
			options->n_keys, rounded, &out->with, err);
	for (int i = 0; i < N_LISTED && r == 0; i++) {
		r = apsp_top_pairs_begin(
			&out->top[listed[i]], options->top, err);
		if (r == 0 && n_groups > 0)
			r = apsp_top_pairs_begin(
				&out->top_groups[listed[i]], options->top, err);
	}
	if (r < 0)
		return r;
	out->groups = calloc(n_groups * n_groups + 1, sizeof(*out->groups));
	if (!out->groups)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory for a comparison");
	apsp_difference_bins_init(&out->bins,
		out->here.single && out->with.single &&
			here->header.distance_kind != APSP_DISTANCE_SUM &&
			with->header.distance_kind != APSP_DISTANCE_SUM);
	return 0;
}

void apsp_table_comparison_done(struct apsp_table_comparison *self)
{
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++) {
		apsp_top_pairs_done(&self->top[i]);
		apsp_top_pairs_done(&self->top_groups[i]);
	}
	apsp_keyed_rows_done(&self->here);
	apsp_keyed_rows_done(&self->with);
	free(self->groups);
	memset(self, 0, sizeof(*self));
}

static bool is_left_out(const struct apsp_table_comparison *self, uint32_t key)
{
	const uint64_t *bits = self->options.left_out;

	return bits && (bits[key / 64] >> key % 64 & 1);
}

/* Whether the pair of a key with itself stands for pairs of different vertices
   on both sides. */
static bool has_own_pairs(
	const struct apsp_table_comparison *self, uint32_t key)
{
	return apsp_keyed_rows_size(&self->here, key) > 1 &&
	       apsp_keyed_rows_size(&self->with, key) > 1;
}

/*
 * The block has `size` pairs of the row of `from`, from the target `first` on.
 * Count the pairs with a left-out end, and skip them. Also skip `from` itself,
 * unless it has pairs of its own.
 */
static void block_skip(struct apsp_table_comparison *self, uint32_t from,
	uint32_t first, uint32_t size)
{
	struct apsp_pair_block *block = &self->block;
	bool all = is_left_out(self, from);

	if (from >= first && from - first < size && !has_own_pairs(self, from))
		apsp_pair_block_skip(block, from - first);
	for (uint32_t i = 0; self->options.left_out && i < size; i++) {
		if ((first + i == from && !has_own_pairs(self, from)) ||
			!(all || is_left_out(self, first + i)))
			continue;
		self->left_out[apsp_pair_change_of(
			&self->options.rule, block->here[i], block->with[i])]++;
		apsp_pair_block_skip(block, i);
	}
}

/* Return the score of a pair among the pairs with the same change. */
static double score_of(enum apsp_pair_change change, double here, double with)
{
	switch (change) {
	case APSP_PAIR_LOST:
		return -with;
	case APSP_PAIR_GAINED:
		return -here;
	case APSP_PAIR_LONGER:
		return here - with;
	default:
		return with - here;
	}
}

/* Offer a pair of the block to the list of its change. */
static void pair_offer(struct apsp_table_comparison *self, uint32_t from,
	uint32_t first, uint32_t i)
{
	enum apsp_pair_change change = apsp_pair_block_change(&self->block, i);
	struct apsp_top_pair pair = {
		.from = from,
		.to = first + i,
		.here = self->block.here[i],
		.with = self->block.with[i],
	};

	pair.score = score_of(change, pair.here, pair.with);
	apsp_top_pairs_add(&self->top[change], &pair);
}

/* Count the differences of the block in the histogram, and list the pairs that
   changed most. */
static void block_list(
	struct apsp_table_comparison *self, uint32_t from, uint32_t first)
{
	const struct apsp_pair_block *block = &self->block;
	double largest = 0;

	for (uint32_t k = 0; k < block->n_changed; k++) {
		double difference = block->differences[block->changed[k]];
		double magnitude = fabs(difference);

		/* it is 0 if the pair is lost or gained */
		if (difference != 0)
			apsp_difference_bins_add(&self->bins, difference);
		largest = magnitude > largest ? magnitude : largest;
	}
	/* most blocks have no pair that can be listed */
	if (largest <= self->top[APSP_PAIR_LONGER].bar &&
		largest <= self->top[APSP_PAIR_SHORTER].bar &&
		block->n[APSP_PAIR_LOST] + block->n[APSP_PAIR_GAINED] == 0)
		return;
	for (uint32_t k = 0; k < block->n_changed; k++)
		pair_offer(self, from, first, block->changed[k]);
}

/* Add the first `size` pairs of the block to their groups. */
static void block_group(struct apsp_table_comparison *self, uint32_t from,
	uint32_t first, uint32_t size)
{
	const struct apsp_pair_block *block = &self->block;
	const uint32_t *group_of = self->options.group_of;
	struct apsp_group_change *groups, *group;

	if (!group_of || group_of[from] == APSP_NO_KEY)
		return;
	groups = self->groups + (size_t)group_of[from] * self->options.n_groups;
	group_of += first;
	for (uint32_t i = 0; i < size; i++) {
		if (group_of[i] == APSP_NO_KEY)
			continue;
		group = &groups[group_of[i]];
		group->n[apsp_pair_block_change(block, i)]++;
		group->difference += block->differences[i];
	}
	/* elements that are skipped were counted, too */
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

static void row_compare(struct apsp_table_comparison *self, uint32_t from,
	const double *here, const double *with)
{
	uint32_t n = self->options.n_keys;
	struct apsp_pair_sums sums = {0};

	for (uint32_t first = 0; first < n; first += APSP_PAIR_BLOCK) {
		uint32_t size = n - first;

		apsp_pair_block_load(
			&self->block, here + first, with + first, size);
		size = size < APSP_PAIR_BLOCK ? size : APSP_PAIR_BLOCK;
		block_skip(self, from, first, size);
		apsp_pair_block_compare(
			&self->block, &self->options.rule, &sums);
		for (int change = 0; change < APSP_N_PAIR_CHANGES; change++)
			self->n[change] += self->block.n[change];
		block_list(self, from, first);
		block_group(self, from, first, size);
	}
	self->sum_here += lanes_sum(sums.here);
	self->sum_with += lanes_sum(sums.with);
	self->difference += lanes_sum(sums.differences);
}

/* Read the row of the next vertex on one of the sides. Compare the rows of the
   present key when they are complete. */
static int row_step(struct apsp_table_comparison *self, struct apsp_err *err)
{
	const double *row;
	int r;

	if (!self->started) {
		apsp_keyed_rows_start(&self->here, self->row);
		apsp_keyed_rows_start(&self->with, self->row);
		self->started = true;
	}
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
	self->started = false;
	return 0;
}

/* List the pairs of groups that change most. */
static void groups_list(struct apsp_table_comparison *self)
{
	uint32_t n = self->options.group_of ? self->options.n_groups : 0;

	for (uint32_t from = 0; from < n; from++)
		for (uint32_t to = 0; to < n; to++) {
			const struct apsp_group_change *group =
				&self->groups[(size_t)from * n + to];
			double pairs = (double)apsp_pair_change_pairs(group->n);
			double mean = group->difference /
				      (double)apsp_pair_change_both(group->n);
			const double scores[APSP_N_PAIR_CHANGES] = {
				[APSP_PAIR_LOST] =
					(double)group->n[APSP_PAIR_LOST] /
					pairs,
				[APSP_PAIR_GAINED] =
					(double)group->n[APSP_PAIR_GAINED] /
					pairs,
				[APSP_PAIR_LONGER] = mean,
				[APSP_PAIR_SHORTER] = -mean,
			};

			for (int i = 0; i < N_LISTED; i++) {
				struct apsp_top_pair pair = {
					.score = scores[listed[i]],
					.from = from,
					.to = to};

				/* a score of no pair is NaN */
				if (pair.score > 0)
					apsp_top_pairs_add(
						&self->top_groups[listed[i]],
						&pair);
			}
		}
}

static int distance_refine(struct apsp_keyed_rows *side, uint32_t from,
	uint32_t to, double *distance, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	int r = 0;

	if (*distance == INFINITY)
		return 0;
	r = apsp_lookup_path(side->tables, side->members[from],
		side->members[to], &path, err);
	if (r == 0)
		*distance = path.distance;
	return r;
}

/* Replace the distances of some listed pairs by exact sums. Returns 1 if pairs
   are left. */
static int pairs_refine(
	struct apsp_table_comparison *self, struct apsp_err *err)
{
	enum apsp_pair_change change = listed[self->refined];
	struct apsp_top_pairs *top = &self->top[change];
	bool exact = self->here.single && self->with.single;
	int r = 0;

	if (self->next == 0) {
		apsp_top_pairs_sort(top);
		apsp_top_pairs_sort(&self->top_groups[change]);
	}
	for (int i = 0; exact && i < STEP_PATHS && self->next < top->n; i++) {
		struct apsp_top_pair *pair = &top->pairs[self->next++];

		r = distance_refine(
			&self->here, pair->from, pair->to, &pair->here, err);
		if (r == 0)
			r = distance_refine(&self->with, pair->from, pair->to,
				&pair->with, err);
		if (r < 0)
			return r;
		pair->score = score_of(change, pair->here, pair->with);
	}
	if (exact && self->next < top->n)
		return 1;
	apsp_top_pairs_sort(top);
	self->next = 0;
	return ++self->refined < N_LISTED;
}

int apsp_table_comparison_step(
	struct apsp_table_comparison *self, struct apsp_err *err)
{
	/* cells that one call of row_step() reads */
	uint64_t row_cells = self->here.tables->header.n_vertices +
			     self->with.tables->header.n_vertices;
	uint64_t cells = 0;
	int r = 0;

	if (self->row == self->options.n_keys)
		return pairs_refine(self, err);
	while (r == 0 && self->row < self->options.n_keys &&
		cells < STEP_CELLS) {
		r = row_step(self, err);
		cells += row_cells / 2 * self->cell_cost + 64;
	}
	if (r == 0)
		r = apsp_tables_trust(self->here.tables, err);
	if (r == 0)
		r = apsp_tables_trust(self->with.tables, err);
	if (r < 0)
		return r;
	if (self->row == self->options.n_keys)
		groups_list(self);
	return 1;
}
