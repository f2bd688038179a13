/* The changes between two tables; see changes.h. */
#include "storage/tables/changes.h"

#include <stdlib.h>
#include <string.h>

uint64_t apsp_changes_bytes(uint32_t n_groups, uint32_t top)
{
	return (uint64_t)n_groups * n_groups *
		       sizeof(struct apsp_group_change) +
	       APSP_N_LISTED_CHANGES * apsp_top_pairs_bytes(top);
}

int apsp_changes_begin(struct apsp_changes *out, uint32_t n_groups,
	uint32_t top, struct apsp_err *err)
{
	int r = 0;

	memset(out, 0, sizeof(*out));
	out->n_groups = n_groups;
	for (int i = 0; i < APSP_N_PAIR_CHANGES && r == 0; i++)
		if (apsp_pair_change_is_listed((enum apsp_pair_change)i))
			r = apsp_top_pairs_begin(&out->top[i], top, err);
	if (r < 0)
		return r;
	out->groups =
		calloc((size_t)n_groups * n_groups + 1, sizeof(*out->groups));
	return out->groups ? 0 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

void apsp_changes_done(struct apsp_changes *self)
{
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		apsp_top_pairs_done(&self->top[i]);
	free(self->groups);
	memset(self, 0, sizeof(*self));
}

static void numbers_add(uint64_t n[APSP_N_PAIR_CHANGES],
	const uint64_t other[APSP_N_PAIR_CHANGES])
{
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		n[i] += other[i];
}

void apsp_changes_join(struct apsp_changes *self, struct apsp_changes *other)
{
	numbers_add(self->n, other->n);
	numbers_add(self->left_out, other->left_out);
	self->sum_here += other->sum_here;
	self->sum_with += other->sum_with;
	self->difference += other->difference;
	apsp_difference_bins_join(&self->bins, &other->bins);
	for (int i = 0; i < APSP_N_PAIR_CHANGES; i++)
		apsp_top_pairs_join(&self->top[i], &other->top[i]);
	for (size_t k = 0; k < (size_t)self->n_groups * self->n_groups; k++) {
		numbers_add(self->groups[k].n, other->groups[k].n);
		self->groups[k].difference += other->groups[k].difference;
	}
}
