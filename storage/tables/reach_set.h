/*
 * Finds the vertices that a vertex reaches, or the vertices that reach it. A
 * query may limit the distance or the width, or restrict the result to given
 * vertices.
 */
#ifndef APSP_STORAGE_TABLES_REACH_SET_H
#define APSP_STORAGE_TABLES_REACH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/column.h"
#include "storage/tables/tables.h"

enum apsp_direction {
	APSP_DIRECTION_OUT, /* the vertices that v reaches */
	APSP_DIRECTION_IN,  /* the vertices that reach v */
};

struct apsp_reach_query {
	enum apsp_direction direction;
	bool has_max_distance; /* true: max_distance is valid, and the search
				  reads the distance of each candidate */
	double max_distance;   /* keep vertices at this distance or less */
	/* In a table of widest paths: keep pairs of at least this width. */
	bool has_min_width;
	double min_width;
	/*
	 * The candidates are the vertices whose bit is set in this row of n
	 * bits. The caller ensures that v reaches all of them, or, for
	 * direction "in", that all of them reach v. NULL: the candidates are
	 * all vertices that v reaches, or, for direction "in", that reach v.
	 * Borrowed until the search is done.
	 */
	const uint64_t *within;
	/* The column of v (column.h). The search reads the distances to v from
	   it. NULL: the search reads distances from the tables. Borrowed until
	   the search is done. */
	const struct apsp_column *column;
};

struct apsp_reach_set {
	uint32_t *vertices; /* the found vertices in ascending order; including
			       v, unless the query excludes v; owned */
	size_t count;
};

/*
 * A search that is done in steps. If distances or widths are limited, the
 * search may read 64 KiB of the file for each candidate. If a stored distance
 * is a float32 and equals the limit rounded to float32, the search also adds
 * the lengths of the path.
 */
struct apsp_reach_search {
	struct apsp_tables *tables; /* borrowed */
	uint32_t v;
	struct apsp_reach_query query;
	uint32_t next_word; /* index of the next word in the row of
			       candidates */
	uint64_t word; /* the last word that was read from the row (its index is
			  next_word - 1); bits that were checked are cleared */
	struct apsp_reach_set set;
};

/* Begin a search. The caller has set search->query, and ends the search with
   apsp_reach_search_done(). The other members are 0 at first. APSP_ENOMEM. */
int apsp_reach_search_begin(struct apsp_tables *tables, uint32_t v,
	struct apsp_reach_search *search, struct apsp_err *err);
void apsp_reach_search_done(struct apsp_reach_search *search);

/* Check about 65,536 further candidates, or about 64 if the query limits
   distances or widths. Returns 1 if candidates are left, or 0 if search->set is
   complete. APSP_EDAMAGED: the tables are damaged. */
int apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);

#endif
