/*
 * The options, other than the format, with which a client describes its file.
 * storage/ingest/formats/format.h says which format accepts which option.
 */
#ifndef APSP_STORAGE_INGEST_FILE_OPTIONS_H
#define APSP_STORAGE_INGEST_FILE_OPTIONS_H

#include <stdbool.h>

#include "daemon/job/graph_file.h"

enum {
	APSP_COLUMN_SIZE = 128, /* bytes of a column's name with its NUL */
};

/* The meaning of a column of an edge list, or of a member of a link in JSON. */
enum apsp_role {
	APSP_ROLE_FROM,
	APSP_ROLE_TO,
	APSP_ROLE_WEIGHT,
	APSP_N_ROLES,
};

/* For each role, the option that names the column of this role. */
static const char *const apsp_column_options[APSP_N_ROLES] = {
	"from_column", "to_column", "weight_column"};

/* A value of the option weight_column. With this value, rows are counted: the
   weight of an arc is the number of rows that contain the arc. But if the file
   has a column with this name, the weights are read from the column. */
#define APSP_COLUMN_COUNT "count"

struct apsp_file_options {
	bool has_nonedge; /* the request has the option nonedge */
	double nonedge;	  /* in a dense matrix, a cell with this value means "no
			     arc"; 0 if the request does not have the option */
	bool undirected;  /* each line means two arcs, one in each direction */
	bool directed;	  /* the request has the option undirected=false */
	bool rule_said; /* the request has an option that belongs to a profile's
			   rule, such as `transform` */
	/* a job computes the tables of a bundle again; the bytes of its table
	   files are not read */
	bool recompute_tables;
	/* how a job proves that the tables of a bundle are right;
	   APSP_PROVE_NONE: the client did not choose */
	enum apsp_prove prove;
	bool decimal_comma; /* numbers have a decimal comma: 0,5 */
	char columns[APSP_N_ROLES]
		    [APSP_COLUMN_SIZE]; /* for each role, the name of its
					   column; "": the client gave no name,
					   and the column is found by the known
					   names of the role */
};

#endif
