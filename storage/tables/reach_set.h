/*
 * The set of vertices that a vertex reaches, or that reach it, also within a
 * distance or among given vertices.
 */
#ifndef APSP_STORAGE_TABLES_REACH_SET_H
#define APSP_STORAGE_TABLES_REACH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

enum apsp_direction {
	APSP_DIRECTION_OUT, /* what v reaches */
	APSP_DIRECTION_IN,  /* what reaches v */
};

struct apsp_reach_query {
	enum apsp_direction direction;
	bool has_max_distance;
	double max_distance; /* keep d <= max_distance */
	/* keep vertices whose bit is set in this row of n bits; NULL: all.
	 * Borrowed while the search goes on. */
	const uint64_t *within;
};

struct apsp_reach_set {
	uint32_t *vertices; /* ascending, v itself among them; owned */
	size_t count;
};

/*
 * A search in parts. A bounded search may read 64 KiB of the file for each
 * candidate, and may walk its path where float32 holds distances.
 */
struct apsp_reach_search {
	struct apsp_tables *tables; /* borrowed */
	uint32_t v;
	struct apsp_reach_query query;
	uint32_t next_word; /* of the closure's row */
	uint64_t word;	    /* bits of the word before, still to be looked at */
	struct apsp_reach_set set;
};

/* Begin; the caller ends *out with apsp_reach_search_done(). APSP_ENOMEM. */
int apsp_reach_search_begin(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_reach_search *out,
	struct apsp_err *err);
void apsp_reach_search_done(struct apsp_reach_search *search);

/*
 * Look at some 64 candidates more, or 65,536 of a search without a bound.
 * Returns 1 if more are left, else 0: search->set is complete. APSP_EDAMAGED.
 */
int apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);

/* Whether the search has a bound, so that candidates are looked at singly. */
static inline bool apsp_reach_query_is_bounded(
	const struct apsp_reach_query *query)
{
	return query->has_max_distance;
}

/*
 * Fill *out, which the caller ends with apsp_reach_set_done(). Without a bound
 * only bits are read: O(n). APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_reach_set_find(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_reach_set *out,
	struct apsp_err *err);
void apsp_reach_set_done(struct apsp_reach_set *set);

#endif
