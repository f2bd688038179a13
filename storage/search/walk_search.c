/*
 * Walks by layers; see walk_search.h. Layer i contains, for each vertex, the
 * cheapest walk of i arcs from the source to this vertex. Among equally cheap
 * walks to a vertex, the search keeps the walk whose second-to-last vertex has
 * the lowest index. A layer omits each vertex from which the end cannot be
 * reached with the number of arcs that is left. For walks of at most n arcs, a
 * layer also omits each vertex that an earlier layer reaches at the same or a
 * lower cost.
 *
 * The first part of a widest walk need not be a widest walk to its own last
 * vertex. It need only be as wide as the whole walk. So the vertices of a
 * widest walk are not read from the members `before`, but searched in the
 * layers, beginning at the walk's end. The vertex before v is the lowest vertex
 * u of the previous layer for which the walk to u and the arc u → v are both at
 * least as wide as the whole walk.
 */
#include "storage/search/walk_search.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
}

uint64_t apsp_walk_search_first_bytes(uint64_t n_vertices)
{
	const struct apsp_walk_search *search = NULL;

	/* the arrays range.found, range.away and places have 4 bytes for each
	   vertex; range.within has a bit for each vertex */
	return n_vertices * (3 * sizeof(uint32_t) + sizeof(*search->best)) +
	       n_vertices / 8 + sizeof(uint64_t);
}

int apsp_walk_search_begin(const struct apsp_adjacency *arcs, uint32_t from,
	uint32_t to, uint32_t n_arcs, bool exactly,
	const struct apsp_avoided *avoided, struct apsp_walk_search *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_walk_search_done)
	struct apsp_walk_search search = {
		.arcs = arcs,
		.avoided = avoided,
		.from = from,
		.to = to,
		.n_arcs = n_arcs,
		.exactly = exactly,
		.cost = APSP_PATH_COST_INFINITY,
	};
	int r = apsp_adjacency_needs_unit(arcs, err);

	if (r < 0)
		return r;
	search.places = calloc(arcs->n_vertices, sizeof(*search.places));
	search.best = malloc(arcs->n_vertices * sizeof(*search.best));
	if (!search.places || !search.best)
		return no_memory(err);
	for (uint32_t v = 0; v < arcs->n_vertices; v++)
		search.best[v] = APSP_PATH_COST_INFINITY;
	r = apsp_arc_range_begin(
		arcs, &to, 1, APSP_DIRECTION_IN, n_arcs, &search.range, err);
	if (r == 0)
		*out = APSP_TAKE(search);
	return r;
}

void apsp_walk_search_done(struct apsp_walk_search *search)
{
	apsp_arc_range_done(&search->range);
	free(search->vertices);
	free(search->steps);
	free(search->places);
	free(search->best);
	free(search->layers);
	memset(search, 0, sizeof(*search));
}

static int step_add(struct apsp_walk_search *search,
	const struct apsp_walk_step *step, struct apsp_err *err)
{
	int r = apsp_search_reserve(&search->steps, sizeof(*search->steps),
		search->n_steps + 1, &search->steps_size, err);

	if (r < 0)
		return r;
	if (search->n_steps >= APSP_WALK_STEPS_MAX)
		return apsp_fail(err, APSP_ESEARCH,
			"walks of so many arcs visit more than %d vertices;"
			" ask for fewer arcs",
			APSP_WALK_STEPS_MAX);
	search->steps[search->n_steps++] = *step;
	return 0;
}

/* For each vertex, find the least number of arcs of a path from the vertex to
   the end. Returns 1 if there is more to do, else 0. */
static int range(struct apsp_walk_search *search, struct apsp_search_work *work,
	struct apsp_err *err)
{
	const struct apsp_walk_step start = {0, search->from, UINT32_MAX};
	struct apsp_arc_range *range = &search->range;
	uint64_t looked = range->n_looked;
	int more = apsp_arc_range_step(range);
	int r = apsp_search_work_count(work, range->n_looked - looked, err);

	if (r < 0 || more)
		return r < 0 ? r : 1;
	search->ranged = true;
	/* mark vertices from which the end cannot be reached as infinitely far
	   away, so that look() needs only one test for each arc */
	for (uint32_t v = 0; v < search->arcs->n_vertices; v++)
		if (!apsp_bit_set_has(range->within, v))
			range->away[v] = UINT32_MAX;
	if (range->away[search->from] > search->n_arcs)
		return 0; /* the end is too far away, so make no layer */
	search->best[search->from] = 0;
	search->layer_end = 1;
	return step_add(search, &start, err);
}

/*
 * Add a walk to v to the layer that is being made. The walk consists of the
 * walk steps[before] and one more arc. If the layer already has a walk to v,
 * only the cheaper of these two walks stays. If their costs are equal, the walk
 * whose second-to-last vertex has the lower index stays.
 */
static int reach(struct apsp_walk_search *search, uint32_t v,
	apsp_path_cost cost, uint32_t before, struct apsp_err *err)
{
	struct apsp_walk_step step = {cost, v, before};
	uint32_t place = search->places[v];
	struct apsp_walk_step *old;

	if (place > search->layer_end) {
		old = &search->steps[place - 1];
		if (old->cost < cost ||
			(old->cost == cost &&
				search->steps[old->before].vertex <=
					search->steps[before].vertex))
			return 0;
		*old = step;
		return 0;
	}
	if (!search->exactly && search->best[v] <= cost)
		return 0;
	search->places[v] = (uint32_t)search->n_steps + 1;
	return step_add(search, &step, err);
}

/* Return the cost of a walk that is extended by arc number a. `cost` is the
   cost without this arc. */
static apsp_path_cost longer(
	const struct apsp_walk_search *search, apsp_path_cost cost, uint64_t a)
{
	const struct apsp_adjacency *arcs = search->arcs;
	apsp_path_cost of_arc;

	if (!search->widest)
		return cost +
		       apsp_path_cost_of_arc(&arcs->unit, arcs->lengths[a]);
	of_arc = (apsp_path_cost)arcs->lengths[a];
	return cost > of_arc ? cost : of_arc;
}

/* Visit the arcs out of the last vertex of the walk steps[place]. */
static int look(struct apsp_walk_search *search, uint32_t place,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	const struct apsp_walk_step step = search->steps[place];
	uint32_t left = search->n_arcs - search->layer_arcs - 1;
	uint64_t first = arcs->out_offsets[step.vertex];
	uint64_t end = arcs->out_offsets[step.vertex + 1];
	int r = apsp_search_work_count(work, end - first, err);

	for (uint64_t a = first; a < end && r == 0; a++) {
		uint32_t head = arcs->heads[a];

		if (search->range.away[head] <= left &&
			!apsp_avoided_has_arc(
				search->avoided, step.vertex, head))
			r = reach(search, head, longer(search, step.cost, a),
				place, err);
	}
	return r;
}

/* Record where the present layer begins. */
static int layer_record(struct apsp_walk_search *search, struct apsp_err *err)
{
	int r;

	if (!search->widest)
		return 0;
	r = apsp_search_reserve(&search->layers, sizeof(*search->layers),
		(size_t)search->layer_arcs + 1, &search->layers_size, err);
	if (r == 0)
		search->layers[search->layer_arcs] = search->layer;
	return r;
}

/* Evaluate a complete layer: update the least cost of each vertex. If the layer
   has a walk to the end vertex that is cheaper than all earlier ones, record
   this walk. */
static void layer_note(struct apsp_walk_search *search)
{
	for (size_t i = search->layer; i < search->layer_end; i++) {
		const struct apsp_walk_step *step = &search->steps[i];

		if (step->cost < search->best[step->vertex])
			search->best[step->vertex] = step->cost;
		if (step->vertex != search->to || step->cost >= search->cost ||
			(search->exactly &&
				search->layer_arcs != search->n_arcs))
			continue;
		search->found = true;
		search->cost = step->cost;
		search->n_walked = search->layer_arcs;
		search->found_step = i;
	}
}

/* Return the vertex before v on the widest walk: the lowest vertex u of the
   layer before v for which the walk to u and the arc u → v are both at least as
   wide as the whole walk. This layer is steps[begin] to steps[end - 1]. All
   `places` must be 0. */
static uint32_t widest_before(const struct apsp_walk_search *search, uint32_t v,
	size_t begin, size_t end)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint64_t i = arcs->in_offsets[v];

	for (size_t at = begin; at < end; at++)
		search->places[search->steps[at].vertex] =
			search->steps[at].cost <= search->cost;
	/* Skip arcs that do not fit. The loop ends, because some arc fits: the
	   search has found the walk. */
	while (!search->places[arcs->tails[i]] ||
		longer(search, 0, arcs->in_arcs[i]) > search->cost ||
		apsp_avoided_has_arc(search->avoided, arcs->tails[i], v))
		i++;
	for (size_t at = begin; at < end; at++)
		search->places[search->steps[at].vertex] = 0;
	return arcs->tails[i];
}

/* Store the vertices of the found walk, if there is one. */
static int walk_store(struct apsp_walk_search *search, struct apsp_err *err)
{
	const size_t *layers = search->layers;
	size_t at = search->found_step;

	if (!search->found)
		return 0;
	search->vertices = malloc(
		((size_t)search->n_walked + 1) * sizeof(*search->vertices));
	if (!search->vertices)
		return no_memory(err);
	memset(search->places, 0,
		search->arcs->n_vertices * sizeof(*search->places));
	search->vertices[search->n_walked] = search->to;
	for (uint32_t i = search->n_walked; i > 0; i--) {
		at = search->steps[at].before;
		search->vertices[i - 1] =
			search->widest
				? widest_before(search, search->vertices[i],
					  layers[i - 1], layers[i])
				: search->steps[at].vertex;
	}
	for (uint32_t i = 0; i <= search->n_walked; i++)
		search->repeats |= search->places[search->vertices[i]]++ > 0;
	return 0;
}

/* Continue the search until the turn ends (search_work.h). Returns 1 if the
   search has not ended, else 0. */
static int layers_search(struct apsp_walk_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	int r = 0;

	while (!search->ranged) {
		r = range(search, work, err);
		if (r < 0 || (r > 0 && apsp_search_work_turn_over(work)))
			return r;
	}
	for (; search->layer < search->layer_end; search->layer_arcs++) {
		if (search->next == search->layer) {
			layer_note(search);
			r = layer_record(search, err);
		}
		if (r < 0)
			return r;
		if (search->layer_arcs == search->n_arcs)
			break;
		for (; search->next < search->layer_end; search->next++) {
			if (apsp_search_work_turn_over(work))
				return 1;
			r = look(search, (uint32_t)search->next, work, err);
			if (r < 0)
				return r;
		}
		search->layer = search->layer_end;
		search->layer_end = search->n_steps;
	}
	return walk_store(search, err);
}

int apsp_walk_search_step(struct apsp_walk_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	int r;

	apsp_search_work_turn(work);
	r = layers_search(search, work, err);
	work->bytes = apsp_walk_search_first_bytes(search->arcs->n_vertices) +
		      search->steps_size * sizeof(*search->steps) +
		      search->layers_size * sizeof(*search->layers);
	return r;
}
