/*
 * Finds the vertices that a vertex reaches, or that reach it; if asked, only
 * those within a distance or among given vertices.
 */
#ifndef APSP_STORAGE_TABLES_REACH_SET_H
#define APSP_STORAGE_TABLES_REACH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

enum apsp_direction {
	APSP_DIRECTION_OUT, /* the vertices that v reaches */
	APSP_DIRECTION_IN,  /* the vertices that reach v */
};

struct apsp_reach_query {
	enum apsp_direction direction;
	bool has_max_distance; /* so that each candidate is looked up */
	double max_distance;   /* keep d <= max_distance */
	/* keep vertices whose bit is set in this row of n bits; NULL: all.
	 * Borrowed while the search goes on. */
	const uint64_t *within;
};

struct apsp_reach_set {
	uint32_t *vertices; /* ascending, v itself among them; owned */
	size_t count;
};

/*
 * A search that is done in steps. A bounded search may read 64 KiB of the file
 * for each candidate, and walks paths if distances are held as float32.
 */
struct apsp_reach_search {
	struct apsp_tables *tables; /* borrowed */
	uint32_t v;
	struct apsp_reach_query query;
	uint32_t next_word; /* of the closure's row */
	uint64_t word;	    /* unchecked bits of the word before next_word */
	struct apsp_reach_set set;
};

/* Begin a search. The caller ends *out with apsp_reach_search_done().
   APSP_ENOMEM. */
int apsp_reach_search_begin(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_reach_search *out,
	struct apsp_err *err);
void apsp_reach_search_done(struct apsp_reach_search *search);

/*
 * Check about 64 more candidates, or 65,536 if the search has no bound. Returns
 * 1 if candidates are left, else 0: search->set is complete. APSP_EDAMAGED.
 */
int apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);

#endif
