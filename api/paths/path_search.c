/*
 * Searches for paths; see path_search.h. A search on the thread pool is done in
 * steps of about a millisecond. Between two steps, the pool may do other work,
 * and req->state keeps the search.
 */
#include "api/paths/path_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/reading.h"
#include "api/http/query.h"
#include "daemon/base/auto.h"
#include "storage/store.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_read.h"

/* Rounding changes a sum of float64 numbers by less than this fraction. */
#define REAL_TOLERANCE 1e-12

enum {
	/*
	 * Limits of searches on the connection's thread. A search that visits
	 * HERE_ARCS arcs takes about 0.1 ms.
	 */
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
	apsp_width_search_done(&search->wide);
	apsp_path_done(&search->path);
	apsp_avoided_done(&search->avoided);
	apsp_adjacency_cache_close(search->shared);
	apsp_share_close(&search->share);
	apsp_reading_done(&search->reading);
	free(search);
}

APSP_AUTO_DEFINE(search_end, struct apsp_path_search, apsp_path_search_free);

/* The arcs that a text of ?avoid= or ?avoid_arc= may name. There may be
   several, because a label may contain '>'. */
struct named_arcs {
	uint32_t tail, head; /* the ends of the arc that was found last */
	unsigned int n;	     /* number of arcs that were found */
	bool has_labels;     /* for at least one '>', the text before it and the
				text behind it are labels */
};

/* Read `text` as tail>head, where `at` points to the '>'. If the profile has an
   arc from the vertex `tail` to the vertex `head`, add this arc to *found. */
static int arc_look(const struct apsp_reading *reading, const char *text,
	const char *at, struct named_arcs *found, struct apsp_err *err)
{
	const struct apsp_labels *labels = reading->generation->labels;
	int64_t tail = apsp_labels_find(labels, text, (size_t)(at - text));
	int64_t head = apsp_labels_find(labels, at + 1, strlen(at + 1));
	int r;

	if (tail < 0 || head < 0)
		return 0;
	found->has_labels = true;
	r = apsp_table_read_has_arc(
		reading->tables, (uint32_t)tail, (uint32_t)head, err);
	if (r <= 0)
		return r;
	found->tail = (uint32_t)tail;
	found->head = (uint32_t)head;
	found->n++;
	return 0;
}

/*
 * Add the arc that `text` names, such as tail>head, to *out. `name` is the name
 * of the argument. A label may contain '>', so each '>' is tried as the
 * separator. Returns 0 if no '>' separates the labels of two vertices, else 1.
 * APSP_EBADVERTEX: the profile has no such arc. APSP_EMALFORMED: the text names
 * several arcs.
 */
static int avoid_arc(const struct apsp_reading *reading, const char *name,
	const char *text, struct apsp_avoided *out, struct apsp_err *err)
{
	struct named_arcs found = {0};
	int r = 0;

	for (const char *at = text; r == 0 && (at = strchr(at, '>')); at++)
		r = arc_look(reading, text, at, &found, err);
	if (r < 0 || !found.has_labels)
		return r;
	if (found.n == 0)
		return apsp_fail(err, APSP_EBADVERTEX,
			"%s has '%s', but the profile '%s' of graph '%s' "
			"has no arc from the one vertex to the other",
			name, text, reading->profile->name,
			reading->snapshot->name);
	if (found.n > 1)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s has '%s', which names %u arcs, because labels "
			"contain '>'; expected one arc",
			name, text, found.n);
	r = apsp_avoided_arc(out, reading->generation->n_vertices, found.tail,
		found.head, err);
	return r < 0 ? r : 1;
}

/* Find the vertex or arc that `text` names, and add it to *out, the set of
   vertices and arcs that the path must avoid. Returns 0 if the text names
   neither a vertex nor an arc, else 1. */
static int avoid_one(const struct apsp_reading *reading, const char *text,
	struct apsp_avoided *out, struct apsp_err *err)
{
	int64_t v = apsp_labels_find(
		reading->generation->labels, text, strlen(text));
	int r;

	if (v < 0)
		return avoid_arc(reading, "avoid", text, out, err);
	if (v == reading->from || v == reading->to)
		return apsp_fail(err, APSP_EMALFORMED,
			"avoid has '%s', where the path %s", text,
			v == reading->from ? "begins" : "ends");
	r = apsp_avoided_vertex(
		out, reading->generation->n_vertices, (uint32_t)v, err);
	return r < 0 ? r : 1;
}

/*
 * Refuse a text of ?avoid= that names neither a vertex nor an arc. The request
 * moves to the pool first if finding suggestions takes long.
 */
static int unknown_refuse(struct apsp_request *req,
	const struct apsp_reading *reading, const char *text,
	struct apsp_err *err)
{
	const struct apsp_generation *generation = reading->generation;
	int r = apsp_reading_labels_are_many(generation->labels)
			? apsp_request_move(req, err)
			: 0;

	if (r < 0)
		return r;
	apsp_request_extra(req,
		json_pack("{s:o*}", "suggestions",
			apsp_reading_vertex_suggestions(generation, text)));
	return apsp_fail(err, APSP_EBADVERTEX,
		"avoid has '%s', which is neither a vertex of graph '%s' nor an"
		" arc, as 'a>b'",
		text, reading->snapshot->name);
}

/*
 * Read all arguments ?avoid= and ?avoid_arc=. Each ?avoid= names a vertex by
 * its label, or an arc as tail>head. If its text is the label of a vertex, it
 * names this vertex, even if the label contains >. Each ?avoid_arc= names an
 * arc. APSP_EBADVERTEX: the graph has no such vertex, or the profile has no
 * such arc. APSP_EMALFORMED: an argument names the vertex at which the path
 * begins or ends, or several arcs.
 */
static int avoided_read(struct apsp_request *req,
	const struct apsp_reading *reading, struct apsp_avoided *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_avoided_done) struct apsp_avoided avoided = {0};
	const char *text;
	size_t at = 0;
	int r;

	while ((text = apsp_query_next(req, "avoid", &at))) {
		r = avoid_one(reading, text, &avoided, err);
		if (r == 0)
			return unknown_refuse(req, reading, text, err);
		if (r < 0)
			return r;
	}
	at = 0;
	while ((text = apsp_query_next(req, "avoid_arc", &at))) {
		r = avoid_arc(reading, "avoid_arc", text, &avoided, err);
		if (r == 0)
			return apsp_fail(err, APSP_EBADVERTEX,
				"avoid_arc has '%s', expected two vertices of "
				"graph '%s', as 'a>b'",
				text, reading->snapshot->name);
		if (r < 0)
			return r;
	}
	*out = APSP_TAKE(avoided);
	return 0;
}

/*
 * Look for the answer in the tables. If the tables have the answer, set
 * search->by_table. The tables have the answer in two cases. First: the profile
 * has widest paths, the query has no ?hops=, and either there is no path or
 * from and to are the same vertex. Second: the profile has shortest paths, all
 * lengths are whole numbers, ?avoid= is the only option, and the path in the
 * tables contains nothing that must be avoided.
 */
static int ask_table(struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_reading *reading = &search->reading;
	enum apsp_path_kind kind = search->options.kind;
	struct apsp_path *path = &search->path;
	bool loop = reading->from == reading->to;
	int r = 0;

	if (search->is_widest) {
		r = apsp_pair_width_rank(reading->tables, reading->from,
			reading->to, &search->rank, err);
		path->is_widest = true;
		if (r < 0 || kind == APSP_PATH_WITHIN)
			return r;
		if (loop)
			r = apsp_lookup_along(
				reading->tables, &reading->from, 0, path, err);
		search->by_table = search->rank == INFINITY || loop;
		return r;
	}
	if (kind != APSP_PATH_AVOID || apsp_reading_has_sums(reading))
		return 0;
	r = apsp_lookup_path(
		reading->tables, reading->from, reading->to, path, err);
	if (r < 0)
		return r;
	search->by_table = true;
	for (uint32_t i = 0; i < path->hops; i++)
		search->by_table &= !apsp_avoided_has_arc(&search->avoided,
			path->vertices[i], path->vertices[i + 1]);
	return 0;
}

/* Returns the number of bytes that search_begin() allocates. */
static uint64_t first_bytes(const struct apsp_path_search *search)
{
	uint64_t n = search->reading.tables->header.n_vertices;

	switch (search->options.kind) {
	case APSP_PATH_TIES:
		return apsp_tie_graph_first_bytes(n);
	case APSP_PATH_WITHIN:
		return apsp_walk_search_first_bytes(n);
	default:
		if (search->is_widest)
			return apsp_width_search_first_bytes(n);
		return apsp_guided_search_first_bytes(n);
	}
}

/*
 * Reserve memory for the arcs and for the beginning of the search. If
 * ask_table() may find the answer, reserve nothing yet. Call this before rows
 * of distances are computed: if memory is short, the request then fails before
 * a row was computed in vain.
 */
static int memory_take(const struct apsp_request *req,
	struct apsp_path_search *search, struct apsp_err *err)
{
	int r;

	if (search->options.kind != APSP_PATH_WITHIN && search->is_widest)
		return 0;
	if (search->options.kind == APSP_PATH_AVOID &&
		!apsp_reading_has_sums(&search->reading))
		return 0;
	r = apsp_share_set(
		&search->share, first_bytes(search), "the search", err);
	return r < 0 ? r
		     : apsp_adjacency_cache_open(
			       apsp_store_parts(req->config->store)
				       ->adjacencies,
			       search->reading.tables, &search->shared, err);
}

/* Begin the search. Its arcs must be loaded. */
static int search_begin(struct apsp_path_search *search, struct apsp_err *err)
{
	struct apsp_path_options *options = &search->options;
	const struct apsp_avoided *avoided = &search->avoided;
	int r = apsp_share_set(
		&search->share, first_bytes(search), "the search", err);

	if (r < 0)
		return r;
	search->arcs = apsp_adjacency_cache_arcs(search->shared);
	search->unit = search->arcs->unit;
	switch (options->kind) {
	case APSP_PATH_TIES:
		if (!options->has_tolerance)
			options->tolerance =
				apsp_reading_has_sums(&search->reading)
					? REAL_TOLERANCE
					: 0;
		return apsp_tie_graph_begin(search->reading.tables,
			search->arcs, search->reading.from, search->reading.to,
			options->tolerance, avoided, &search->ties, err);
	case APSP_PATH_WITHIN:
		r = apsp_walk_search_begin(search->arcs, search->reading.from,
			search->reading.to, options->n_arcs, options->exactly,
			avoided, &search->walk, err);
		search->walk.widest = search->is_widest;
		return r;
	default:
		if (search->is_widest) {
			r = apsp_width_search_init(
				search->arcs, avoided, &search->wide, err);
			return r < 0 ? r
				     : apsp_width_search_begin(&search->wide,
					       search->reading.from,
					       search->reading.to, search->rank,
					       err);
		}
		return apsp_k_paths_begin(search->reading.tables, search->arcs,
			search->reading.from, search->reading.to, options->k,
			avoided, &search->k_paths, err);
	}
}

/*
 * End the search, and release its arcs, so that they do not stay in memory
 * while a slow client reads the answer.
 */
static void search_settle(struct apsp_path_search *search)
{
	const struct apsp_k_paths *found = &search->k_paths;
	uint64_t longest = 0;

	search->ended = true;
	search->arcs = NULL;
	apsp_adjacency_cache_close(search->shared);
	search->shared = NULL;
	for (uint32_t i = 0; i < found->n_paths; i++)
		if (found->paths[i].n_arcs > longest)
			longest = found->paths[i].n_arcs;
	/*
	 * each path is copied before it is written; count the bytes of the copy
	 * of the longest path
	 */
	search->work.bytes +=
		(longest + 1) * (sizeof(uint32_t) + 2 * sizeof(double));
}

/*
 * Do one step of the search. Returns 1 if the search needs more steps, 0 if it
 * has ended, or a negative code.
 */
static int turn(struct apsp_path_search *search, struct apsp_err *err)
{
	struct apsp_search_work *work = &search->work;
	int more, r;

	switch (search->options.kind) {
	case APSP_PATH_TIES:
		more = apsp_tie_graph_step(&search->ties, work, err);
		break;
	case APSP_PATH_WITHIN:
		more = apsp_walk_search_step(&search->walk, work, err);
		break;
	default:
		more = search->is_widest
			       ? apsp_width_search_step(
					 &search->wide, work, err)
			       : apsp_k_paths_step(&search->k_paths, work, err);
	}
	/* if the request avoids no vertex or arc, there is a path of the width
	   that the table has. If the search has not found this path, the table
	   is damaged */
	if (more == 0 && search->is_widest && !search->wide.found &&
		search->options.kind == APSP_PATH_ONE)
		more = apsp_tables_condemn(search->reading.tables,
			"a width is not that of a path", err);
	if (more < 0)
		return more;
	if (more == 0)
		search_settle(search);
	r = apsp_share_set(&search->share, work->bytes, "the search", err);
	return r < 0 ? r : more;
}

/*
 * Search on the connection's thread. Most searches visit fewer than HERE_ARCS
 * arcs and take less time than waking a thread of the pool. If a search visits
 * more arcs, or if its arcs are not in memory yet, the request moves to the
 * pool, where the search starts from its beginning.
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
	r = search->shared
		    ? 0
		    : apsp_adjacency_cache_open(
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
	return r > 0 ? apsp_request_move(req, err) : r;
}

int apsp_path_search_begin(struct apsp_request *req,
	const struct apsp_path_options *options, struct apsp_reading *reading,
	struct apsp_err *err)
{
	APSP_AUTO(search_end) struct apsp_path_search *search = NULL;
	int r;

	search = calloc(1, sizeof(*search));
	if (!search)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	search->options = *options;
	search->reading = APSP_TAKE(*reading);
	search->is_widest = apsp_reading_is_widest(&search->reading);
	r = apsp_request_share(req, &search->share, err);
	if (r == 0 && (options->kind == APSP_PATH_K ||
			      options->kind == APSP_PATH_TIES))
		r = apsp_reading_needs(&search->reading, APSP_PATH_SHORTEST,
			"answers to ties= and k=", err);
	if (r == 0)
		search->work.max_arcs =
			apsp_reading_max_arcs(req, &search->reading);
	if (r == 0)
		r = avoided_read(req, &search->reading, &search->avoided, err);
	if (r == 0)
		r = apsp_reading_etag(req, &search->reading, false, err);
	if (r == 0)
		r = memory_take(req, search, err);
	/* if the graph has no tables, get the row of distances from the path's
	   first vertex. The search for ?hops= does not read it, and widest
	   paths have no distances */
	if (r == 0 && options->kind != APSP_PATH_WITHIN && !search->is_widest)
		r = apsp_reading_rows(req, &search->reading, APSP_DEMAND_FROM,
			&search->reading.from, 1, err);
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

/*
 * Call this when the search has ended. If it was a search for ?hops= and has
 * found nothing, the answer reports whether there is any path, so get the row
 * that shows this. Returns 1, or a negative code.
 */
static int finish(struct apsp_request *req, struct apsp_path_search *search,
	struct apsp_err *err)
{
	int r = search->options.kind == APSP_PATH_WITHIN &&
				!search->walk.vertices
			? apsp_reading_reachable_row(req, &search->reading, err)
			: 0;

	return r < 0 ? r : 1;
}

int apsp_path_search_run(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_path_search *search = req->state;
	int r;

	if (search->by_table || search->ended)
		return finish(req, search, err);
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
	return r < 0 ? r : finish(req, search, err);
}
