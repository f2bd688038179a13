/*
 * Pairs in a hash table with linear probing; see pair_set.h. The factor of the
 * hash is random: chosen collisions would make an upload quadratic.
 */
#include "storage/ingest/pair_set.h"

#include <stdlib.h>
#include <sys/random.h>

enum {
	FIRST_SLOTS = 1 << 10,
	SLOTS_MAX = 1 << 19, /* 8 MiB */
};

void apsp_pair_set_init(struct apsp_pair_set *set, struct apsp_share *share)
{
	*set = (struct apsp_pair_set){.share = share};
	if (getrandom(&set->factor, sizeof(set->factor), GRND_NONBLOCK) !=
		sizeof(set->factor))
		set->factor = (uint64_t)(uintptr_t)set * 0x9e3779b97f4a7c15;
	set->factor |= 1;
}

/* The slot of a key, or the free slot where it belongs. */
static struct apsp_pair *slot_of(const struct apsp_pair_set *set, uint64_t key)
{
	uint64_t hash = key * set->factor, i;

	hash ^= hash >> 32;
	hash *= set->factor;
	i = (hash >> 32) & (set->n_slots - 1);
	while (set->slots[i].key && set->slots[i].key != key)
		i = (i + 1) & (set->n_slots - 1);
	return &set->slots[i];
}

/* Double the number of slots. Returns false if memory is short. */
static bool grow(struct apsp_pair_set *set)
{
	struct apsp_pair_set bigger = *set;
	struct apsp_err ignored;

	bigger.n_slots = set->n_slots ? set->n_slots * 2 : FIRST_SLOTS;
	if (bigger.n_slots > SLOTS_MAX ||
		apsp_share_grow(set->share,
			bigger.n_slots * sizeof(*bigger.slots), "its pairs",
			&ignored) < 0)
		return false;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots) {
		apsp_share_shrink(
			set->share, bigger.n_slots * sizeof(*bigger.slots));
		return false;
	}
	for (uint64_t i = 0; i < set->n_slots; i++)
		if (set->slots[i].key)
			*slot_of(&bigger, set->slots[i].key) = set->slots[i];
	free(set->slots);
	apsp_share_shrink(set->share, set->n_slots * sizeof(*set->slots));
	*set = bigger;
	return true;
}

bool apsp_pair_set_add(
	struct apsp_pair_set *set, const struct apsp_arc *arc, double *out_sum)
{
	/* never 0, which marks a free slot */
	const uint64_t key = ((uint64_t)arc->from << 32 | arc->to) + 1;
	struct apsp_pair *slot;

	*out_sum = arc->weight;
	if (set->given_up)
		return false;
	if (set->n_used >= set->n_slots / 4 * 3 && !grow(set)) {
		apsp_pair_set_done(set);
		return false;
	}
	slot = slot_of(set, key);
	if (slot->key) {
		*out_sum = slot->sum += arc->weight;
		return true;
	}
	*slot = (struct apsp_pair){key, arc->weight};
	set->n_used++;
	return false;
}

void apsp_pair_set_done(struct apsp_pair_set *set)
{
	free(set->slots);
	apsp_share_shrink(set->share, set->n_slots * sizeof(*set->slots));
	set->slots = NULL;
	set->n_slots = set->n_used = 0;
	set->given_up = true;
}
