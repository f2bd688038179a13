/* All pairs that differ between two tables; see changed_pairs.h. */
#include "storage/tables/changed_pairs.h"

#include <stdlib.h>
#include <string.h>

uint64_t apsp_changed_pairs_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options)
{
	struct apsp_comparison_options own = *options;

	own.group_of = NULL;
	own.top = 1;
	return apsp_comparison_part_bytes(here, with, &own) +
	       apsp_keyed_rows_bytes(here, own.n_keys) +
	       apsp_keyed_rows_bytes(with, own.n_keys) +
	       (uint64_t)own.n_keys * sizeof(struct apsp_changed_pair);
}

int apsp_changed_pairs_begin(struct apsp_tables *here, struct apsp_tables *with,
	const struct apsp_comparison_options *options,
	struct apsp_changed_pairs *out, struct apsp_err *err)
{
	const struct apsp_comparison_part *part = &out->part;
	uint32_t n = options->n_keys;
	int r;

	memset(out, 0, sizeof(*out));
	out->options = *options;
	out->options.group_of = NULL;
	out->options.top = 1;
	out->row.pairs = calloc((size_t)n + 1, sizeof(*out->row.pairs));
	if (!out->row.pairs)
		return apsp_fail(err, APSP_ENOMEM, "no memory for pairs");
	r = apsp_comparison_part_begin(
		here, with, &out->options, false, &out->part, err);
	if (r < 0)
		return r;
	out->part.changed = &out->row;
	out->refines = part->rounded && part->here.single &&
		       part->with.single && !part->here.widths;
	if (!out->refines)
		return 0;
	r = apsp_keyed_rows_begin(
		here, options->key_of_here, n, false, &out->exact_here, err);
	return r < 0 ? r
		     : apsp_keyed_rows_begin(with, options->key_of_with, n,
			       false, &out->exact_with, err);
}

void apsp_changed_pairs_done(struct apsp_changed_pairs *self)
{
	apsp_comparison_part_done(&self->part);
	apsp_keyed_rows_done(&self->exact_here);
	apsp_keyed_rows_done(&self->exact_with);
	free(self->row.pairs);
	memset(self, 0, sizeof(*self));
}

/* Replace the distances of the row by exact sums. */
static int row_refine(struct apsp_changed_pairs *self, struct apsp_err *err)
{
	uint32_t from = self->row.pairs[0].from;
	const double *here, *with;
	int r;

	r = apsp_keyed_rows_step(&self->exact_here, from, &here, err);
	if (r == 0)
		r = apsp_keyed_rows_step(&self->exact_with, from, &with, err);
	for (uint32_t i = 0; r == 0 && i < self->row.n; i++) {
		struct apsp_changed_pair *pair = &self->row.pairs[i];

		pair->here = here[pair->to];
		pair->with = with[pair->to];
	}
	if (r == 0)
		r = apsp_tables_trust(self->exact_here.tables, err);
	return r < 0 ? r : apsp_tables_trust(self->exact_with.tables, err);
}

int apsp_changed_pairs_next(struct apsp_changed_pairs *self,
	struct apsp_changed_pair *out, struct apsp_err *err)
{
	int r;

	if (self->next == self->row.n) {
		self->next = self->row.n = 0;
		r = apsp_comparison_part_step(&self->part, err);
		if (r >= 0 && self->row.n == 0)
			return r == 0 ? 0 : 2;
		if (r >= 0 && self->refines)
			r = row_refine(self, err);
		if (r < 0)
			return r;
	}
	*out = self->row.pairs[self->next++];
	return 1;
}
