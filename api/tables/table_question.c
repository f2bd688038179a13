/*
 * The question of a request for a table; see table_question.h.
 */
#include "api/tables/table_question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/query.h"
#include "storage/tables/row_reader.h"

const struct apsp_value_name apsp_value_names[APSP_N_VALUES] = {
	{APSP_VALUE_VERTEX, "vertices"},
	{APSP_VALUE_STEPS, "steps"},
	{APSP_ROW_DISTANCE, "distance"},
	{APSP_ROW_WIDTH, "width"},
	{APSP_ROW_HOPS, "hops"},
	{APSP_ROW_PREDECESSOR, "predecessor"},
	{APSP_ROW_REACHABLE, "reachable"},
};

int apsp_value_names_add(
	const char *name, unsigned int *values, struct apsp_err *err)
{
	for (int i = 0; i < APSP_N_VALUES; i++) {
		unsigned int value = apsp_value_names[i].value;

		if (strcmp(name, apsp_value_names[i].name) != 0 ||
			value == APSP_VALUE_VERTEX || value == APSP_VALUE_STEPS)
			continue;
		if (*values & value)
			return apsp_fail(err, APSP_EMALFORMED,
				"values has '%s' twice", name);
		*values |= value;
		return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"there is no value '%s'; there are distance, width, hops, "
		"predecessor and reachable",
		name);
}

/* Read ?values=, such as "distance,hops", and add each value that it lists to
   the set *values. */
static int values_read(const struct apsp_request *req, unsigned int *values,
	struct apsp_err *err)
{
	const char *list = apsp_query_get(req, "values");
	char name[64];
	int r = 0;

	for (size_t size; list && r == 0;
		list = list[size] ? list + size + 1 : NULL) {
		size = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)size, list);
		r = apsp_value_names_add(name, values, err);
	}
	return r;
}

int apsp_value_names_settle(const struct apsp_reading *reading,
	unsigned int preset, unsigned int *values, struct apsp_err *err)
{
	bool widest = apsp_reading_is_widest(reading);
	int r = 0;

	if (!*values && preset)
		*values = widest ? APSP_ROW_WIDTH : preset;
	if (*values & APSP_ROW_WIDTH)
		r = apsp_reading_needs(
			reading, APSP_PATH_WIDEST, "values of width", err);
	if (r == 0 && (*values & (APSP_ROW_DISTANCE | APSP_ROW_HOPS |
					 APSP_ROW_PREDECESSOR)))
		r = apsp_reading_needs(reading, APSP_PATH_SHORTEST,
			"values of distance, hops and predecessor", err);
	return r;
}

/* Read ?reachable=, ?max_distance=, ?min_width= and ?nearest=. */
static int filter_read(struct apsp_request *req, struct apsp_pair_filter *out,
	struct apsp_err *err)
{
	struct apsp_pair_filter filter = {
		.has_reachable = apsp_query_get(req, "reachable") != NULL,
	};
	uint64_t nearest;
	bool without;
	int r;

	r = apsp_query_choice(req, "reachable", "true", "false", &without, err);
	filter.reachable = filter.has_reachable && !without;
	if (r == 0)
		r = apsp_query_number(req, "max_distance",
			&filter.has_max_distance, &filter.max_distance, err);
	if (r == 0)
		r = apsp_query_number(req, "min_width", &filter.has_min_width,
			&filter.min_width, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "nearest", 1, UINT32_MAX, 0, &nearest, err);
	if (r < 0)
		return r;
	filter.nearest = (uint32_t)nearest;
	if (without && (filter.has_max_distance || filter.has_min_width ||
			       filter.nearest))
		return apsp_fail(err, APSP_EMALFORMED,
			"reachable=false asks for pairs without a path, which "
			"have no distance and no width: max_distance, "
			"min_width and nearest exclude it");
	*out = filter;
	return 0;
}

bool apsp_pair_filter_is_set(const struct apsp_pair_filter *filter)
{
	return filter->has_reachable || filter->has_max_distance ||
	       filter->has_min_width || filter->nearest > 0;
}

enum {
	/*
	 * If there are at least this many sources for each target, the targets'
	 * columns are read instead of the sources' rows. A column gives the
	 * distances from all vertices to one target. It takes more memory than
	 * a row: an element of a column has four bytes, and an element of a row
	 * mostly has one byte.
	 */
	SOURCES_PER_TARGET = 16,
};

/*
 * Whether to get the columns of the targets instead of the rows of the sources,
 * if the graph has no tables. The columns of several targets must fit into half
 * of the memory that one request may use, because they stay in memory while the
 * answer is written.
 */
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

int apsp_table_question_open(struct apsp_request *req,
	struct apsp_table_question *q, struct apsp_err *err)
{
	struct apsp_pair_filter *filter = &q->filter;
	int r = values_read(req, &q->values, err);

	if (r == 0)
		r = filter_read(req, filter, err);
	if (r == 0)
		r = apsp_reading_open(req, &q->reading, err);
	if (r < 0)
		return r;
	filter->widest = apsp_reading_is_widest(&q->reading);
	return apsp_reading_bounds(&q->reading, filter->has_max_distance,
		filter->has_min_width, err);
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
