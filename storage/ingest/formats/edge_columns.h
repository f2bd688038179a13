/*
 * Which columns of an edge list are an arc's two ends and its weight: told by
 * the first line.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_EDGE_COLUMNS_H
#define APSP_STORAGE_INGEST_FORMATS_EDGE_COLUMNS_H

#include "storage/ingest/file_options.h"
#include "storage/ingest/formats/kept_record.h"

#define APSP_NO_COLUMN SIZE_MAX

struct apsp_edge_columns {
	bool has_header;	 /* the first line is a header */
	size_t n;		 /* fields of every line */
	size_t of[APSP_N_ROLES]; /* APSP_NO_COLUMN: the weight is 1 */
	bool lengths; /* the name of the weights' column says lengths */
	bool counted; /* "count" is no column: each row counts 1 */
};

/*
 * How early a name stands in the list of those that a role may have; where
 * wanted is not "", it is the only one. -1: the role has no such name.
 */
int apsp_edge_name_rank(
	enum apsp_role role, const char *wanted, const char *text, size_t size);

/* Whether weights of this name can only be lengths. */
bool apsp_edge_name_says_lengths(const char *text, size_t size);

/*
 * The first line is a header if it names both ends, or if it has three fields
 * and the third is no number. file has the names that the client said; known
 * names stand for the others. A header of three or more fields must name the
 * weight too, except that one which names both ends may lack it where
 * needs_weight is false; a column without a name, as R and pandas write before
 * their rows, does not count. A first line that is no header must have 2 fields
 * (from, to) or 3 (from, to, weight). APSP_EDATA: the line is neither, or lacks
 * a wanted name; the message lists the names that are there and those that
 * would do.
 */
int apsp_edge_columns_tell(const struct apsp_kept_record *first,
	const struct apsp_file_options *file, bool needs_weight,
	struct apsp_edge_columns *out, struct apsp_err *err);

#endif
