/*
 * Yen's algorithm, applied from the end of the paths to their source; see
 * k_paths.h.
 *
 * The set of all paths is divided into subspaces. A subspace belongs to a found
 * path p and to a vertex p[i], the spur. Its paths follow p from the spur to
 * the end, but enter the spur from a vertex other than p[i - 1]. The cheapest
 * path of each subspace is a candidate, and the cheapest candidate q is the
 * next path. Then the subspace of q is divided. The spurs of the new subspaces
 * are the old spur of q and all vertices of q between the source and the old
 * spur.
 *
 *	source … p[i - 1] ─╳─▸ p[i] ─▸ … ─▸ end
 *	     ╰─ searched ─────▸
 */
#include "storage/search/k_paths.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

static void path_done(struct apsp_found_path *path)
{
	free(path->vertices);
	free(path->tails);
	memset(path, 0, sizeof(*path));
}

static uint64_t path_bytes(const struct apsp_found_path *path)
{
	return sizeof(*path) +
	       ((uint64_t)path->n_arcs + 1 + path->n_tails) * sizeof(uint32_t);
}

int apsp_k_paths_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	uint32_t k, const struct apsp_avoided *avoided,
	struct apsp_k_paths *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_k_paths_done)
	struct apsp_k_paths search = {.k = k, .searching = true, .first = true};
	int r;

	/* allocate memory for k + 1 candidates, because a new candidate is
	   added before the worst candidate is dropped */
	search.paths = calloc(k, sizeof(*search.paths));
	search.candidates = calloc((size_t)k + 1, sizeof(*search.candidates));
	if (!search.paths || !search.candidates)
		return apsp_fail(err, APSP_ENOMEM, "no memory for %u paths", k);
	r = apsp_guided_search_init(
		tables, arcs, from, to, -1, avoided, &search.search, err);
	if (r == 0)
		*out = APSP_TAKE(search);
	return r;
}

void apsp_k_paths_done(struct apsp_k_paths *search)
{
	for (uint32_t i = 0; i < search->n_paths; i++)
		path_done(&search->paths[i]);
	for (uint32_t i = 0; i < search->n_candidates; i++)
		path_done(&search->candidates[i]);
	path_done(&search->subspace);
	free(search->paths);
	free(search->candidates);
	apsp_guided_search_done(&search->search);
	memset(search, 0, sizeof(*search));
}

/* Whether path a comes before path b. The cheaper path comes first. To order
   equally cheap paths, compare their vertices from the end of the paths on. The
   path that has the lower vertex at the first difference comes first. */
static bool is_before(
	const struct apsp_found_path *a, const struct apsp_found_path *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	for (uint32_t i = a->n_arcs; i > 0; i--)
		if (a->vertices[i - 1] != b->vertices[i - 1])
			return a->vertices[i - 1] < b->vertices[i - 1];
	return false;
}

/* Add *path to the candidates, which then own it. APSP_ESEARCH: the paths take
   too much memory. */
static int candidate_add(struct apsp_k_paths *search,
	struct apsp_found_path *path, struct apsp_err *err)
{
	uint32_t i = search->n_candidates++;

	for (; i > 0 && is_before(path, &search->candidates[i - 1]); i--)
		search->candidates[i] = search->candidates[i - 1];
	search->candidates[i] = APSP_TAKE(*path);
	search->bytes += path_bytes(&search->candidates[i]);
	/* drop candidates that cannot be among the k paths */
	while (search->n_candidates > search->k - search->n_paths) {
		struct apsp_found_path *last =
			&search->candidates[--search->n_candidates];

		search->bytes -= path_bytes(last);
		path_done(last);
	}
	if (search->bytes > APSP_K_BYTES_MAX)
		return apsp_fail(err, APSP_ESEARCH,
			"%u paths of so many arcs take more than %d MiB; ask"
			" for less",
			search->k, APSP_K_BYTES_MAX >> 20);
	return 0;
}

/* After a search has ended: if it has found a path, make the path a
   candidate. */
static int search_end(struct apsp_k_paths *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	APSP_AUTO(path_done) struct apsp_found_path path = {0};
	const struct apsp_found_path *last = NULL;
	uint32_t *vertices;
	uint32_t n_rest;
	int r;

	search->searching = false;
	if (search->search.best >= APSP_PATH_COST_INFINITY) {
		path_done(&search->subspace);
		return 0;
	}
	path = APSP_TAKE(search->subspace);
	r = apsp_guided_search_path(
		&search->search, work, &path.vertices, &path.n_arcs, err);
	if (r < 0)
		return r;
	path.cost = search->search.best;
	path.spur = path.n_arcs;
	if (search->first)
		return candidate_add(search, &path, err);
	last = &search->paths[search->n_paths - 1];
	n_rest = last->n_arcs - search->spur;
	vertices = realloc(path.vertices,
		((size_t)path.n_arcs + n_rest + 1) * sizeof(*vertices));
	if (!vertices)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a path");
	path.vertices = vertices;
	memcpy(vertices + path.n_arcs, last->vertices + search->spur,
		((size_t)n_rest + 1) * sizeof(*vertices));
	path.n_arcs += n_rest;
	return candidate_add(search, &path, err);
}

/* Begin to search a subspace. Its paths share the end of the path that was
   found last, from vertex number search->spur (the spur) on. But they enter
   the spur from another vertex. */
static int search_begin(struct apsp_k_paths *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_found_path *last =
		&search->paths[search->n_paths - 1];
	uint32_t wanted = search->k - search->n_paths;
	uint32_t n_tails = search->spur == last->spur ? last->n_tails : 0;
	apsp_path_cost limit = APSP_PATH_COST_INFINITY;
	struct apsp_found_path *subspace = &search->subspace;
	struct apsp_guided_label *labels = search->search.labels;
	int r;

	/* list the vertices from which the searched paths must not enter the
	   spur, which is vertex number search->spur of the path that was
	   found last */
	subspace->tails =
		malloc(((size_t)n_tails + 1) * sizeof(*subspace->tails));
	if (!subspace->tails)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	if (n_tails > 0)
		memcpy(subspace->tails, last->tails,
			n_tails * sizeof(*last->tails));
	subspace->tails[n_tails] = last->vertices[search->spur - 1];
	subspace->n_tails = n_tails + 1;
	if (search->n_candidates == wanted)
		limit = search->candidates[wanted - 1].cost;
	r = apsp_guided_search_begin(&search->search,
		last->vertices[search->spur], search->rest, limit, err);
	if (r == 0)
		r = apsp_search_work_count(work, subspace->n_tails, err);
	for (uint32_t i = 0; i < subspace->n_tails; i++)
		labels[subspace->tails[i]].tail_ban = search->search.stamp;
	search->searching = r == 0;
	return r;
}

/* On the path that was found last, move the spur by one vertex towards the
   source. The searched paths share the part of this path from the spur to the
   end. Ban the previous spur, which is now inside that part, so that no path
   visits it twice. */
static void spur_next(struct apsp_k_paths *search)
{
	const struct apsp_adjacency *arcs = search->search.arcs;
	const uint32_t *into =
		search->paths[search->n_paths - 1].vertices + search->spur--;
	uint64_t arc = apsp_adjacency_find(arcs, into[-1], into[0]);

	search->rest += apsp_path_cost_of_arc(&arcs->unit, arcs->lengths[arc]);
	search->search.labels[into[0]].ban = search->search.bans;
}

/* Make the cheapest candidate the next found path. Returns false if all work is
   done, because there is no candidate, or because k paths are found. */
static bool path_next(struct apsp_k_paths *search)
{
	struct apsp_found_path *path;

	if (search->n_candidates == 0 || search->n_paths == search->k)
		return false;
	path = &search->paths[search->n_paths++];
	*path = search->candidates[0];
	search->n_candidates--;
	memmove(search->candidates, search->candidates + 1,
		search->n_candidates * sizeof(*search->candidates));
	search->spur = path->n_arcs;
	search->rest = 0;
	/* end the bans of the previous path's vertices */
	search->search.bans++;
	search->first = false;
	while (search->spur > path->spur)
		spur_next(search);
	return search->n_paths < search->k;
}

/* When all work is done, free everything except the paths. Returns the number
   of bytes that remain allocated. */
static uint64_t settle(struct apsp_k_paths *search)
{
	uint64_t bytes = search->k * sizeof(*search->paths);

	for (uint32_t i = 0; i < search->n_candidates; i++)
		path_done(&search->candidates[i]);
	search->n_candidates = 0;
	free(search->candidates);
	search->candidates = NULL;
	path_done(&search->subspace);
	apsp_guided_search_done(&search->search);
	for (uint32_t i = 0; i < search->n_paths; i++) {
		struct apsp_found_path *path = &search->paths[i];

		free(path->tails);
		path->tails = NULL;
		path->n_tails = 0;
		bytes += path_bytes(path);
	}
	return bytes;
}

int apsp_k_paths_step(struct apsp_k_paths *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	int r = 0;

	apsp_search_work_turn(work);
	while (r == 0) {
		if (search->searching) {
			r = apsp_guided_search_step(&search->search, work, err);
			if (r == 0)
				r = search_end(search, work, err);
			if (r == 0 && !search->first)
				spur_next(search);
		} else if (!search->first && search->spur > 0) {
			r = search_begin(search, work, err);
		} else if (!path_next(search)) {
			work->bytes = settle(search);
			return 0;
		}
		if (r == 0 && apsp_search_work_turn_over(work))
			r = 1;
	}
	work->bytes = apsp_guided_search_bytes(&search->search) +
		      search->bytes +
		      (2 * (uint64_t)search->k + 1) * sizeof(*search->paths);
	return r;
}
