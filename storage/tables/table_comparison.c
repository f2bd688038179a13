/* Compares two tables; see table_comparison.h. */
#include "storage/tables/table_comparison.h"

#include <math.h>
#include <string.h>

#include "storage/tables/lookup.h"
#include "storage/tables/pair_width.h"

enum {
	STEP_PATHS = 256, /* paths that one step looks up */
};

uint64_t apsp_table_comparison_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options)
{
	return APSP_COMPARISON_PARTS *
		       apsp_comparison_part_bytes(here, with, options) +
	       APSP_N_LISTED_CHANGES * apsp_top_pairs_bytes(options->top);
}

/* Find out whether all distances or widths are whole numbers. */
static int whole_find(
	struct apsp_tables *tables, bool *out, struct apsp_err *err)
{
	struct apsp_width_facts widths;
	int r;

	*out = tables->header.distance_kind != APSP_DISTANCE_SUM;
	if (!apsp_table_has_widths(&tables->header))
		return 0;
	r = apsp_pair_width_facts(tables, &widths, err);
	*out = widths.whole;
	return r;
}

/* Return the key at which the second part begins. Both parts then have about
   the same number of rows. */
static uint32_t middle_key(const struct apsp_comparison_part *part)
{
	uint32_t n = part->options->n_keys, key = 0;
	uint64_t rows = part->here.begin[n] + part->with.begin[n];

	while (key < n &&
		part->here.begin[key] + part->with.begin[key] < rows / 2)
		key++;
	return key;
}

int apsp_table_comparison_begin(struct apsp_tables *here,
	struct apsp_tables *with, const struct apsp_comparison_options *options,
	struct apsp_table_comparison *out, struct apsp_err *err)
{
	bool whole_here = false, whole_with = false;
	int r;

	memset(out, 0, sizeof(*out));
	out->options = *options;
	out->found = &out->parts[0].found;
	r = whole_find(here, &whole_here, err);
	if (r == 0)
		r = whole_find(with, &whole_with, err);
	for (int i = 0; i < APSP_COMPARISON_PARTS && r == 0; i++)
		r = apsp_comparison_part_begin(here, with, &out->options,
			whole_here && whole_with, &out->parts[i], err);
	for (int i = 0; i < APSP_N_PAIR_CHANGES && r == 0; i++)
		if (options->group_of &&
			apsp_pair_change_is_listed((enum apsp_pair_change)i))
			r = apsp_top_pairs_begin(
				&out->top_groups[i], options->top, err);
	if (r == 0)
		out->parts[0].end = out->parts[1].row =
			middle_key(&out->parts[0]);
	return r;
}

void apsp_table_comparison_done(struct apsp_table_comparison *self)
{
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		apsp_top_pairs_done(&self->top_groups[i]);
	for (int i = 0; i < APSP_COMPARISON_PARTS; i++)
		apsp_comparison_part_done(&self->parts[i]);
	memset(self, 0, sizeof(*self));
}

/* List the pairs of groups that change most. */
static void groups_list(struct apsp_table_comparison *self)
{
	uint32_t n = self->options.group_of ? self->options.n_groups : 0;

	for (uint32_t from = 0; from < n; from++)
		for (uint32_t to = 0; to < n; to++) {
			const struct apsp_group_change *group =
				&self->found->groups[(size_t)from * n + to];
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

			for (int i = 0; i < APSP_N_PAIR_CHANGES; i++) {
				struct apsp_top_pair pair = {.score = scores[i],
					.from = from,
					.to = to};

				/* Skip scores of 0 or less. Also skip NaN: if
				   two groups have no pairs, a score is 0 / 0.
				 */
				if (pair.score > 0)
					apsp_top_pairs_add(
						&self->top_groups[i], &pair);
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
   are left to replace, otherwise 0. */
static int pairs_refine(struct apsp_table_comparison *self,
	enum apsp_pair_change change, struct apsp_err *err)
{
	struct apsp_keyed_rows *here = &self->parts[0].here;
	struct apsp_keyed_rows *with = &self->parts[0].with;
	struct apsp_top_pairs *top = &self->found->top[change];
	bool inexact = here->single && with->single && !here->widths;
	int r = 0;

	for (int i = 0; inexact && i < STEP_PATHS && self->next < top->n; i++) {
		struct apsp_top_pair *pair = &top->pairs[self->next++];

		r = distance_refine(
			here, pair->from, pair->to, &pair->here, err);
		if (r == 0)
			r = distance_refine(
				with, pair->from, pair->to, &pair->with, err);
		if (r < 0)
			return r;
		pair->score = apsp_pair_score(
			&self->options.rule, change, pair->here, pair->with);
	}
	return inexact && self->next < top->n;
}

static void parts_join(struct apsp_table_comparison *self)
{
	for (int i = 1; i < APSP_COMPARISON_PARTS; i++)
		apsp_comparison_part_join(&self->parts[0], &self->parts[i]);
	groups_list(self);
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++) {
		apsp_top_pairs_sort(&self->found->top[i]);
		apsp_top_pairs_sort(&self->top_groups[i]);
	}
	self->joined = true;
}

int apsp_table_comparison_finish(
	struct apsp_table_comparison *self, struct apsp_err *err)
{
	enum apsp_pair_change change = (enum apsp_pair_change)self->refined;
	int r;

	if (!self->joined)
		parts_join(self);
	r = pairs_refine(self, change, err);
	if (r != 0)
		return r;
	apsp_top_pairs_sort(&self->found->top[change]);
	self->next = 0;
	return ++self->refined < APSP_N_PAIR_CHANGES;
}
