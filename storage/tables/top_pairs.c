/*
 * Keeps the pairs with the highest scores; see top_pairs.h. The array has space
 * for twice as many pairs as are kept. When the array is full, the pairs are
 * sorted, and the worse half is removed.
 */
#include "storage/tables/top_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int apsp_top_pairs_begin(
	struct apsp_top_pairs *out, uint32_t limit, struct apsp_err *err)
{
	*out = (struct apsp_top_pairs){
		.pairs = calloc(2 * (size_t)limit, sizeof(*out->pairs)),
		.limit = limit,
		.bar = -INFINITY,
	};
	return out->pairs ? 0 : apsp_fail(err, APSP_ENOMEM, "no memory");
}

void apsp_top_pairs_done(struct apsp_top_pairs *self)
{
	free(self->pairs);
	memset(self, 0, sizeof(*self));
}

static int compare(const void *a, const void *b)
{
	const struct apsp_top_pair *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

void apsp_top_pairs_sort(struct apsp_top_pairs *self)
{
	if (self->n == 0)
		return;
	qsort(self->pairs, self->n, sizeof(*self->pairs), compare);
	if (self->n < self->limit)
		return;
	self->n = self->limit;
	/* From now on, a pair is added only if its score is higher than that
	   of the worst kept pair. A later pair with an equal score is not
	   needed: it comes after the kept pairs in the order of (from, to). */
	self->bar = self->pairs[self->limit - 1].score;
}

void apsp_top_pairs_add(
	struct apsp_top_pairs *self, const struct apsp_top_pair *pair)
{
	if (!(pair->score > self->bar))
		return;
	self->pairs[self->n++] = *pair;
	if (self->n == 2 * self->limit)
		apsp_top_pairs_sort(self);
}

void apsp_top_pairs_join(
	struct apsp_top_pairs *self, struct apsp_top_pairs *other)
{
	apsp_top_pairs_sort(other);
	/* `other` is sorted by score, and by (from, to) among equal scores. So
	   pairs of equal scores are added in ascending order of (from, to), as
	   apsp_top_pairs_add() requires. */
	for (uint32_t i = 0; i < other->n; i++)
		apsp_top_pairs_add(self, &other->pairs[i]);
}
