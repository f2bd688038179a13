/*
 * Which columns of an edge list are an arc's two ends and its weight: told by
 * the first line.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_EDGE_COLUMNS_H
#define APSP_STORAGE_INGEST_FORMATS_EDGE_COLUMNS_H

#include "storage/ingest/formats/kept_record.h"

enum apsp_role {
	APSP_ROLE_FROM,
	APSP_ROLE_TO,
	APSP_ROLE_WEIGHT,
	APSP_N_ROLES,
};

#define APSP_NO_COLUMN SIZE_MAX

struct apsp_edge_columns {
	bool has_header;	 /* the first line is a header */
	size_t n;		 /* fields of every line */
	size_t of[APSP_N_ROLES]; /* APSP_NO_COLUMN: the weight is 1 */
	bool lengths; /* the name of the weights' column says lengths */
};

/*
 * The first line is a header if it names both ends, or if it has three fields
 * and the third is no number. A header of three or more fields must name the
 * weight too, except that one which names both ends may lack it where
 * needs_weight is false. A first line that is no header must have 2 fields
 * (from, to) or 3 (from, to, weight). APSP_EDATA: the line is neither; the
 * message says what would be right.
 */
int apsp_edge_columns_tell(const struct apsp_kept_record *first,
	bool needs_weight, struct apsp_edge_columns *out, struct apsp_err *err);

#endif
