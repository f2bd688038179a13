/*
 * Lists all pairs that differ between two tables. The list has exactly the
 * pairs that a comparison (table_comparison.h) counts as changed, because both
 * use comparison_part.h. A key stands for one or several vertices
 * (keyed_rows.h), and a pair is a key and a target key. The pairs come in the
 * order of their first keys, and those with the same first key in the order of
 * their targets.
 */
#ifndef APSP_STORAGE_TABLES_CHANGED_PAIRS_H
#define APSP_STORAGE_TABLES_CHANGED_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/comparison_part.h"
#include "storage/tables/keyed_rows.h"
#include "storage/tables/tables.h"

struct apsp_changed_pairs {
	struct apsp_comparison_options options;
	struct apsp_comparison_part part;
	struct apsp_changed_row row; /* the changed pairs of the present row;
					`pairs` is owned */
	uint32_t next; /* index in `row` of the pair that is returned next */
	/* Whether exact sums replace the compared distances. This is done if
	   the compared distances are rounded and each key is one vertex.
	   exact_here and exact_with read the exact sums. */
	bool refines;
	struct apsp_keyed_rows exact_here, exact_with;
};

/* Return an upper bound of the bytes of memory that a list of changed pairs
   takes, apart from the arrays in `options`. */
uint64_t apsp_changed_pairs_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options);

/*
 * Begin a list of changed pairs. The tables and the arrays in `options` are
 * borrowed. The members of `options` about groups and its member `top` are
 * ignored. *out must stay at its address. The caller ends *out with
 * apsp_changed_pairs_done(), also after a failure. APSP_ENOMEM.
 */
int apsp_changed_pairs_begin(struct apsp_tables *here, struct apsp_tables *with,
	const struct apsp_comparison_options *options,
	struct apsp_changed_pairs *out, struct apsp_err *err);
void apsp_changed_pairs_done(struct apsp_changed_pairs *self);

/*
 * Find the next pair, and store it in *out. Returns 1 if a pair was found, or 0
 * if no pairs are left. Returns 2 if a few milliseconds are over before a pair
 * was found; the next call then continues the search. If each key is one
 * vertex, the distances equal the results of apsp_lookup_path(). APSP_EDAMAGED:
 * a table is damaged. APSP_ENOMEM.
 */
int apsp_changed_pairs_next(struct apsp_changed_pairs *self,
	struct apsp_changed_pair *out, struct apsp_err *err);

#endif
