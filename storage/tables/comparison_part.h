/*
 * Compares some rows of two tables: a part of a comparison
 * (table_comparison.h). A row belongs to a key, which stands for one or several
 * vertices (keyed_rows.h). Threads may compare different parts at the same
 * time.
 */
#ifndef APSP_STORAGE_TABLES_COMPARISON_PART_H
#define APSP_STORAGE_TABLES_COMPARISON_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/difference_bins.h"
#include "storage/tables/keyed_rows.h"
#include "storage/tables/pair_block.h"
#include "storage/tables/tables.h"
#include "storage/tables/top_pairs.h"

struct apsp_comparison_options {
	uint32_t n_keys;
	/* the key of each vertex of the tables `here` and `with`, or
	   APSP_NO_KEY; a key stands for one or several vertices (keyed_rows.h);
	   borrowed */
	const uint32_t *key_of_here;
	const uint32_t *key_of_with;
	/* Bit k is 1 if the rule of one of the tables leaves out all vertices
	   of key k. Pairs with such a key are counted only in the member
	   left_out of struct apsp_changes. NULL: no key is left out. Borrowed.
	 */
	const uint64_t *left_out;
	/* The group to which each key belongs; APSP_NO_KEY: it belongs to no
	   group. NULL: there are no groups. Borrowed. */
	const uint32_t *group_of;
	uint32_t n_groups;
	struct apsp_pair_rule rule;
	/* for each kind of change (enum apsp_pair_change): the largest
	   number of pairs that are listed, and the largest number of pairs
	   of groups that are listed; at least 1 */
	uint32_t top;
};

/* What changed for the pairs from one group to another group, or from a group
   to itself. A group is a set of keys; a pair goes from a key of the first
   group to a key of the second group. */
struct apsp_group_change {
	uint64_t n[APSP_N_PAIR_CHANGES]; /* n[c]: number of pairs with the
					    change c */
	/* sum of the differences (distance in `here` minus distance in `with`)
	   of the pairs that are longer or shorter (pair_block.h) */
	double difference;
};

/* The results of a comparison: numbers of pairs by their change, sums, a
   histogram, groups, and the pairs that changed most. */
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
	/* histogram of the differences of all pairs whose distance became
	   longer or shorter; a difference is the distance in `here` minus the
	   distance in `with` */
	struct apsp_difference_bins bins;
	/* The pairs that changed most, for each change that is listed. */
	struct apsp_top_pairs top[APSP_N_PAIR_CHANGES];
	/* for each pair of groups, its changes: n_groups × n_groups elements;
	   owned */
	struct apsp_group_change *groups;
};

/* A pair that is lost, gained, longer or shorter. */
struct apsp_changed_pair {
	uint32_t from, to; /* keys */
	enum apsp_pair_change change;
	double here, with; /* INFINITY: no path */
};

/* The pairs of one row that changed, in the order of their targets. */
struct apsp_changed_row {
	struct apsp_changed_pair *pairs; /* n_keys elements */
	uint32_t n;
};

struct apsp_comparison_part {
	const struct apsp_comparison_options *options; /* borrowed */
	struct apsp_keyed_rows here, with;
	uint32_t row; /* the key whose row is compared next */
	uint32_t end; /* the first key that belongs to another part */
	/* The results. They are complete when row == end. The distances of
	   listed pairs may be rounded (`rounded`). */
	struct apsp_changes found;
	/* If this is not NULL, a step stores the changed pairs of a row here.
	   The step ends after the first row that has changed pairs. The caller
	   sets `n` to 0 before the next step. Borrowed. */
	struct apsp_changed_row *changed;
	bool rounded; /* the compared distances are rounded to the precision of
			 the tables */

	/* private */
	struct apsp_pair_block block;
	const double *row_here; /* the row of the present key; NULL: not read
				   yet */
	/* time to read a distance, in units of the time to read a stored one;
	   above 1 if either table adds up its distances when they are read */
	uint64_t cell_cost;
};

/* Return an upper bound of the bytes that a part takes. */
uint64_t apsp_comparison_part_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options);

/* Begin a part with all keys; the caller may change `row` and `end` before the
   first step. `whole` says whether all differences are whole numbers. The other
   arguments are borrowed. The caller ends *out with
   apsp_comparison_part_done(), also after a failure. APSP_ENOMEM. */
int apsp_comparison_part_begin(struct apsp_tables *here,
	struct apsp_tables *with, const struct apsp_comparison_options *options,
	bool whole, struct apsp_comparison_part *out, struct apsp_err *err);
void apsp_comparison_part_done(struct apsp_comparison_part *self);

/* Compare further pairs for a few milliseconds. A step reads about 524,288
   stored values or 16,384 exact sums; each pair needs two of them. Returns 1 if
   pairs are left, otherwise 0. APSP_EDAMAGED: a table is damaged. APSP_ENOMEM.
 */
int apsp_comparison_part_step(
	struct apsp_comparison_part *self, struct apsp_err *err);

/* Add the results of `other` to the results of `self`. Both parts must be
   complete, and the keys of `other` must follow the keys of `self`. Afterwards,
   `other` must only be passed to apsp_comparison_part_done(). */
void apsp_comparison_part_join(
	struct apsp_comparison_part *self, struct apsp_comparison_part *other);

#endif
