/*
 * What a request for a table asks for; see table_question.h.
 */
#include "api/tables/table_question.h"

#include <stdlib.h>
#include <string.h>

#include "storage/tables/row_reader.h"

enum {
	/* Columns are read if there are at least this many sources for each
	   target. An element of a column has four bytes, and an element of a
	   row mostly has one. */
	SOURCES_PER_TARGET = 16,
};

/* Whether to get the columns of the targets and not the rows of the sources.
   All columns are in memory while the answer is written. */
static bool columns_pay(const struct apsp_table_question *q)
{
	const struct apsp_tables *tables = q->reading.tables;
	const struct apsp_budget *budget = q->share.budget;
	size_t n = q->targets.n;

	if (q->of_vertex)
		return q->direction == APSP_DIRECTION_IN;
	return !q->targets.all && n <= q->sources.n / SOURCES_PER_TARGET &&
	       (!budget || apsp_row_reader_columns_bytes(tables, n) <=
				   apsp_budget_limits(budget)
						   ->max_one_memory_bytes /
					   2);
}

int apsp_table_question_rows(struct apsp_request *req,
	struct apsp_table_question *q, struct apsp_err *err)
{
	bool demanded = apsp_table_on_demand(&q->reading.tables->header);
	const struct apsp_vertex_set *list;
	enum apsp_demand demand;

	q->by_columns = demanded && columns_pay(q);
	demand = q->by_columns ? APSP_DEMAND_COLUMN : APSP_DEMAND_FROM;
	list = q->by_columns ? &q->targets : &q->sources;
	if (q->of_vertex)
		return apsp_reading_rows(
			req, &q->reading, demand, &q->vertex, 1, err);
	return apsp_reading_rows(req, &q->reading, demand,
		list->all ? NULL : list->vertices, list->n, err);
}

void apsp_table_question_done(struct apsp_table_question *q)
{
	apsp_vertex_set_done(&q->sources);
	apsp_vertex_set_done(&q->targets);
	free(q->steps);
	apsp_share_close(&q->share);
	apsp_reading_done(&q->reading);
	memset(q, 0, sizeof(*q));
}
