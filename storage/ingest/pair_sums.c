/*
 * Merges the arcs of each pair of vertices; see pair_sums.h. The pairs are in a
 * hash table, whose hash function multiplies by a random factor. If clients
 * knew the factor, they could choose pairs that collide.
 */
#include "storage/ingest/pair_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/array.h"

enum {
	FIRST_PAIRS = 256,
	FIRST_SLOTS = 512,
	FIRST_LONG_SUMS = 4,
};

void apsp_pair_sums_init(struct apsp_pair_sums *out,
	enum apsp_duplicates duplicates, struct apsp_share *share)
{
	*out = (struct apsp_pair_sums){
		.share = share, .duplicates = duplicates};
	if (getrandom(&out->factor, sizeof(out->factor), GRND_NONBLOCK) !=
		sizeof(out->factor))
		out->factor = (uint64_t)(uintptr_t)out * 0x9e3779b97f4a7c15;
	out->factor |= 1;
}

void apsp_pair_sums_done(struct apsp_pair_sums *sums)
{
	free(sums->pairs);
	free(sums->slots);
	free(sums->long_sums);
	apsp_share_shrink(sums->share,
		sums->capacity * sizeof(*sums->pairs) +
			sums->n_slots * sizeof(*sums->slots) +
			sums->long_capacity * sizeof(*sums->long_sums));
	memset(sums, 0, sizeof(*sums));
}

/* Return the slot of a pair, or the free slot in which the pair belongs. */
static uint32_t *slot_of(
	const struct apsp_pair_sums *sums, uint32_t from, uint32_t to)
{
	uint64_t hash = ((uint64_t)from << 32 | to) * sums->factor;
	size_t i;

	hash ^= hash >> 32;
	hash *= sums->factor;
	i = (size_t)(hash >> 32) & (sums->n_slots - 1);
	while (sums->slots[i]) {
		const struct apsp_pair_sum *pair =
			&sums->pairs[sums->slots[i] - 1];

		if (pair->from == from && pair->to == to)
			break;
		i = (i + 1) & (sums->n_slots - 1);
	}
	return &sums->slots[i];
}

static int slots_grow(struct apsp_pair_sums *sums, struct apsp_err *err)
{
	struct apsp_pair_sums bigger = *sums;
	int r;

	bigger.n_slots = sums->n_slots ? sums->n_slots * 2 : FIRST_SLOTS;
	r = apsp_share_grow(sums->share, bigger.n_slots * sizeof(*bigger.slots),
		"its sums", err);
	if (r < 0)
		return r;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots) {
		apsp_share_shrink(
			sums->share, bigger.n_slots * sizeof(*bigger.slots));
		return apsp_fail(err, APSP_ENOMEM, "no memory for sums");
	}
	for (size_t i = 0; i < sums->n; i++)
		*slot_of(&bigger, sums->pairs[i].from, sums->pairs[i].to) =
			(uint32_t)i + 1;
	free(sums->slots);
	apsp_share_shrink(sums->share, sums->n_slots * sizeof(*sums->slots));
	*sums = bigger;
	return 0;
}

/* Add `value` to a pair if two doubles cannot hold the new sum exactly. Move
   the pair's sum to a new long sum, and add `value` to the long sum. */
static int long_begin(struct apsp_pair_sums *sums, struct apsp_pair_sum *pair,
	double value, struct apsp_err *err)
{
	const struct apsp_array_growth growth = {sizeof(*sums->long_sums),
		FIRST_LONG_SUMS, "its sums", sums->share};
	struct apsp_signed_sum *sum;
	int r;

	r = apsp_array_reserve(&sums->long_sums, sums->n_long_sums + 1,
		&sums->long_capacity, &growth, err);
	if (r < 0)
		return r;
	sum = &sums->long_sums[sums->n_long_sums];
	memset(sum, 0, sizeof(*sum));
	apsp_signed_sum_add(sum, pair->high);
	apsp_signed_sum_add(sum, pair->low);
	apsp_signed_sum_add(sum, value);
	pair->high = (double)NAN;
	pair->long_sum = sums->n_long_sums++;
	return 0;
}

/* Merge another weight into a pair. */
static int value_add(struct apsp_pair_sums *sums, struct apsp_pair_sum *pair,
	double value, struct apsp_err *err)
{
	double high, low, rest;

	switch (sums->duplicates) {
	case APSP_DUPLICATES_MIN:
		pair->high = value < pair->high ? value : pair->high;
		return 0;
	case APSP_DUPLICATES_MAX:
		pair->high = value > pair->high ? value : pair->high;
		return 0;
	case APSP_DUPLICATES_LAST:
		pair->high = value;
		return 0;
	case APSP_DUPLICATES_SUM:
	case APSP_DUPLICATES_ERROR:
		break;
	}
	if (isnan(pair->high)) {
		apsp_signed_sum_add(&sums->long_sums[pair->long_sum], value);
		return 0;
	}
	apsp_two_sum(pair->high, value, &high, &low);
	apsp_two_sum(pair->low, low, &low, &rest);
	/* the first addition, and also this one, may round `high` up to
	   infinity; then the pair gets a long sum */
	apsp_two_sum(high, low, &high, &low);
	if (rest != 0 || !isfinite(high) || !isfinite(low))
		return long_begin(sums, pair, value, err);
	pair->high = high;
	pair->low = low;
	return 0;
}

int apsp_pair_sums_add(struct apsp_pair_sums *sums, const struct apsp_arc *arc,
	struct apsp_err *err)
{
	const struct apsp_array_growth growth = {
		sizeof(*sums->pairs), FIRST_PAIRS, "its sums", sums->share};
	uint32_t *slot;
	int r = 0;

	if (sums->n >= sums->n_slots / 4 * 3)
		r = slots_grow(sums, err);
	if (r < 0)
		return r;
	slot = slot_of(sums, arc->from, arc->to);
	if (*slot)
		return value_add(
			sums, &sums->pairs[*slot - 1], arc->weight, err);
	if (sums->n >= UINT32_MAX - 1)
		return apsp_fail(err, APSP_ETOOLARGE,
			"the arcs have more than %u pairs of values",
			UINT32_MAX - 1);
	r = apsp_array_reserve(
		&sums->pairs, sums->n + 1, &sums->capacity, &growth, err);
	if (r < 0)
		return r;
	sums->pairs[sums->n] = (struct apsp_pair_sum){
		.from = arc->from, .to = arc->to, .high = arc->weight};
	*slot = (uint32_t)++sums->n;
	return 0;
}

size_t apsp_pair_sums_find(
	const struct apsp_pair_sums *sums, uint32_t from, uint32_t to)
{
	uint32_t slot = sums->n > 0 ? *slot_of(sums, from, to) : 0;

	return slot > 0 ? slot - 1 : SIZE_MAX;
}

struct apsp_arc apsp_pair_sums_get(const struct apsp_pair_sums *sums, size_t i)
{
	const struct apsp_pair_sum *pair = &sums->pairs[i];
	struct apsp_arc arc = {pair->from, pair->to, pair->high};

	/* If `high` is NaN, the weight is the long sum. Otherwise `high` is
	   already the sum, rounded once, because apsp_two_sum() has normalised
	   high + low. */
	if (isnan(pair->high)) {
		arc.weight =
			apsp_signed_sum_value(&sums->long_sums[pair->long_sum]);
	}
	return arc;
}
