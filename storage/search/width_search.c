/*
 * Searches for widest paths; see width_search.h.
 *
 * The beginning of a widest path need not be a widest path itself. So the
 * search for the width keeps no predecessors. The path is read off the levels
 * of the breadth-first search, from its end: the vertex before v is the lowest
 * vertex that is one level nearer to the source and has an arc to v of at least
 * the width.
 */
#include "storage/search/width_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

uint64_t apsp_width_search_first_bytes(uint64_t n_vertices)
{
	return (n_vertices + 1) * (4 * sizeof(uint32_t) + sizeof(double));
}

int apsp_width_search_init(const struct apsp_adjacency *arcs,
	const struct apsp_avoided *avoided, struct apsp_width_search *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_width_search_done)
	struct apsp_width_search search = {.arcs = arcs, .avoided = avoided};
	size_t n = (size_t)arcs->n_vertices + 1;

	search.vertices = malloc(n * sizeof(*search.vertices));
	search.stamps = calloc(n, sizeof(*search.stamps));
	search.levels = malloc(n * sizeof(*search.levels));
	search.reached = malloc(n * sizeof(*search.reached));
	if (avoided->vertices)
		search.best = malloc(n * sizeof(*search.best));
	if (!search.vertices || !search.stamps || !search.levels ||
		!search.reached || (avoided->vertices && !search.best))
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	*out = APSP_TAKE(search);
	return 0;
}

void apsp_width_search_done(struct apsp_width_search *search)
{
	apsp_cost_heap_done(&search->heap);
	free(search->vertices);
	free(search->best);
	free(search->stamps);
	free(search->levels);
	free(search->reached);
	memset(search, 0, sizeof(*search));
}

static void reach(struct apsp_width_search *search, uint32_t v, uint32_t level)
{
	search->stamps[v] = search->stamp;
	search->levels[v] = level;
	search->reached[search->n_reached++] = v;
}

int apsp_width_search_begin(struct apsp_width_search *search, uint32_t from,
	uint32_t to, double width, struct apsp_err *err)
{
	const struct apsp_cost_entry start = {.vertex = from};
	uint32_t n = search->arcs->n_vertices;

	search->from = from;
	search->to = to;
	search->found = false;
	search->width = width;
	search->n_arcs = 0;
	search->n_reached = 0;
	search->next = 0;
	if (++search->stamp == 0) { /* all numbers were used */
		memset(search->stamps, 0, n * sizeof(*search->stamps));
		search->stamp = 1;
	}
	reach(search, from, 0);
	search->heap.n = 0;
	search->widening = search->best != NULL;
	if (!search->widening)
		return 0;
	for (uint32_t v = 0; v < n; v++)
		search->best[v] = 0;
	search->best[from] = INFINITY;
	return apsp_cost_heap_push(&search->heap, &start, err);
}

/* Visit the arcs out of v, to which a walk as wide as search->best[v] leads. */
static int widen_from(struct apsp_width_search *search, uint32_t v,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint64_t first = arcs->out_offsets[v], end = arcs->out_offsets[v + 1];
	int r = apsp_search_work_count(work, end - first, err);

	for (uint64_t a = first; a < end && r == 0; a++) {
		uint32_t head = arcs->heads[a];
		double width = fmin(search->best[v], arcs->weights[a]);
		struct apsp_cost_entry entry = {.vertex = head};

		if (width <= search->best[head] ||
			apsp_avoided_has_arc(search->avoided, v, head))
			continue;
		search->best[head] = width;
		entry.key = entry.cost = apsp_path_cost_of_width(width);
		r = apsp_cost_heap_push(&search->heap, &entry, err);
	}
	return r;
}

/* Find the width of the widest path. Returns 1 if the turn is over before
   that, else 0. */
static int widen(struct apsp_width_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	while (search->heap.n > 0 && search->best[search->to] < INFINITY) {
		struct apsp_cost_entry entry;
		int r;

		if (apsp_search_work_turn_over(work))
			return 1;
		entry = apsp_cost_heap_pop(&search->heap);
		if (entry.vertex == search->to)
			break;
		/* a wider walk to this vertex was found later */
		if (entry.cost !=
			apsp_path_cost_of_width(search->best[entry.vertex]))
			continue;
		r = widen_from(search, entry.vertex, work, err);
		if (r < 0)
			return r;
	}
	search->width = search->best[search->to];
	search->widening = false;
	return 0;
}

/* Store the path from the levels, from its end to its source. */
static void path_store(struct apsp_width_search *search)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint32_t v = search->to;

	search->found = true;
	search->n_arcs = search->levels[v];
	for (uint32_t level = search->n_arcs; level > 0; level--) {
		uint64_t i = arcs->in_offsets[v];

		search->vertices[level] = v;
		/* there is such an arc, because the search has reached v */
		while (arcs->weights[arcs->in_arcs[i]] < search->width ||
			search->stamps[arcs->tails[i]] != search->stamp ||
			search->levels[arcs->tails[i]] != level - 1 ||
			apsp_avoided_has_arc(
				search->avoided, arcs->tails[i], v))
			i++;
		v = arcs->tails[i];
	}
	search->vertices[0] = v;
}

/* Visit the arcs out of v, which has this level. Returns 1 if one of them leads
   to the end. */
static int level_from(struct apsp_width_search *search, uint32_t v,
	uint32_t level, struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint64_t first = arcs->out_offsets[v], end = arcs->out_offsets[v + 1];
	int r = apsp_search_work_count(work, end - first, err);

	for (uint64_t a = first; a < end && r == 0; a++) {
		uint32_t head = arcs->heads[a];

		if (arcs->weights[a] < search->width ||
			search->stamps[head] == search->stamp ||
			apsp_avoided_has_arc(search->avoided, v, head))
			continue;
		reach(search, head, level + 1);
		r = head == search->to;
	}
	return r;
}

/* Find the path over arcs of at least the width. Returns 1 if the turn is over
   before that, else 0. */
static int find(struct apsp_width_search *search, struct apsp_search_work *work,
	struct apsp_err *err)
{
	int r = search->from == search->to;

	for (; r == 0 && search->next < search->n_reached; search->next++) {
		uint32_t v = search->reached[search->next];

		if (apsp_search_work_turn_over(work))
			return 1;
		r = level_from(search, v, search->levels[v], work, err);
	}
	if (r > 0)
		path_store(search);
	return r < 0 ? r : 0;
}

int apsp_width_search_step(struct apsp_width_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	int r = 0;

	apsp_search_work_turn(work);
	if (search->widening)
		r = widen(search, work, err);
	if (r == 0 && search->width > 0)
		r = find(search, work, err);
	work->bytes = apsp_width_search_first_bytes(search->arcs->n_vertices) +
		      search->heap.size * sizeof(*search->heap.entries);
	return r;
}
