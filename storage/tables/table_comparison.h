/*
 * Compares the distances of two tables, `here` and `with`, pair by pair: for
 * example a lesion with the whole graph, or the left side of a brain with the
 * right side. If both are tables of widest paths, the widths are compared. A
 * pair consists of two keys (keyed_rows.h); both tables have vertices for each
 * key.
 *
 * A comparison has two parts, so that two threads can work on it. The parts and
 * the results are the same for any number of threads.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_COMPARISON_H
#define APSP_STORAGE_TABLES_TABLE_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/comparison_part.h"
#include "storage/tables/tables.h"
#include "storage/tables/top_pairs.h"

enum {
	APSP_COMPARISON_PARTS = 2,
};

struct apsp_table_comparison {
	struct apsp_comparison_options options;
	/* All keys of the first part are lower than the keys of the second
	   part. */
	struct apsp_comparison_part parts[APSP_COMPARISON_PARTS];
	/*
	 * The results, which are complete when apsp_table_comparison_finish()
	 * has returned 0. They are parts[0].found. found->top lists the pairs
	 * with the largest differences. It also lists the lost pairs with the
	 * least distances in `with`, and the gained pairs with the least
	 * distances in `here`. If the tables have widest paths, found->top
	 * lists the lost and gained pairs with the largest widths instead. If
	 * each key is one vertex in both tables, the distances of listed pairs
	 * are exact sums, as in apsp_lookup_path().
	 */
	struct apsp_changes *found;
	/* For each change, the pairs of groups that changed most. For the
	   changes lost and gained, a pair of groups is ranked by the fraction
	   of its pairs that were lost or gained. For the changes longer and
	   shorter, it is ranked by the mean difference of its pairs. */
	struct apsp_top_pairs top_groups[APSP_N_PAIR_CHANGES];

	/* private */
	bool joined;   /* the results of the parts are joined */
	int refined;   /* the change (enum apsp_pair_change) whose listed pairs
			  get exact distances next */
	uint32_t next; /* index of the listed pair that gets exact distances
			  next */
};

/* Return an upper bound of the bytes of a comparison of n_keys keys, without
   the arrays in its options. */
uint64_t apsp_table_comparison_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options);

/*
 * Begin to compare. If both tables store sums in elements of the same type, the
 * stored distances are compared. Otherwise exact sums are compared, because a
 * rounded sum is seldom equal to an exact sum. If one of the tables has widths,
 * the other table must have widths, too. `here`, `with` and the arrays in
 * `options` are borrowed. *out must stay at its address. The caller ends *out
 * with apsp_table_comparison_done(), also after a failure. APSP_EDAMAGED: a
 * table is damaged. APSP_ENOMEM.
 */
int apsp_table_comparison_begin(struct apsp_tables *here,
	struct apsp_tables *with, const struct apsp_comparison_options *options,
	struct apsp_table_comparison *out, struct apsp_err *err);
void apsp_table_comparison_done(struct apsp_table_comparison *self);

/* Call this when all parts are complete. Does a step of the remaining work:
   joins the parts, then reads the exact distances of listed pairs. Returns 1 if
   work is left, or 0 if the results are complete. APSP_EDAMAGED: a table is
   damaged. APSP_ENOMEM. */
int apsp_table_comparison_finish(
	struct apsp_table_comparison *self, struct apsp_err *err);

#endif
