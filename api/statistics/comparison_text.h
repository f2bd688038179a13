/*
 * Writes the answer of a comparison: the members of its JSON object, and rows
 * about pairs of vertices or of groups, as JSON or CSV.
 */
#ifndef APSP_API_STATISTICS_COMPARISON_TEXT_H
#define APSP_API_STATISTICS_COMPARISON_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/encode/cells.h"
#include "api/encode/json.h"
#include "api/statistics/comparison_keys.h"
#include "api/statistics/comparison_question.h"
#include "storage/tables/changed_pairs.h"
#include "storage/tables/table_comparison.h"

/* The data from which the answer is written. Pointers are borrowed. */
struct apsp_comparison_text {
	const struct apsp_comparison_question *question;
	const struct apsp_comparison_keys *keys;
	const struct apsp_table_comparison *comparison;
	struct apsp_changed_pairs *
		all; /* the source of the rows if the answer has every pair that
			changed; NULL if it has the pairs that change most */
	bool of_groups; /* the rows are about pairs of groups */
	/* the rows are about pairs of vertices, and the head has the list of
	   pairs of groups, because the query has no ?part= */
	bool both;
	/* the next row is about the pair with the index `next` in the list with
	   the index `list` */
	uint32_t list, next;
};

/* Returns an upper bound, in bytes, of the memory that apsp_comparison_head()
   needs. */
uint64_t apsp_comparison_head_bytes(const struct apsp_comparison_question *q);

/* Returns all members of the answer except the rows about pairs. NULL: out of
   memory. */
json_t *apsp_comparison_head(const struct apsp_comparison_text *text);

/*
 * Append the next row, or the names of the columns of CSV. Returns 1 if a row
 * was appended, 0 if no row is left, or APSP_ROWS_LATER (api/http/rows.h). If
 * text->all is set, fails as apsp_changed_pairs_next() does.
 */
int apsp_comparison_row(struct apsp_comparison_text *text,
	struct apsp_cells *cells, struct apsp_err *err);

#endif
