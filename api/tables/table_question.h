/*
 * What is asked of a table: which sources and targets, which values of them.
 */
#ifndef APSP_API_TABLES_TABLE_QUESTION_H
#define APSP_API_TABLES_TABLE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/reading.h"
#include "api/tables/pair_filter.h"
#include "api/tables/table_body.h"
#include "daemon/base/budget.h"

/* What is asked. Zero is an empty question. */
struct apsp_table_question {
	struct apsp_reading reading;		  /* owned */
	struct apsp_share share;		  /* owned */
	struct apsp_vertex_list sources, targets; /* owned */
	unsigned int values; /* that are told, of enum apsp_row_value */
	bool is_long;	     /* a row or object a pair, which may be filtered */
	struct apsp_pair_filter filter;
};

void apsp_table_question_done(struct apsp_table_question *question);

/* Whether the answer takes milliseconds. */
bool apsp_table_question_is_long_work(
	const struct apsp_table_question *question);

#endif
