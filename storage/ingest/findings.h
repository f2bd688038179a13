/*
 * Findings about an upload, for its receipt: how the file was read, and
 * warnings for its sender. Parsers and the graph builder fill the members while
 * they read. A finding never causes an upload to be refused.
 */
#ifndef APSP_STORAGE_INGEST_FINDINGS_H
#define APSP_STORAGE_INGEST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/ingest/file_options.h"

enum {
	APSP_FOUND_NAMES_SIZE = 128, /* bytes of a list of column names */
	APSP_FOUND_LABEL_SIZE = 48,  /* bytes of an excerpt of a label */
	APSP_WARNING_SIZE = 512,
	APSP_WARNINGS_MAX = 13, /* largest number of warnings */
	/* number of digits that a spreadsheet keeps of a number; it replaces
	   all further digits by zeros */
	APSP_KEPT_DIGITS = 15,
	APSP_LONG_DIGITS = 17, /* labels with at least this many digits count
				  as long ids */
};

/* The number of labels or weights that have a certain property, and an excerpt
   of the first such text. An example of a property: the label's vertex is
   isolated. */
struct apsp_found_texts {
	uint32_t n;
	char first[APSP_FOUND_LABEL_SIZE];
};

struct apsp_findings {
	/* for each role (from, to, weight), the name of its column; "": the
	   file has no such column, or its columns have no names */
	char columns[APSP_N_ROLES][APSP_COLUMN_SIZE];
	char ignored[APSP_FOUND_NAMES_SIZE]; /* names of columns that are not
						read: "roi, x"; it ends with "…"
						if it does not have all names */
	/* names of members of nodes that are not read, like `ignored` */
	char of_nodes[APSP_FOUND_NAMES_SIZE];
	bool rows_counted;    /* the weight of an arc is the number of rows that
				 contain the arc */
	bool count_is_column; /* the request says weight_column=count, and the
				 file has a column "count" */
	/* the separator that was found in the first line, and another byte of
	   this line that may be the separator; '\0': there is no such byte */
	char separator, rival;
	bool has_index_base;
	uint64_t index_base; /* if the format numbers vertices: the number of
				the first vertex, 0 or 1 */
	uint64_t n_rows; /* number of lines, or cells of a matrix, that have an
			    arc */
	uint64_t n_missing; /* number of rows that were left out because they
			       have no weight */
	uint64_t n_outside; /* number of rows whose weight the transform cannot
			       turn into a length; jobs leave out the arcs of
			       these rows */
	uint64_t n_loops;   /* number of self-loops */
	bool merged_known; /* n_merged is valid; false: the counts of pairs were
			      dropped (arc_counts.h) */
	uint64_t n_merged; /* number of arcs that have the same tail and head as
			      an earlier arc */
	/* number of rows that name the same two vertices as an earlier row, in
	   the same or in reverse order; counted only with undirected=true */
	uint64_t n_repeats;
	size_t n_columns; /* number of columns of an edge list without a header;
			     otherwise 0 */
	bool numeric;	  /* all labels are numbers */
	uint32_t n_vertices;
	/* labels of vertices without an arc from or to another vertex */
	struct apsp_found_texts isolated;
	/* labels like 7.2057594e+17: integers that a program has rounded */
	struct apsp_found_texts rounded;
	struct apsp_found_texts decimal; /* labels like 12.0 */
	/* labels that mean a missing value: NA, NaN, null */
	struct apsp_found_texts missing;
	/* labels that are integers with 17 or more digits */
	struct apsp_found_texts long_ids;
	/* weights that are whole numbers, and that a double cannot hold */
	struct apsp_found_texts inexact;
	uint32_t n_long_zeros; /* number of long ids (`long_ids`) that have only
				  zeros after 15 digits */
};

/* Record the name of a column or member that is not read. */
void apsp_findings_ignore(
	struct apsp_findings *findings, const char *name, size_t size);

/* Record the name of a node's member that is not read. */
void apsp_findings_ignore_node(
	struct apsp_findings *findings, const char *name, size_t size);

/* `kind` is a finding about labels or weights with some property: count one
   more text that has the property. Store an excerpt of the first such text. */
void apsp_found_add(
	struct apsp_found_texts *kind, const char *text, size_t size);

/* Write the warnings that apply to the upload, each as a sentence. Returns the
   number of warnings. */
size_t apsp_findings_warnings(const struct apsp_findings *findings,
	char out[APSP_WARNINGS_MAX][APSP_WARNING_SIZE]);

/* Whether a text means a missing value: it is empty, or a word such as NA, NaN
   or null. R, pandas and spreadsheets write such words. Case is ignored. */
bool apsp_missing_value(const char *text, size_t size);

#endif
