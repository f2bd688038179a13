/*
 * The cheapest path from one vertex to another, searched from its end: A*
 * (Hart, Nilsson and Raphael 1968) against the direction of the arcs. The
 * source's row of the tables gives lower bounds of the remaining cost
 * (table_bound.h).
 *
 *	init ─► step, step, … (0) ─► path ─► begin, ban …, step, …
 */
#ifndef APSP_STORAGE_SEARCH_GUIDED_SEARCH_H
#define APSP_STORAGE_SEARCH_GUIDED_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/search/avoided.h"
#include "storage/search/cost_heap.h"
#include "storage/search/search_work.h"
#include "storage/search/table_bound.h"
#include "storage/tables/tables.h"

/*
 * The search's data about one vertex. A search does not use banned vertices and
 * banned arcs. The caller bans arcs (`tail_ban`) after
 * apsp_guided_search_begin() and before the first step. These bans end with the
 * search. Banned vertices (`ban`) stay banned in later searches until the
 * caller increments the search's `bans`.
 */
struct apsp_guided_label {
	apsp_path_cost cost; /* cost of the cheapest path that was found so far
				from this vertex to the end */
	uint32_t stamp; /* `cost` is valid if this member equals the search's
			   stamp */
	uint32_t ban; /* equal to the search's `bans` if the vertex is banned */
	uint32_t tail_ban; /* equal to the search's stamp if the arc from the
			      vertex to the end is banned */
	uint32_t mark;	   /* equal to the search's stamp if the vertex is on a
			      cheapest path from the source to the end */
};

struct apsp_guided_search {
	const struct apsp_adjacency *arcs;  /* borrowed */
	const struct apsp_avoided *avoided; /* borrowed */
	uint32_t source;
	struct apsp_table_bound bound;
	struct apsp_guided_label *labels; /* one label for each vertex; owned */
	struct apsp_cost_heap heap;
	uint32_t stamp;
	uint32_t bans; /* the number that marks banned vertices (label.ban); at
			  least 1 */
	uint32_t end;
	apsp_path_cost limit; /* paths with a greater cost are ignored */
	apsp_path_cost best;  /* cost of the cheapest path;
				 APSP_PATH_COST_INFINITY: none was found yet */
	/* two lengths count as equal if their relative difference is at most
	   this number; below 0: a path counts as shortest only if its cost is
	   the least */
	double tolerance;
	double far; /* if a sum of doubles is greater than this number, the
		       exact cost is greater than `limit` */
};

/*
 * Begin the search for the cheapest path source → end. If `tolerance` is 0 or
 * more, also find all paths whose length counts as equal to the length of that
 * path. `tables`, `arcs` and `avoided` must outlive the search. The caller ends
 * *out with apsp_guided_search_done(). APSP_EDAMAGED: the tables are damaged.
 * APSP_ENOMEM. Also fails as apsp_adjacency_needs_unit() does.
 */
int apsp_guided_search_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source, uint32_t end,
	double tolerance, const struct apsp_avoided *avoided,
	struct apsp_guided_search *out, struct apsp_err *err);
void apsp_guided_search_done(struct apsp_guided_search *search);

/*
 * Begin another search from the same source, for the cheapest path source →
 * end. This path is the first part of a longer path. The rest of the longer
 * path, after `end`, costs `rest`; the search adds `rest` to all its costs. A
 * path is ignored if path and rest together cost more than `limit`.
 * APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_guided_search_begin(struct apsp_guided_search *search, uint32_t end,
	apsp_path_cost rest, apsp_path_cost limit, struct apsp_err *err);

/*
 * Continue the search for about a millisecond (search_work.h). Returns 1 if the
 * search has not ended, else 0. At the end, search->best is the least cost of a
 * path, and the labels have the costs of all vertices on paths whose cost
 * counts as equal to search->best. APSP_ESEARCH: the search exceeds its limit
 * of arcs. APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_guided_search_step(struct apsp_guided_search *search,
	struct apsp_search_work *work, struct apsp_err *err);

/*
 * Store the vertices of the cheapest path, the source first. If several paths
 * are equally cheap, the tie rule chooses one (storage/tables/README.md, The
 * tie rule). *out_vertices has *out_n_arcs + 1 elements; the caller frees it.
 * APSP_ESEARCH: the search exceeds its limit of arcs. APSP_ENOMEM.
 */
int apsp_guided_search_path(struct apsp_guided_search *search,
	struct apsp_search_work *work, uint32_t **out_vertices,
	uint32_t *out_n_arcs, struct apsp_err *err);

/* Whether this search has found a cost for the vertex. */
static inline bool apsp_guided_search_knows(
	const struct apsp_guided_search *search, uint32_t v)
{
	return search->labels[v].stamp == search->stamp;
}

/* Whether the arc from tail to head is banned or avoided. */
bool apsp_guided_search_is_banned(
	const struct apsp_guided_search *search, uint32_t tail, uint32_t head);

/* Return an upper bound of the bytes that apsp_guided_search_init() allocates
   for a graph of n_vertices vertices. */
uint64_t apsp_guided_search_first_bytes(uint64_t n_vertices);

/* Return the number of bytes that the search has allocated. */
uint64_t apsp_guided_search_bytes(const struct apsp_guided_search *search);

#endif
