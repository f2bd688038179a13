/*
 * Merges all arcs of each pair of vertices: adds their weights, or keeps one of
 * the weights. A sum is exact and is rounded once, when it is read, so it does
 * not depend on the order of the arcs. The pairs are in the order of their
 * first arcs.
 *
 * A sum is stored as two doubles, high + low, as long as two doubles can hold
 * it exactly. This is possible for counts and for most real weights. Otherwise
 * the sum is stored as a fixed-point number of 544 bytes (exact_sum.h). The
 * member `share` counts the memory of all sums.
 */
#ifndef APSP_STORAGE_INGEST_PAIR_SUMS_H
#define APSP_STORAGE_INGEST_PAIR_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "daemon/base/exact_sum.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/profile.h"

struct apsp_pair_sum {
	uint32_t from, to;
	double high; /* the pair's sum is high + low. NAN: the sum is element
			number `long_sum` of the array long_sums */
	union {
		double low;
		uint64_t long_sum;
	};
};

struct apsp_pair_sums {
	struct apsp_share *share; /* borrowed; may be NULL */
	/* how the weights of a pair are merged; APSP_DUPLICATES_ERROR has the
	   same effect as APSP_DUPLICATES_SUM */
	enum apsp_duplicates duplicates;
	size_t n; /* number of pairs */

	/* The following members are private to pair_sums.c. */
	struct apsp_pair_sum *pairs; /* in order of their first arcs; owned */
	size_t capacity;
	uint32_t *slots; /* a hash table; each slot has 1 + the index of a pair,
			    or 0 if it is free; owned */
	size_t n_slots;
	uint64_t factor; /* factor of the hash function; random */
	struct apsp_signed_sum *long_sums; /* owned */
	size_t n_long_sums, long_capacity;
};

/* Make an empty set of pairs. No memory is allocated yet. The caller ends *out
   with apsp_pair_sums_done(). */
void apsp_pair_sums_init(struct apsp_pair_sums *out,
	enum apsp_duplicates duplicates, struct apsp_share *share);
void apsp_pair_sums_done(struct apsp_pair_sums *sums);

/*
 * Add an arc, whose weight is finite. Fails as apsp_array_reserve() does.
 * APSP_ETOOLARGE: there are 2^32 - 2 pairs already.
 */
int apsp_pair_sums_add(struct apsp_pair_sums *sums, const struct apsp_arc *arc,
	struct apsp_err *err);

/* Find a pair. Returns the index of the pair, or SIZE_MAX if the pair has no
   arc. */
size_t apsp_pair_sums_find(
	const struct apsp_pair_sums *sums, uint32_t from, uint32_t to);

/* Return the arc of pair i. Its weight is the pair's sum, or infinity if the
   sum is above the largest double. */
struct apsp_arc apsp_pair_sums_get(const struct apsp_pair_sums *sums, size_t i);

#endif
