/*
 * Searches for paths; see path_search.h. The request keeps the search between
 * its turns.
 */
#include "api/paths/path_search.h"

#include <stdlib.h>

#include "api/reading.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "daemon/base/auto.h"
#include "storage/store.h"

/* Sums of float64 differ by less than this for rounding alone. */
#define REAL_TOLERANCE 1e-12

enum {
	/* a connection's thread searches so much itself, some 0.1 ms */
	HERE_ARCS = 8192,
	HERE_VERTICES = 16384,
	HERE_PATHS = 16,
};

void apsp_path_search_free(void *state)
{
	struct apsp_path_search *search = state;

	if (!search)
		return;
	apsp_k_paths_done(&search->k_paths);
	apsp_tie_graph_done(&search->ties);
	apsp_walk_search_done(&search->walk);
	apsp_path_done(&search->path);
	apsp_avoided_done(&search->avoided);
	apsp_adjacency_cache_close(search->shared);
	apsp_share_close(&search->share);
	apsp_reading_done(&search->reading);
	free(search);
}

static bool has_real_lengths(const struct apsp_path_search *search)
{
	return search->reading.tables->header.distance_kind ==
	       APSP_DISTANCE_SUM;
}

/*
 * For whole lengths the path of the tables is the answer, if nothing on it is
 * to be avoided.
 */
static int ask_table(struct apsp_path_search *search, struct apsp_err *err)
{
	struct apsp_path *path = &search->path;
	int r;

	if (search->options.kind != APSP_PATH_AVOID || has_real_lengths(search))
		return 0;
	r = apsp_lookup_path(search->reading.tables, search->reading.from,
		search->reading.to, path, err);
	if (r < 0)
		return r;
	search->by_table = true;
	for (uint32_t i = 0; i < path->hops; i++)
		search->by_table &= !apsp_avoided_has_arc(&search->avoided,
			path->vertices[i], path->vertices[i + 1]);
	return 0;
}

/* The arcs are loaded: begin the search itself. */
static int search_begin(struct apsp_path_search *search, struct apsp_err *err)
{
	struct apsp_path_options *options = &search->options;
	const struct apsp_avoided *avoided = &search->avoided;

	search->arcs = apsp_adjacency_cache_arcs(search->shared);
	search->unit = search->arcs->unit;
	switch (options->kind) {
	case APSP_PATH_TIES:
		if (!options->has_tolerance)
			options->tolerance =
				has_real_lengths(search) ? REAL_TOLERANCE : 0;
		return apsp_tie_graph_begin(search->reading.tables,
			search->arcs, search->reading.from, search->reading.to,
			options->tolerance, avoided, &search->ties, err);
	case APSP_PATH_WITHIN:
		return apsp_walk_search_begin(search->arcs,
			search->reading.from, search->reading.to,
			options->n_arcs, options->exactly, avoided,
			&search->walk, err);
	default:
		return apsp_k_paths_begin(search->reading.tables, search->arcs,
			search->reading.from, search->reading.to, options->k,
			avoided, &search->k_paths, err);
	}
}

/* Search for one turn. Returns 1 if the search goes on. */
static int turn(struct apsp_path_search *search, struct apsp_err *err)
{
	struct apsp_search_work *work = &search->work;
	uint64_t bytes;
	int more, r;

	switch (search->options.kind) {
	case APSP_PATH_TIES:
		more = apsp_tie_graph_step(&search->ties, work, err);
		bytes = apsp_tie_graph_bytes(&search->ties);
		break;
	case APSP_PATH_WITHIN:
		more = apsp_walk_search_step(&search->walk, work, err);
		bytes = apsp_walk_search_bytes(&search->walk);
		break;
	default:
		more = apsp_k_paths_step(&search->k_paths, work, err);
		bytes = apsp_k_paths_bytes(&search->k_paths);
	}
	if (more < 0)
		return more;
	r = apsp_share_set(&search->share, bytes, "the search", err);
	return r < 0 ? r : more;
}

/*
 * Search on the connection's thread. Most searches end before they have looked
 * at HERE_ARCS arcs, in less time than it takes to wake a thread of the pool.
 * Other searches move to the pool and begin again there, as do those whose arcs
 * are not in memory yet.
 */
static int search_here(struct apsp_request *req,
	struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_table_header *header =
		&search->reading.tables->header;
	int r;

	if (search->by_table)
		return 0;
	if (header->n_vertices > HERE_VERTICES ||
		search->options.k > HERE_PATHS)
		return apsp_request_move(req, err);
	r = apsp_adjacency_cache_open(
		apsp_store_parts(req->config->store)->adjacencies,
		search->reading.tables, &search->shared, err);
	if (r < 0)
		return r;
	if (!apsp_adjacency_cache_arcs(search->shared))
		return apsp_request_move(req, err);
	search->work.turn_arcs = HERE_ARCS;
	r = search_begin(search, err);
	if (r == 0)
		r = turn(search, err);
	search->ended = r == 0;
	return r > 0 ? apsp_request_move(req, err) : r;
}

/* Begin the search, which req->state keeps. Returns 1 if the reply is a 304. */
static int begin(struct apsp_request *req,
	const struct apsp_path_options *options, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_search_end) struct apsp_path_search *search = NULL;
	int r;

	search = calloc(1, sizeof(*search));
	if (!search)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	search->options = *options;
	search->work.max_arcs = req->config->limits.max_search_arcs;
	r = apsp_request_share(req, &search->share, err);
	if (r == 0)
		r = apsp_reading_open_pair(req, &search->reading, err);
	if (r == 0)
		r = apsp_path_options_avoided(req, &search->reading,
			search->reading.from, search->reading.to,
			&search->avoided, err);
	if (r == 0)
		r = apsp_reading_etag(req, &search->reading, false, err);
	if (r == 0)
		r = ask_table(search, err);
	if (r == 0)
		r = req->in_pool ? 0 : search_here(req, search, err);
	if (r != 0)
		return r;
	req->state = APSP_TAKE(search);
	req->state_free = apsp_path_search_free;
	return 0;
}

int apsp_path_search_run(struct apsp_request *req,
	const struct apsp_path_options *options, struct apsp_err *err)
{
	struct apsp_path_search *search;
	int r = req->state ? 0 : begin(req, options, err);

	if (r != 0)
		return r < 0 ? r : 0;
	search = req->state;
	if (search->by_table || search->ended)
		return 1;
	if (!search->arcs) {
		r = apsp_reading_arcs(
			req, &search->reading, &search->shared, err);
		if (r == 0)
			r = search_begin(search, err);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	while ((r = turn(search, err)) > 0)
		if (apsp_request_again(req))
			return 0;
	return r < 0 ? r : 1;
}

void apsp_path_search_settle(struct apsp_path_search *search)
{
	const struct apsp_k_paths *found = &search->k_paths;
	uint64_t bytes, longest = 0;

	if (search->options.kind == APSP_PATH_K) {
		for (uint32_t i = 0; i < found->n_paths; i++)
			if (found->paths[i].n_arcs > longest)
				longest = found->paths[i].n_arcs;
		/* with the copy that is made of each path to write it */
		bytes = apsp_k_paths_settle(&search->k_paths) +
			(longest + 1) * (sizeof(uint32_t) + 2 * sizeof(double));
	} else if (search->options.kind == APSP_PATH_TIES) {
		bytes = apsp_tie_graph_settle(&search->ties);
	} else {
		return; /* a single path is written at once */
	}
	search->arcs = NULL;
	apsp_adjacency_cache_close(search->shared);
	search->shared = NULL;
	(void)apsp_share_set(&search->share, bytes, "the search", NULL);
}
