/*
 * Counts arcs; see arc_counts.h. Pairs of a tail and a head are kept in a hash
 * table with linear probing. The hash function multiplies by a random factor.
 * If clients knew the factor, they could choose pairs that collide, and an
 * upload would take quadratic time.
 */
#include "storage/ingest/arc_counts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/job/arc_facts.h"
#include "daemon/base/array.h"

enum {
	FIRST_SLOTS = 1 << 10,
	SLOTS_MAX = 1 << 19, /* 8 MiB */
	FIRST_DEGREES = 1 << 10,
};

void apsp_arc_counts_init(
	struct apsp_arc_counts *counts, struct apsp_share *share)
{
	*counts = (struct apsp_arc_counts){.share = share};
	if (getrandom(&counts->factor, sizeof(counts->factor), GRND_NONBLOCK) !=
		sizeof(counts->factor))
		counts->factor =
			(uint64_t)(uintptr_t)counts * 0x9e3779b97f4a7c15;
	counts->factor |= 1;
}

static void pairs_give_up(struct apsp_arc_counts *counts)
{
	free(counts->pairs);
	apsp_share_shrink(
		counts->share, counts->n_slots * sizeof(*counts->pairs));
	counts->pairs = NULL;
	counts->n_slots = counts->n_pairs = 0;
	counts->pairs_given_up = true;
}

static void degrees_give_up(struct apsp_arc_counts *counts)
{
	free(counts->degrees);
	apsp_share_shrink(
		counts->share, counts->n_degrees * sizeof(*counts->degrees));
	counts->degrees = NULL;
	counts->n_degrees = 0;
	counts->degrees_given_up = true;
}

/* Return the slot that has this key. If no slot has it, return the free slot in
   which the key belongs. */
static struct apsp_pair_slot *slot_of(
	const struct apsp_arc_counts *counts, uint64_t key)
{
	uint64_t hash = key * counts->factor, i;

	hash ^= hash >> 32;
	hash *= counts->factor;
	i = (hash >> 32) & (counts->n_slots - 1);
	while (counts->pairs[i].key && counts->pairs[i].key != key)
		i = (i + 1) & (counts->n_slots - 1);
	return &counts->pairs[i];
}

/* Double the number of slots. Returns false if there are SLOTS_MAX slots
   already, or if there is no memory for more. */
static bool pairs_grow(struct apsp_arc_counts *counts)
{
	struct apsp_arc_counts bigger = *counts;
	struct apsp_err ignored;

	bigger.n_slots = counts->n_slots ? counts->n_slots * 2 : FIRST_SLOTS;
	if (bigger.n_slots > SLOTS_MAX ||
		apsp_share_grow(counts->share,
			bigger.n_slots * sizeof(*bigger.pairs), "its pairs",
			&ignored) < 0)
		return false;
	bigger.pairs = calloc(bigger.n_slots, sizeof(*bigger.pairs));
	if (!bigger.pairs) {
		apsp_share_shrink(
			counts->share, bigger.n_slots * sizeof(*bigger.pairs));
		return false;
	}
	for (uint64_t i = 0; i < counts->n_slots; i++)
		if (counts->pairs[i].key)
			*slot_of(&bigger, counts->pairs[i].key) =
				counts->pairs[i];
	free(counts->pairs);
	apsp_share_shrink(
		counts->share, counts->n_slots * sizeof(*counts->pairs));
	*counts = bigger;
	return true;
}

static void degrees_add(
	struct apsp_arc_counts *counts, uint32_t tail, uint32_t head)
{
	const size_t before = counts->n_degrees;
	size_t last = tail > head ? tail : head;
	struct apsp_err ignored;

	if (counts->degrees_given_up)
		return;
	/* Degrees are needed only to estimate the tables of the graph. Drop
	   them if the graph has too many vertices for tables. */
	if (last >= APSP_TABLE_VERTICES_MAX) {
		degrees_give_up(counts);
		return;
	}
	if (last >= before) {
		if (apsp_array_reserve(&counts->degrees, last + 1,
			    &counts->n_degrees,
			    &(struct apsp_array_growth){
				    sizeof(*counts->degrees), FIRST_DEGREES,
				    "its degrees", counts->share},
			    &ignored) < 0) {
			degrees_give_up(counts);
			return;
		}
		memset(counts->degrees + before, 0,
			(counts->n_degrees - before) *
				sizeof(*counts->degrees));
	}
	/* the out-degree d grows by 1, so its square grows by (d + 1)² - d² =
	   2d + 1 */
	counts->squares += 2 * (uint64_t)counts->degrees[tail].out + 1;
	counts->degrees[tail].out++;
	if (++counts->degrees[head].in > counts->max_in)
		counts->max_in = counts->degrees[head].in;
	counts->n_arcs++;
}

bool apsp_arc_counts_add(struct apsp_arc_counts *counts,
	const struct apsp_arc *arc, double *out_sum)
{
	/* add 1, so that no pair has the key 0, which marks a free slot */
	const uint64_t key = ((uint64_t)arc->from << 32 | arc->to) + 1;
	struct apsp_pair_slot *slot;

	if (arc->from != arc->to)
		degrees_add(counts, arc->from, arc->to);
	*out_sum = arc->weight;
	if (counts->pairs_given_up)
		return false;
	if (counts->n_pairs >= counts->n_slots / 4 * 3 && !pairs_grow(counts)) {
		pairs_give_up(counts);
		return false;
	}
	slot = slot_of(counts, key);
	if (slot->key) {
		*out_sum = slot->sum += arc->weight;
		return true;
	}
	*slot = (struct apsp_pair_slot){key, arc->weight};
	counts->n_pairs++;
	return false;
}

unsigned int apsp_arc_counts_facts(
	const struct apsp_arc_counts *counts, uint32_t n_vertices)
{
	if (counts->degrees_given_up)
		return 0;
	return apsp_arc_facts_of_degrees(
		       n_vertices, counts->n_arcs, (double)counts->squares) |
	       apsp_arc_facts_of_in_degree(counts->max_in);
}

void apsp_arc_counts_done(struct apsp_arc_counts *counts)
{
	pairs_give_up(counts);
	degrees_give_up(counts);
}
