/*
 * Searches for paths that cannot be looked up in the tables. Short searches run
 * on the connection's thread. Others run on the thread pool, in steps of about
 * a millisecond (storage/search/README.md).
 */
#ifndef APSP_API_PATHS_PATH_SEARCH_H
#define APSP_API_PATHS_PATH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/search/avoided.h"
#include "storage/search/k_paths.h"
#include "storage/search/tie_graph.h"
#include "storage/search/walk_search.h"
#include "storage/search/width_search.h"
#include "storage/tables/lookup.h"

enum apsp_path_kind {
	APSP_PATH_ONE,	  /* the path that the tables hold, or a widest path */
	APSP_PATH_AVOID,  /* the shortest path that avoids vertices or arcs */
	APSP_PATH_K,	  /* the k shortest paths */
	APSP_PATH_TIES,	  /* the graph of all shortest paths */
	APSP_PATH_WITHIN, /* the shortest path of at most n_arcs arcs, or the
			     shortest walk of exactly n_arcs arcs */
};

/* The values of ?ties=, ?k=, ?avoid= and ?hops=. */
struct apsp_path_options {
	enum apsp_path_kind kind;
	uint32_t k;
	uint32_t n_arcs; /* the number in ?hops=; only for APSP_PATH_WITHIN */
	bool exactly; /* true: a walk of n_arcs arcs; false: a path of at most
			 n_arcs arcs */
	bool has_tolerance;
	double tolerance;  /* for ties=all: an arc is accepted if it is on a
			      walk that is longer than the shortest path by at
			      most this fraction */
	uint32_t max_arcs; /* for ties=all: largest number of arcs that the
			      answer has */
};

struct apsp_path_search {
	struct apsp_path_options options;
	struct apsp_reading reading; /* the pair of vertices, and the tables */
	struct apsp_avoided avoided;
	struct apsp_shared_adjacency *shared; /* owned */
	const struct apsp_adjacency *arcs;    /* NULL: not loaded; borrowed */
	struct apsp_search_work work;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */
	struct apsp_path_cost_unit unit; /* unit of the arcs' costs */
	bool ended;
	bool is_widest; /* the profile has widest paths */
	double rank;	/* rank of the width of the widest path without ?avoid=:
			   the index of this width, counted from 1, in the
			   descending list of all widths */
	bool by_table;	/* the tables have the answer: they have a path that
			   contains nothing that must be avoided, or they show
			   that there is no path */
	struct apsp_path path; /* the answer, if by_table is set */
	/* a search uses only one of the members k_paths, ties, walk and wide;
	   options.kind and is_widest decide which one */
	struct apsp_k_paths k_paths;
	struct apsp_tie_graph ties;
	struct apsp_walk_search walk;
	struct apsp_width_search wide;
};

/*
 * Begin a search for the paths that `options` asks for, between the vertices of
 * `reading`, and store it in req->state. Moves *reading into the search, which
 * leaves *reading empty. Use the kind APSP_PATH_ONE only if the profile has
 * widest paths. Returns 1 if the request was answered with 304.
 *
 * APSP_ESEARCH: the search needs too much memory or work. APSP_EMALFORMED: the
 * profile has widest paths, but `options` asks for ties or k paths; or ?avoid=
 * names an end of the path. Also fails as apsp_reading_rows() does.
 */
int apsp_path_search_begin(struct apsp_request *req,
	const struct apsp_path_options *options, struct apsp_reading *reading,
	struct apsp_err *err);

/*
 * Continue the search in req->state, a struct apsp_path_search. Returns 1 when
 * the search has ended, or 0 if the handler will be called again. APSP_ESEARCH:
 * the search needs too much memory or work. Also fails as apsp_reading_arcs()
 * does.
 */
int apsp_path_search_run(struct apsp_request *req, struct apsp_err *err);

void apsp_path_search_free(void *search); /* accepts NULL */

/*
 * Reply with the result of the search in req->state; the reply then owns the
 * search. A short answer is sent whole. A long answer is written by the pool,
 * one block at a time, when the client is ready for it. APSP_EDAMAGED: the
 * content of the table file has changed. Also fails as apsp_reply_text() and
 * apsp_stream_reply() do.
 */
int apsp_path_search_reply(struct apsp_request *req, struct apsp_err *err);

#endif
