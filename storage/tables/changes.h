/*
 * The changes between two tables: numbers of pairs by their change, sums, a
 * histogram, groups, and the pairs that changed most.
 */
#ifndef APSP_STORAGE_TABLES_CHANGES_H
#define APSP_STORAGE_TABLES_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/difference_bins.h"
#include "storage/tables/pair_block.h"
#include "storage/tables/top_pairs.h"

/* The changes of the pairs from one group of keys to another group. */
struct apsp_group_change {
	uint64_t n[APSP_N_PAIR_CHANGES]; /* n[c]: number of pairs with the
					    change c */
	/* sum over the longer and the shorter pairs (pair_block.h) of the
	   distance in `here` minus the distance in `with` */
	double difference;
};

struct apsp_changes {
	/* n[c] is the number of pairs with the change c. A pair with a left-out
	   key (struct apsp_comparison_options) counts in left_out[c]
	   instead. */
	uint64_t n[APSP_N_PAIR_CHANGES];
	uint64_t left_out[APSP_N_PAIR_CHANGES];
	/*
	 * Sums over the pairs that have a path in both tables. Each row is
	 * summed in eight lanes (pair_block.h). The sums of the lanes are added
	 * in order, and then the sums of the rows are added in order.
	 * `difference` is the sum of the differences (distance in `here` minus
	 * distance in `with`) of longer and shorter pairs.
	 */
	double sum_here, sum_with, difference;
	/* histogram of the differences (distance in `here` minus distance in
	   `with`) of longer and shorter pairs */
	struct apsp_difference_bins bins;
	/* The pairs that changed most, for each change that is listed. */
	struct apsp_top_pairs top[APSP_N_PAIR_CHANGES];
	/* for each pair of groups, its changes: n_groups × n_groups elements;
	   owned */
	struct apsp_group_change *groups;
	uint32_t n_groups; /* 0: there are no groups */
};

enum {
	APSP_N_LISTED_CHANGES = 4, /* number of changes for which
				      apsp_pair_change_is_listed() is true */
};

/* Whether an answer lists the pairs with this change. */
static inline bool apsp_pair_change_is_listed(enum apsp_pair_change change)
{
	return change != APSP_PAIR_NOWHERE && change != APSP_PAIR_EQUAL;
}

/* Return an upper bound of the bytes of memory that changes take. */
uint64_t apsp_changes_bytes(uint32_t n_groups, uint32_t top);

/* Begin with no pairs. At most `top` pairs of each change are listed. The
   caller ends *out with apsp_changes_done(), also after a failure.
   APSP_ENOMEM. */
int apsp_changes_begin(struct apsp_changes *out, uint32_t n_groups,
	uint32_t top, struct apsp_err *err);
void apsp_changes_done(struct apsp_changes *self);

/* Add the changes in `other` to `self`. All pairs of `other` come after the
   pairs of `self` in the order of the table, and both have the same groups.
   Afterwards, `other` must only be passed to apsp_changes_done(). */
void apsp_changes_join(struct apsp_changes *self, struct apsp_changes *other);

/* Return the number of pairs that have a path in both tables. */
static inline uint64_t apsp_pair_change_both(
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	return n[APSP_PAIR_EQUAL] + n[APSP_PAIR_LONGER] + n[APSP_PAIR_SHORTER];
}

/* Return the number of all pairs: changed pairs, equal pairs, and pairs without
   a path. */
static inline uint64_t apsp_pair_change_pairs(
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	return n[APSP_PAIR_NOWHERE] + n[APSP_PAIR_GAINED] + n[APSP_PAIR_LOST] +
	       apsp_pair_change_both(n);
}

#endif
