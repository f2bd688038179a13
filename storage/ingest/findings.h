/*
 * What was found in an upload, for its receipt: how the file was read, and what
 * its sender should look at. Parsers and the builder fill the members as they
 * go; nothing here refuses anything.
 */
#ifndef APSP_STORAGE_INGEST_FINDINGS_H
#define APSP_STORAGE_INGEST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/ingest/file_options.h"

enum {
	APSP_FOUND_NAMES_SIZE = 128, /* a list of columns' names */
	APSP_FOUND_LABEL_SIZE = 48,  /* an excerpt of a label */
	APSP_WARNING_SIZE = 512,
};

/* Labels of one kind: how many, and the first of them. */
struct apsp_found_labels {
	uint32_t n;
	char first[APSP_FOUND_LABEL_SIZE];
};

struct apsp_findings {
	/* "": no such column, or columns without names */
	char columns[APSP_N_ROLES][APSP_COLUMN_SIZE];
	char ignored[APSP_FOUND_NAMES_SIZE]; /* other columns: "roi, x" */
	bool rows_counted;		     /* each row counts 1 */
	bool count_is_column; /* "count" was said, and a column has that name */
	bool has_index_base;
	uint64_t index_base; /* of formats that number vertices */
	uint64_t n_rows;     /* lines, or cells of a matrix, that are arcs */
	uint64_t n_missing;  /* left out: without a weight */
	uint64_t n_loops;
	bool merged_known;
	uint64_t n_merged;  /* arcs of a pair that had one already */
	uint64_t n_repeats; /* rows of a pair that was there already */
	size_t n_columns;   /* of an edge list without a header; 0: another */
	bool numeric;	    /* all labels are numbers */
	uint32_t n_vertices;
	struct apsp_found_labels isolated; /* no arc leads from or to them */
	struct apsp_found_labels rounded;  /* like 7.2057594e+17 */
	struct apsp_found_labels decimal;  /* like 12.0 */
	struct apsp_found_labels missing;  /* NA, NaN, null */
	struct apsp_found_labels long_ids; /* integers of 17 digits or more */
	uint32_t n_long_zeros;		   /* of them, those that end in 000 */
};

/* Whether R, pandas or a spreadsheet write this, or a blank, for no value. */
bool apsp_missing_value(const char *text, size_t size);

/* A label was seen for the first time. */
void apsp_findings_label(
	struct apsp_findings *findings, const char *text, size_t size);

/* Keep a label of a kind. */
void apsp_found_label(
	struct apsp_found_labels *kind, const char *text, size_t size);

/* Name a column or a member that is not read, once. */
void apsp_findings_ignore(
	struct apsp_findings *findings, const char *name, size_t size);

/*
 * Write the warning of kind i from 0 on as a sentence, or "" if there is no
 * reason for it. False: there is no such kind.
 */
bool apsp_findings_warning(const struct apsp_findings *findings, size_t i,
	char out[APSP_WARNING_SIZE]);

#endif
