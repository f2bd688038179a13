/*
 * What the client says of the file it sends, beyond the format. Which format
 * takes which option: storage/ingest/formats/format.h.
 */
#ifndef APSP_STORAGE_INGEST_FILE_OPTIONS_H
#define APSP_STORAGE_INGEST_FILE_OPTIONS_H

#include <stdbool.h>

enum {
	APSP_COLUMN_SIZE = 128, /* a column's name with its NUL */
};

/* What a column of an edge list is, or a member of a link in JSON. */
enum apsp_role {
	APSP_ROLE_FROM,
	APSP_ROLE_TO,
	APSP_ROLE_WEIGHT,
	APSP_N_ROLES,
};

/* As the weight's column: count the rows of each pair instead. */
#define APSP_COLUMN_COUNT "count"

struct apsp_file_options {
	bool has_nonedge;   /* this cell of a dense matrix is no arc … */
	double nonedge;	    /* … instead of 0 */
	bool undirected;    /* each line is an arc in both directions */
	bool decimal_comma; /* numbers are written 0,5 */
	char columns[APSP_N_ROLES][APSP_COLUMN_SIZE]; /* "": by known names */
};

#endif
