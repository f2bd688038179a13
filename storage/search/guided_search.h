/*
 * The cheapest path from one vertex to another, found from its end: A* (Hart,
 * Nilsson and Raphael 1968) against the arcs, with the source's row of the
 * distance table as the bound of what is still to go (storage/search/README.md,
 * The table is the guide).
 *
 *	init ─► begin, ban …, step, step, … (0) ─► path ─► begin, …
 */
#ifndef APSP_STORAGE_SEARCH_GUIDED_SEARCH_H
#define APSP_STORAGE_SEARCH_GUIDED_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/search/avoided.h"
#include "storage/search/cost_heap.h"
#include "storage/search/search_work.h"
#include "storage/search/table_bound.h"

/* What one search knows of a vertex. Other stamps: of an earlier search. */
struct apsp_guided_label {
	apsp_path_cost cost; /* to the end, cheapest so far */
	uint32_t stamp;	     /* of cost */
	uint32_t ban;	     /* … the vertex is banned */
	uint32_t tail_ban;   /* … as the tail of an arc into the end */
	uint32_t mark; /* … a cheapest path from the source leads there */
};

struct apsp_guided_search {
	const struct apsp_adjacency *arcs;  /* borrowed */
	const struct apsp_avoided *avoided; /* borrowed */
	struct apsp_table_bound bound;
	struct apsp_guided_label *labels; /* by vertex; owned */
	struct apsp_cost_heap heap;
	uint32_t stamp;
	uint32_t end;
	apsp_path_cost limit; /* keys above are not looked at */
	apsp_path_cost
		best;	  /* of the source; APSP_PATH_COST_INFINITY: none yet */
	double tolerance; /* below 0: cheapest paths alone */
	double far;	  /* a sum of lengths that is above limit for certain */
};

/*
 * For searches from source. avoided must outlive the search. The caller ends
 * *out with apsp_guided_search_done(). APSP_ENOMEM.
 */
int apsp_guided_search_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	const struct apsp_avoided *avoided, struct apsp_guided_search *out,
	struct apsp_err *err);
void apsp_guided_search_done(struct apsp_guided_search *search);

/*
 * Begin a search for the cheapest path source → end; the path goes on from end
 * at cost `rest`, and all together must not cost more than limit. APSP_ENOMEM.
 */
int apsp_guided_search_begin(struct apsp_guided_search *search, uint32_t end,
	apsp_path_cost rest, apsp_path_cost limit, struct apsp_err *err);

/* Between begin and the first step: the path must not have the vertex … */
void apsp_guided_search_ban(struct apsp_guided_search *search, uint32_t v);
/* … nor end with the arc from tail to its end. */
void apsp_guided_search_ban_tail(
	struct apsp_guided_search *search, uint32_t tail);

/*
 * Search on for the rest of the turn. Returns 1 if there is more, else 0: then
 * search->best is the cost, and each vertex whose cheapest path is as cheap
 * has its label. APSP_ESEARCH, APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_guided_search_step(struct apsp_guided_search *search,
	struct apsp_search_work *work, struct apsp_err *err);

/*
 * The vertices of the path that was found, source first, by the tie rule
 * (storage/tables/README.md, What an answer means). *out_vertices is the
 * caller's, and has *out_n_arcs + 1. APSP_ENOMEM, APSP_ESEARCH.
 */
int apsp_guided_search_path(struct apsp_guided_search *search,
	struct apsp_search_work *work, uint32_t **out_vertices,
	uint32_t *out_n_arcs, struct apsp_err *err);

/* Whether the search has a label for the vertex. */
static inline bool apsp_guided_search_knows(
	const struct apsp_guided_search *search, uint32_t v)
{
	return search->labels[v].stamp == search->stamp;
}

/* Whether the arc from tail to head must not be on the path. */
bool apsp_guided_search_is_banned(
	const struct apsp_guided_search *search, uint32_t tail, uint32_t head);

/*
 * At least the cost of the cheapest path source → end, with all that are tied
 * with it: the limit of a search that has nothing to avoid.
 */
apsp_path_cost apsp_guided_search_most(
	const struct apsp_guided_search *search, uint32_t end);

/* The bytes that the search has taken. */
uint64_t apsp_guided_search_bytes(const struct apsp_guided_search *search);

#endif
