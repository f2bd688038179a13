/*
 * The rows of the answer to a batch: one row for each pair, in the order of the
 * pairs. A row is a path or a problem, in one of three forms:
 *
 *	JSON, without ?values=	the answer of path, or a problem (RFC 9457)
 *	JSON, with ?values=	{"from":"a","to":"c","distance":3,"hops":2,
 *				 "path":["a","b","c"]}
 *				{"from":"a","to":"x","problem":"to 'x' is …"}
 *	CSV			from,to,distance,hops,path,problem
 *				a,c,3,2,"[""a"",""b"",""c""]",
 *				a,x,,,,to 'x' is not in graph 'g'
 *
 * In CSV, the path is a JSON array in one cell, because a label may contain any
 * separator. Where there is no path, JSON has null, and CSV has inf as distance
 * and hops, as in a table, and a blank cell as path.
 *
 * If the rule leaves out vertices, CSV has a column left_out in front of
 * `problem`, with "from", "to" or "from to". In JSON, the row of a pair with a
 * left-out end has the list left_out.
 *
 * Widest paths have a width in place of a distance. In CSV, the width is 0 if
 * there is no path. The width of a vertex and itself is inf in CSV, and null in
 * JSON.
 */
#ifndef APSP_API_PATHS_PAIR_ROWS_H
#define APSP_API_PATHS_PAIR_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/encode/json_writer.h"
#include "api/http/request.h"
#include "api/paths/pairs_reader.h"
#include "api/paths/widest_pairs.h"
#include "api/reading.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"

/* The request owns this at first, and the stream of rows after the reply has
   begun. */
struct apsp_pair_rows {
	struct apsp_pairs_reader pairs;
	struct apsp_reading reading;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */
	/* if the graph has no tables, the vertices at which paths begin, as
	   often as they do; NULL: not listed yet; owned */
	uint32_t *sources;
	size_t n_sources;
	/* if the paths are widest paths, their searches; owned */
	struct apsp_widest_pairs widest;
	char graph[APSP_NAME_SIZE];
	const char *base; /* --base-path, borrowed */

	/* The following members are private to pair_rows.c. */
	bool is_csv;
	unsigned int values; /* bits of enum pair_value; 0: rows are answers of
				path, or problems */
	struct apsp_text cell; /* the path of one row of CSV */
	size_t next;	       /* index of the next row's pair */
	size_t n_suggested;    /* number of labels with suggestions so far */
};

/* Read ?values= and the format of the answer. APSP_EMALFORMED: there is no such
   value, or the list has it twice. */
int apsp_pair_rows_read(const struct apsp_request *req,
	struct apsp_pair_rows *rows, struct apsp_err *err);

/* Settle which values the rows have, when the reading is open. APSP_EMALFORMED:
   the profile has no such value. */
int apsp_pair_rows_settle(struct apsp_pair_rows *rows, struct apsp_err *err);

/* Whether rows need searches for widest paths: apsp_widest_pairs_open() must
   then return 0 before the first row. */
bool apsp_pair_rows_search(const struct apsp_pair_rows *rows);

/* Append the names of the columns of CSV. `ctx` is a struct apsp_pair_rows. */
void apsp_pair_rows_names(void *ctx, struct apsp_text *out);

/* Write the next row; struct apsp_rows has the meaning of the result. `ctx` is
   a struct apsp_pair_rows. APSP_EDAMAGED, APSP_ENOMEM. */
int apsp_pair_rows_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err);

/* Free a struct apsp_pair_rows and everything that it owns; accepts NULL. */
void apsp_pair_rows_free(void *ctx);

#endif
