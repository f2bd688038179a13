/*
 * Compares the distances of two tables, pair by pair: here and with, for
 * example of a lesion and of the whole graph, or of the left and the right side
 * of a brain. The pairs are those of two keys (keyed_rows.h), which both tables
 * have.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_COMPARISON_H
#define APSP_STORAGE_TABLES_TABLE_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/difference_bins.h"
#include "storage/tables/keyed_rows.h"
#include "storage/tables/pair_block.h"
#include "storage/tables/tables.h"
#include "storage/tables/top_pairs.h"

/* The pairs of a group of sources and a group of targets. */
struct apsp_group_change {
	uint64_t n[APSP_N_PAIR_CHANGES]; /* number of pairs by change */
	/* the sum of here - with over longer and shorter pairs */
	double difference;
};

struct apsp_comparison_options {
	uint32_t n_keys;
	const uint32_t *key_of_here; /* the key of each vertex, or APSP_NO_KEY;
					borrowed */
	const uint32_t *key_of_with;
	/* Keys of which all vertices are left out by the rule of one of the
	   tables, as bits. The pairs of these keys are counted separately, in
	   `left_out`. NULL: there are none. Borrowed. */
	const uint64_t *left_out;
	/* The group of each key, or APSP_NO_KEY. NULL: there are no groups.
	   Borrowed. */
	const uint32_t *group_of;
	uint32_t n_groups;
	struct apsp_pair_rule rule;
	uint32_t top; /* how many pairs, and pairs of groups, are kept of each
			 change; at least 1 */
};

struct apsp_table_comparison {
	struct apsp_comparison_options options;
	struct apsp_keyed_rows here, with;

	/* Results, which are complete when the steps have ended. Pairs with a
	   left-out end count in left_out only. */
	uint64_t n[APSP_N_PAIR_CHANGES];
	uint64_t left_out[APSP_N_PAIR_CHANGES];
	/*
	 * Sums over the pairs that have a path on both sides. The sum of a row
	 * is added in eight lanes (pair_block.h), which are then added in
	 * order; the sums of rows are added in order. `difference` is the sum
	 * of here - with over longer and shorter pairs.
	 */
	double sum_here, sum_with, difference;
	struct apsp_difference_bins bins; /* of longer and shorter pairs */
	/* The lost pairs that were nearest in `with`, the gained pairs that are
	   nearest here, and the pairs with the largest differences. If each key
	   is one vertex on either side, the distances of these pairs are exact
	   sums, as in apsp_lookup_path(). */
	struct apsp_top_pairs top[APSP_N_PAIR_CHANGES];
	/* n_groups × n_groups; owned */
	struct apsp_group_change *groups;
	/* The pairs of groups of which the largest share is lost or gained, and
	   those with the largest mean differences. */
	struct apsp_top_pairs top_groups[APSP_N_PAIR_CHANGES];

	/* private */
	struct apsp_pair_block block;
	uint32_t row;		/* the key whose row is compared next */
	const double *row_here; /* the row of the present key; NULL: not read
				   yet */
	uint64_t cell_cost;	/* time to read a cell; 1 if it is stored */
	bool started;		/* reading of the present row has started */
	int refined;   /* the changes below this one have exact distances */
	uint32_t next; /* the next pair that gets its exact distance */
};

/* Return an upper bound of the bytes of a comparison of n_keys keys, without
   the arrays in its options. */
uint64_t apsp_table_comparison_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options);

/*
 * Begin to compare. If both tables store sums in the same element, the stored
 * distances are compared, as in `matrices/distance`. Otherwise exact sums are
 * compared, because a rounded sum is seldom equal to an exact one. `here`,
 * `with` and the arrays in `options` are borrowed. The caller ends *out with
 * apsp_table_comparison_done(), also after a failure. APSP_ENOMEM.
 */
int apsp_table_comparison_begin(struct apsp_tables *here,
	struct apsp_tables *with, const struct apsp_comparison_options *options,
	struct apsp_table_comparison *out, struct apsp_err *err);
void apsp_table_comparison_done(struct apsp_table_comparison *self);

/*
 * Compare further pairs for a few milliseconds: about 524,288 of stored
 * distances, or 16,384 of exact sums. Returns 1 if work is left, or 0 if the
 * results are complete. APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_table_comparison_step(
	struct apsp_table_comparison *self, struct apsp_err *err);

/* Return the number of pairs that have a path on both sides. */
static inline uint64_t apsp_pair_change_both(
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	return n[APSP_PAIR_EQUAL] + n[APSP_PAIR_LONGER] + n[APSP_PAIR_SHORTER];
}

/* Return the number of all pairs. */
static inline uint64_t apsp_pair_change_pairs(
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	return n[APSP_PAIR_NOWHERE] + n[APSP_PAIR_GAINED] + n[APSP_PAIR_LOST] +
	       apsp_pair_change_both(n);
}

#endif
