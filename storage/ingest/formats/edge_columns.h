/*
 * Finds out from the first line of an edge list which columns contain the two
 * ends of an arc and its weight.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_EDGE_COLUMNS_H
#define APSP_STORAGE_INGEST_FORMATS_EDGE_COLUMNS_H

#include "storage/ingest/file_options.h"
#include "storage/ingest/formats/kept_record.h"

#define APSP_NO_COLUMN SIZE_MAX

struct apsp_edge_columns {
	bool has_header; /* the first line is a header */
	size_t n;	 /* number of fields in every line */
	/* For each role, the index of its column. APSP_NO_COLUMN for the
	   weight means that the file has no weights: every arc has the weight
	   1. */
	size_t of[APSP_N_ROLES];
	bool lengths; /* the column of weights has a name that means lengths */
	bool counted; /* the weight of an arc is the number of rows that contain
			 the arc */
	/* The transform needs weights, but no column has them. So a column
	   without a name must be empty: its values may be weights. This does
	   not apply to the first column, which may have row names. */
	bool lacks_weight;
};

/*
 * Return the position of a name in the role's list of names; -1: the list does
 * not have this name. If `wanted` is not "", `wanted` is the only name in the
 * list.
 */
int apsp_edge_name_rank(
	enum apsp_role role, const char *wanted, const char *text, size_t size);

/*
 * In the first line of a file, find the column for a role. Each role has a list
 * of names (apsp_edge_name_rank()). If several columns have different names of
 * the list, the name that is earlier in the list decides. *out is
 * APSP_NO_COLUMN if no column has a name of the list. APSP_EDATA: two columns
 * have the same name.
 */
int apsp_edge_column_find(const struct apsp_kept_record *first,
	enum apsp_role role, const char *wanted, size_t *out,
	struct apsp_err *err);

/* Whether the weights in a column with this name can only be lengths. */
bool apsp_edge_name_says_lengths(const char *text, size_t size);

/*
 * Decide from the first line which column has which role. `file` has the names
 * of columns that the client gave. If the client gave no name for a role, the
 * column is found by the known names of the role.
 *
 * The first line is a header in three cases: it names both ends; it has two or
 * three fields, and one of them is a name that the client gave; or it has three
 * fields, and the third field is text. In the last two cases, columns are read
 * by position (from, to, weight), and the line is refused if it has a role's
 * name at another position.
 *
 * A header of three or more named fields must name the weight. There are two
 * exceptions: rows are counted, or the header names both ends and
 * `needs_weight` is false. A first field without a name is not counted, because
 * R and pandas give no name to the column of row names.
 *
 * Any other first line is an arc, with 2 fields (from, to) or 3 (from, to,
 * weight). A line of 2 fields is refused if one of them is a known name of an
 * end.
 *
 * APSP_EDATA: the line is neither a header nor an arc, or lacks a name that the
 * client gave. The message lists the names of the line and the possible names.
 */
int apsp_edge_columns_find(const struct apsp_kept_record *first,
	const struct apsp_file_options *file, bool needs_weight,
	struct apsp_edge_columns *out, struct apsp_err *err);

#endif
