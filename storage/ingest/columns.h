/*
 * Which columns of an edge list are its two ends and the weight, told by its
 * first line.
 */
#ifndef APSP_STORAGE_INGEST_COLUMNS_H
#define APSP_STORAGE_INGEST_COLUMNS_H

#include "storage/ingest/head.h"

enum apsp_role {
	APSP_ROLE_FROM,
	APSP_ROLE_TO,
	APSP_ROLE_WEIGHT,
	APSP_N_ROLES,
};

#define APSP_NO_COLUMN SIZE_MAX

struct apsp_columns {
	bool has_header;	 /* the first line is no data */
	size_t n;		 /* fields that every line must have */
	size_t of[APSP_N_ROLES]; /* APSP_NO_COLUMN: the weight is 1 */
};

/*
 * A first line is a header if it names both ends, or has three fields of which
 * the third is text where a weight would be. A header of three or more fields
 * must name the weight too, unless both ends are named and needs_weight is
 * false (only arcs count). Without a header there are 2 columns, or 3.
 * APSP_EDATA: neither fits; the message says what would.
 */
int apsp_columns_tell(const struct apsp_head *head, bool needs_weight,
	struct apsp_columns *out, struct apsp_err *err);

#endif
