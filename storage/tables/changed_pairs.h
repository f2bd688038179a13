/*
 * All pairs that differ between two tables, in the order of their keys: row by
 * row, and in a row target by target. The rows are compared as in a comparison
 * (comparison_part.h), so the same pairs count as changed.
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
	struct apsp_changed_row row; /* the present row; `pairs` is owned */
	uint32_t next;		     /* the pair that is returned next */
	/* If the compared distances are rounded and each key is one vertex, the
	   rows of exact sums, which replace the rounded distances. */
	bool refines;
	struct apsp_keyed_rows exact_here, exact_with;
};

/* Return an upper bound of the bytes that the pairs take, without the arrays in
   the options. */
uint64_t apsp_changed_pairs_bytes(const struct apsp_tables *here,
	const struct apsp_tables *with,
	const struct apsp_comparison_options *options);

/*
 * Begin. The tables and the arrays in `options` are borrowed; groups and `top`
 * are ignored. *out may not be moved. The caller ends *out with
 * apsp_changed_pairs_done(), also after a failure. APSP_ENOMEM.
 */
int apsp_changed_pairs_begin(struct apsp_tables *here, struct apsp_tables *with,
	const struct apsp_comparison_options *options,
	struct apsp_changed_pairs *out, struct apsp_err *err);
void apsp_changed_pairs_done(struct apsp_changed_pairs *self);

/*
 * Find the next pair. Returns 1 and stores it in *out; or 0 if there are no
 * more pairs; or 2 if a few milliseconds have passed, so that the next call
 * goes on. If each key is one vertex, the distances are those of
 * apsp_lookup_path(). APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_changed_pairs_next(struct apsp_changed_pairs *self,
	struct apsp_changed_pair *out, struct apsp_err *err);

#endif
