/*
 * A* search against the direction of the arcs; see guided_search.h.
 *
 * The table's distances give lower bounds of the remaining cost. If lengths are
 * real numbers, the bounds are slightly below the distances, and they are not
 * consistent: for an arc u → v, the bound of v can exceed the bound of u plus
 * the arc's length. Then A* can visit a vertex before it has found the cheapest
 * path from this vertex to the end. When it finds a cheaper path, it visits the
 * vertex again.
 */
#include "storage/search/guided_search.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

/* An upper bound of the relative rounding error of a sum of a few doubles. */
#define ROUNDED 1e-14

void apsp_guided_search_done(struct apsp_guided_search *search)
{
	apsp_table_bound_done(&search->bound);
	free(search->labels);
	apsp_cost_heap_done(&search->heap);
	memset(search, 0, sizeof(*search));
}

uint64_t apsp_guided_search_first_bytes(uint64_t n_vertices)
{
	const struct apsp_guided_search *search = NULL;

	/* Do not count the reader of the row from which the bounds are taken.
	   The reader takes less than the labels, and is freed before the labels
	   are allocated. */
	return n_vertices * sizeof(*search->labels) +
	       apsp_table_bound_bytes(n_vertices);
}

uint64_t apsp_guided_search_bytes(const struct apsp_guided_search *search)
{
	return apsp_guided_search_first_bytes(search->arcs->n_vertices) +
	       search->bound.stack_size * sizeof(*search->bound.stack) +
	       search->heap.size * sizeof(*search->heap.entries);
}

/* Return a lower bound of the cost of the cheapest path source → v, or
   APSP_PATH_COST_INFINITY if there is no path. If lengths are whole numbers,
   the bound equals that cost. The lower bound of the distance source → v must
   be known (apsp_table_bound_knows()). */
static apsp_path_cost cost_least(
	const struct apsp_guided_search *search, uint32_t v)
{
	const struct apsp_table_bound *bound = &search->bound;
	const struct apsp_path_cost_unit *unit = &search->arcs->unit;
	double units;

	if (bound->least[v] == INFINITY)
		return APSP_PATH_COST_INFINITY;
	units = apsp_path_cost_units(unit, bound->least[v]);
	return bound->exact
		       ? apsp_path_cost_of_units(unit, units) + bound->hops[v]
		       : apsp_path_cost_of_units(unit, floor(units));
}

/*
 * Return an upper bound of the costs of all shortest paths source → v, or
 * APSP_PATH_COST_INFINITY if there is no path.
 */
static apsp_path_cost cost_most(
	const struct apsp_guided_search *search, uint32_t v)
{
	const struct apsp_table_bound *bound = &search->bound;
	const struct apsp_path_cost_unit *unit = &search->arcs->unit;
	double least = bound->least[v], most;

	if (least == INFINITY)
		return APSP_PATH_COST_INFINITY;
	/* Add three margins. The first margin is the difference between
	   `least` and the table's distance. The second covers the rounding
	   of the table's distance: it is at least the difference between
	   this distance and the exact length of the table's path. The third
	   is a reserve. */
	most = least + 3 * (fabs(least) * bound->share + bound->excess);
	return apsp_path_cost_of_units(
		       unit, ceil(apsp_path_cost_units(unit, most))) +
	       (unit->one - 1);
}

/* Return the greatest cost that counts as equal to `cost` within
   search->tolerance. Only the sums of lengths are compared, not the numbers of
   arcs. */
static apsp_path_cost with_ties(
	const struct apsp_guided_search *search, apsp_path_cost cost)
{
	const struct apsp_path_cost_unit *unit = &search->arcs->unit;
	apsp_path_cost sum;

	if (search->tolerance < 0 || cost >= APSP_PATH_COST_INFINITY)
		return cost;
	sum = apsp_path_cost_sum(unit, cost);
	sum += apsp_path_cost_share(sum < 0 ? -sum : sum, search->tolerance);
	return sum * unit->one + (unit->one - 1);
}

/* Compute search->far from search->limit: if a sum of doubles is greater
   than `far`, the exact cost is greater than the limit. */
static void far_set(struct apsp_guided_search *search)
{
	const struct apsp_adjacency *arcs = search->arcs;

	search->far = INFINITY;
	if (search->limit < APSP_PATH_COST_INFINITY) {
		double sum = apsp_path_cost_length(&arcs->unit, search->limit);

		search->far = sum + ROUNDED * (fabs(sum) + arcs->facts.largest +
						      search->bound.largest);
	}
}

/* Lower the limit, and set `far` to match it. If a sum of doubles is greater
   than `far`, the exact cost is greater than the limit. */
static void limit_to(struct apsp_guided_search *search, apsp_path_cost limit)
{
	if (limit > search->limit)
		return;
	search->limit = limit;
	far_set(search);
}

/* Find the lower bound of the distance source → v. The member `far` depends
   on the largest magnitude of all bounds that were found, so compute it
   again if this magnitude has grown. */
static int bound_find(
	struct apsp_guided_search *search, uint32_t v, struct apsp_err *err)
{
	double largest = search->bound.largest;
	int r = apsp_table_bound_find(&search->bound, v, err);

	if (search->bound.largest > largest)
		far_set(search);
	return r;
}

/* A path of cost `cost` from v to the end was found. Store the cost in v's
   label, and push v to the heap. Do nothing if the label already has this cost
   or a lower cost. Also do nothing if `cost` plus the lower bound of the cost
   source → v exceeds search->limit. */
static int reach(struct apsp_guided_search *search, uint32_t v,
	apsp_path_cost cost, struct apsp_err *err)
{
	struct apsp_guided_label *label = &search->labels[v];
	struct apsp_cost_entry entry = {.cost = cost, .vertex = v};
	apsp_path_cost bound;

	if (label->stamp == search->stamp && label->cost <= cost)
		return 0;
	bound = cost_least(search, v);
	if (bound >= APSP_PATH_COST_INFINITY)
		return 0;
	entry.key = cost + bound;
	if (entry.key > search->limit)
		return 0;
	label->stamp = search->stamp;
	label->cost = cost;
	return apsp_cost_heap_push(&search->heap, &entry, err);
}

int apsp_guided_search_begin(struct apsp_guided_search *search, uint32_t end,
	apsp_path_cost rest, apsp_path_cost limit, struct apsp_err *err)
{
	int r = bound_find(search, end, err);

	if (r < 0)
		return r;
	search->stamp++;
	search->heap.n = 0;
	search->end = end;
	search->limit = APSP_PATH_COST_INFINITY;
	search->best = APSP_PATH_COST_INFINITY;
	limit_to(search, limit);
	if (apsp_avoided_has_vertex(search->avoided, end))
		return 0;
	return reach(search, end, rest, err);
}

int apsp_guided_search_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source, uint32_t end,
	double tolerance, const struct apsp_avoided *avoided,
	struct apsp_guided_search *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_guided_search_done)
	struct apsp_guided_search search = {
		.arcs = arcs,
		.avoided = avoided,
		.source = source,
		.tolerance = tolerance,
		.bans = 1,
	};
	apsp_path_cost limit = APSP_PATH_COST_INFINITY;
	int r;

	r = apsp_adjacency_needs_unit(arcs, err);
	if (r == 0)
		r = apsp_table_bound_init(
			tables, arcs, source, &search.bound, err);
	if (r == 0)
		r = apsp_table_bound_find(&search.bound, end, err);
	if (r < 0)
		return r;
	search.labels = calloc(arcs->n_vertices, sizeof(*search.labels));
	if (!search.labels)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	/* set a limit only if nothing is avoided, because a path around avoided
	   vertices and arcs may be longer than the table's path */
	if (!avoided->vertices)
		limit = with_ties(&search, cost_most(&search, end));
	r = apsp_guided_search_begin(&search, end, 0, limit, err);
	if (r == 0)
		*out = APSP_TAKE(search);
	return r;
}

bool apsp_guided_search_is_banned(
	const struct apsp_guided_search *search, uint32_t tail, uint32_t head)
{
	const struct apsp_guided_label *label = &search->labels[tail];

	return label->ban == search->bans ||
	       (head == search->end && label->tail_ban == search->stamp) ||
	       apsp_avoided_has_arc(search->avoided, tail, head);
}

/* Find the lower bounds of the distances from the source to the tails of all
   arcs into v. */
static int tails_find(
	struct apsp_guided_search *search, uint32_t v, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	int r = 0;

	for (uint64_t i = arcs->in_offsets[v];
		i < arcs->in_offsets[v + 1] && r == 0; i++)
		if (!apsp_table_bound_knows(&search->bound, arcs->tails[i]))
			r = bound_find(search, arcs->tails[i], err);
	return r;
}

/*
 * Visit all arcs into v. The tails of most of these arcs are too far from the
 * source. Sums of doubles exclude nearly all such tails quickly. For the other
 * tails, exact costs decide.
 */
static int look(struct apsp_guided_search *search, uint32_t v,
	apsp_path_cost cost, struct apsp_search_work *work,
	struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	const double *least = search->bound.least, *lengths = arcs->in_lengths;
	uint64_t first = arcs->in_offsets[v], end = arcs->in_offsets[v + 1];
	double sum = apsp_path_cost_length(&arcs->unit, cost), far;
	int r = apsp_search_work_count(work, end - first, err);

	if (r == 0 && search->bound.known)
		r = tails_find(search, v, err);
	far = search->far - sum + ROUNDED * fabs(sum);
	for (uint64_t i = first; i < end && r == 0; i++) {
		uint32_t tail = arcs->tails[i];

		if (lengths[i] + least[tail] > far ||
			apsp_guided_search_is_banned(search, tail, v))
			continue;
		r = reach(search, tail,
			cost + apsp_path_cost_of_arc(&arcs->unit, lengths[i]),
			err);
	}
	return r;
}

int apsp_guided_search_step(struct apsp_guided_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	while (search->heap.n > 0) {
		struct apsp_cost_entry top = search->heap.entries[0];
		int r = 0;

		if (top.key > search->limit)
			break;
		if (apsp_search_work_turn_over(work))
			return 1;
		top = apsp_cost_heap_pop(&search->heap);
		if (search->labels[top.vertex].cost < top.cost)
			continue; /* skip this entry: a later entry of the same
				     vertex has a lower cost */
		if (top.vertex == search->source) {
			search->best = top.cost;
			limit_to(search, with_ties(search, top.cost));
		} else
			r = look(search, top.vertex, top.cost, work, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Whether the arc is on a cheapest path from its tail to the end. */
static bool is_tight(const struct apsp_guided_search *search, uint32_t tail,
	uint32_t head, uint64_t arc)
{
	return apsp_guided_search_knows(search, tail) &&
	       apsp_guided_search_knows(search, head) &&
	       search->labels[tail].cost ==
		       search->labels[head].cost +
			       apsp_path_cost_of_arc(&search->arcs->unit,
				       search->arcs->lengths[arc]) &&
	       !apsp_guided_search_is_banned(search, tail, head);
}

/*
 * Mark the vertices of all cheapest paths from the source to the end. The heap
 * is no longer needed, so its memory holds the list of vertices to visit.
 */
static int mark(struct apsp_guided_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	struct apsp_cost_entry entry = {.vertex = search->source};
	int r;

	search->heap.n = 0;
	search->labels[entry.vertex].mark = search->stamp;
	r = apsp_cost_heap_push(&search->heap, &entry, err);
	while (r == 0 && search->heap.n > 0) {
		uint32_t v = search->heap.entries[--search->heap.n].vertex;

		r = apsp_search_work_count(work,
			arcs->out_offsets[v + 1] - arcs->out_offsets[v], err);
		for (uint64_t a = arcs->out_offsets[v];
			a < arcs->out_offsets[v + 1] && r == 0; a++) {
			entry.vertex = arcs->heads[a];
			if (search->labels[entry.vertex].mark ==
					search->stamp ||
				!is_tight(search, v, entry.vertex, a))
				continue;
			search->labels[entry.vertex].mark = search->stamp;
			r = apsp_cost_heap_push(&search->heap, &entry, err);
		}
	}
	return r;
}

int apsp_guided_search_path(struct apsp_guided_search *search,
	struct apsp_search_work *work, uint32_t **out_vertices,
	uint32_t *out_n_arcs, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint32_t n_arcs = apsp_path_cost_arcs(&arcs->unit, search->best) -
			  apsp_path_cost_arcs(&arcs->unit,
				  search->labels[search->end].cost);
	uint32_t *vertices;
	int r = mark(search, work, err);

	if (r < 0)
		return r;
	vertices = malloc(((size_t)n_arcs + 1) * sizeof(*vertices));
	if (!vertices)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	vertices[n_arcs] = search->end;
	for (uint32_t i = n_arcs; i > 0; i--) {
		uint32_t v = vertices[i];
		uint64_t a = arcs->in_offsets[v];

		/* among the arcs into v that are on a cheapest path, find the
		   arc with the lowest tail; there is always such an arc */
		while (search->labels[arcs->tails[a]].mark != search->stamp ||
			!is_tight(search, arcs->tails[a], v, arcs->in_arcs[a]))
			a++;
		vertices[i - 1] = arcs->tails[a];
	}
	*out_vertices = vertices;
	*out_n_arcs = n_arcs;
	return 0;
}
