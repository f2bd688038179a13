/*
 * The rows, columns and values that a request asks for.
 *
 * Values are distance, hops and so on. A filter chooses the pairs of a row that
 * are in the answer: pairs with a path, pairs without a path, pairs within a
 * bound on the distance or the width, or the nearest or widest pairs.
 */
#ifndef APSP_API_TABLES_TABLE_QUESTION_H
#define APSP_API_TABLES_TABLE_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "api/vertex_set.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/tables/reach_set.h"
#include "storage/tables/row_reader.h"

enum {
	APSP_N_VALUES = 7,

	/* additional values, which ?values= cannot ask for */
	APSP_VALUE_VERTEX = 16, /* label of the other vertex */
	APSP_VALUE_STEPS = 32,	/* least number of arcs on any path between the
				   pair's ends */
};

/* The values in the order in which answers have them. */
extern const struct apsp_value_name {
	unsigned int value;
	const char *name;
} apsp_value_names[APSP_N_VALUES];

/*
 * Add the value called `name` to a set. APSP_EMALFORMED: there is no such
 * value, or the set contains it already.
 */
int apsp_value_names_add(
	const char *name, unsigned int *values, struct apsp_err *err);

/*
 * Decide which values the answer has. If *values is empty, it becomes `preset`,
 * which is 0 or APSP_ROW_DISTANCE. If the profile has widest paths,
 * APSP_ROW_WIDTH takes the place of APSP_ROW_DISTANCE in `preset`.
 * APSP_EMALFORMED: the profile does not have one of *values.
 */
int apsp_value_names_settle(const struct apsp_reading *reading,
	unsigned int preset, unsigned int *values, struct apsp_err *err);

struct apsp_pair_filter {
	bool has_reachable;
	bool reachable; /* true: only pairs with a path; false: only pairs
			   without a path */
	bool has_max_distance;
	double max_distance; /* only pairs whose distance is at most this */
	bool has_min_width;
	double min_width; /* only pairs whose width is at least this */
	uint32_t nearest; /* number of targets to choose: the nearest or the
			     widest, but never the source itself; 0: all
			     targets */
	bool widest;	  /* the profile has widest paths */
};

/* Whether the filter has a condition, and so can leave out pairs. */
bool apsp_pair_filter_is_set(const struct apsp_pair_filter *filter);

/* A struct of zeros is an empty question. */
struct apsp_table_question {
	struct apsp_reading reading;		 /* owned */
	struct apsp_share share;		 /* owned */
	struct apsp_vertex_set sources, targets; /* owned */
	unsigned int values; /* values in the answer, as bits of enum
				apsp_row_value */
	bool is_long; /* the answer has a row or an object for each pair */
	struct apsp_pair_filter filter;
	bool narrow; /* true: distances and widths in a NumPy file are float32;
			false: float64 */

	/*
	 * true: the table is about one vertex; `targets` are the other
	 * vertices, and `sources` is unused
	 */
	bool of_vertex;
	uint32_t vertex;
	enum apsp_direction direction;
	uint32_t *steps; /* for each vertex of the graph, the least number of
			    arcs between it and `vertex`; NULL: the answer has
			    no steps. Owned */
	bool is_set;	 /* the question asks for the vertices that a vertex
			    reaches, or that reach it. Only the answer to such a
			    question has the member "on_cycle" */
	bool on_cycle;
	/* true: the graph has no tables, and the reading holds columns instead
	   of rows: the columns of the targets or, for direction=in, the column
	   of the vertex */
	bool by_columns;
};

/*
 * Read ?values= and the filter (?reachable=, ?max_distance=, ?min_width= and
 * ?nearest=), and open a reading (api/reading.h). APSP_EMALFORMED: a bad value,
 * reachable=false together with another argument of the filter, or a bound that
 * does not fit the profile. Also fails as apsp_value_names_add() and
 * apsp_reading_open() do.
 */
int apsp_table_question_open(struct apsp_request *req,
	struct apsp_table_question *question, struct apsp_err *err);

/*
 * If the graph has no tables, get the rows of all sources (a row has the values
 * from one source to all vertices). If there are far fewer targets than
 * sources, get the columns of all targets instead (a column has the values from
 * all vertices to one target). Returns the result of apsp_reading_rows().
 */
int apsp_table_question_rows(struct apsp_request *req,
	struct apsp_table_question *question, struct apsp_err *err);

void apsp_table_question_done(struct apsp_table_question *question);

#endif
