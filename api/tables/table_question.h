/*
 * The rows, columns and values that a request asks for.
 */
#ifndef APSP_API_TABLES_TABLE_QUESTION_H
#define APSP_API_TABLES_TABLE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/reading.h"
#include "api/tables/pair_filter.h"
#include "api/vertex_set.h"
#include "daemon/base/budget.h"
#include "storage/tables/reach_set.h"

/* A struct of zeros is an empty question. */
struct apsp_table_question {
	struct apsp_reading reading;		 /* owned */
	struct apsp_share share;		 /* owned */
	struct apsp_vertex_set sources, targets; /* owned */
	unsigned int values; /* values in the answer, as bits of enum
				apsp_row_value */
	bool is_long; /* the answer has a row or an object for each pair */
	struct apsp_pair_filter filter;
	bool narrow; /* distances and widths in a NumPy file are float32 */

	/*
	 * true: the table of one vertex; targets are the other vertices, and
	 * sources are unused
	 */
	bool of_vertex;
	uint32_t vertex;
	enum apsp_direction direction;
	uint32_t *steps; /* least number of arcs between the vertex and each
			    target; NULL: the answer has no steps. Owned */
	bool is_set; /* the question asks for a set: the vertices that a vertex
			reaches, or the vertices that reach it. Only answers to
			these questions have a member "on_cycle" */
	bool on_cycle;
	/* The graph has no tables, and the reading holds the columns of the
	   targets (for direction=in, of the vertex) instead of the rows of the
	   sources. */
	bool by_columns;
};

/*
 * If the graph has no tables, get the rows of all sources, or the columns of
 * all targets if these are much fewer. Returns what apsp_reading_rows()
 * returns.
 */
int apsp_table_question_rows(struct apsp_request *req,
	struct apsp_table_question *question, struct apsp_err *err);

void apsp_table_question_done(struct apsp_table_question *question);

#endif
