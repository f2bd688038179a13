/*
 * The graph of all shortest paths; see tie_graph.h. The first search finds
 * costs to the end. The second search finds costs from the source, but only for
 * vertices whose cost the first search has found. An arc is part of the graph
 * if three costs add up to at most the limit: the cost from the source to its
 * tail, the cost of the arc, and the cost from its head to the end. The limit
 * is the greatest cost of a walk within the tolerance. Paths in the graph are
 * counted in topological order (Kahn 1962).
 */
#include "storage/search/tie_graph.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

enum phase {
	PHASE_BACK,
	PHASE_FORTH,
	PHASE_ARCS,
	PHASE_ORDER,
	PHASE_READY,
};

uint64_t apsp_tie_graph_first_bytes(uint64_t n_vertices)
{
	const struct apsp_tie_graph *graph = NULL;

	return apsp_guided_search_first_bytes(n_vertices) +
	       n_vertices * sizeof(*graph->places);
}

int apsp_tie_graph_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	double tolerance, const struct apsp_avoided *avoided,
	struct apsp_tie_graph *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_tie_graph_done)
	struct apsp_tie_graph graph = {.from = from, .to = to};
	int r;

	graph.places = calloc(arcs->n_vertices, sizeof(*graph.places));
	if (!graph.places)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	r = apsp_guided_search_init(
		tables, arcs, from, to, tolerance, avoided, &graph.search, err);
	if (r == 0)
		*out = APSP_TAKE(graph);
	return r;
}

void apsp_tie_graph_done(struct apsp_tie_graph *graph)
{
	for (uint32_t i = 0; i < graph->n_vertices; i++)
		apsp_path_count_done(&graph->vertices[i].n_paths);
	free(graph->vertices);
	free(graph->heads);
	free(graph->order);
	free(graph->places);
	apsp_guided_search_done(&graph->search);
	memset(graph, 0, sizeof(*graph));
}

/* If v is not in the graph yet, add v. If `cost` is lower than v's stored cost
   from the source, replace the stored cost by `cost`. */
static int reach(struct apsp_tie_graph *graph, uint32_t v, apsp_path_cost cost,
	struct apsp_err *err)
{
	struct apsp_cost_entry entry = {.cost = cost, .vertex = v};
	struct apsp_tie_vertex *at;
	int r;

	if (graph->places[v] == 0) {
		/* reserve one more element, because order_begin() writes to the
		   element after the last vertex */
		r = apsp_search_reserve(&graph->vertices,
			sizeof(*graph->vertices), (size_t)graph->n_vertices + 2,
			&graph->vertices_size, err);
		if (r < 0)
			return r;
		graph->vertices[graph->n_vertices++] = (struct apsp_tie_vertex){
			.vertex = v, .cost = APSP_PATH_COST_INFINITY};
		graph->places[v] = graph->n_vertices;
	}
	at = &graph->vertices[graph->places[v] - 1];
	if (at->cost <= cost)
		return 0;
	at->cost = cost;
	entry.key = cost + graph->search.labels[v].cost;
	return apsp_cost_heap_push(&graph->search.heap, &entry, err);
}

/* Whether an arc belongs to the graph. `cost` is the cost from the source to
   the arc's tail. *out_cost becomes the cost from the source to the arc's head.
 */
static bool has_arc(const struct apsp_tie_graph *graph, uint32_t tail,
	uint64_t arc, apsp_path_cost cost, apsp_path_cost *out_cost)
{
	const struct apsp_guided_search *search = &graph->search;
	const struct apsp_adjacency *arcs = search->arcs;
	uint32_t head = arcs->heads[arc];

	if (!apsp_guided_search_knows(search, head) || tail == graph->to ||
		head == graph->from ||
		apsp_guided_search_is_banned(search, tail, head))
		return false;
	*out_cost =
		cost + apsp_path_cost_of_arc(&arcs->unit, arcs->lengths[arc]);
	return *out_cost + search->labels[head].cost <= graph->limit;
}

static int back(struct apsp_tie_graph *graph, struct apsp_search_work *work,
	struct apsp_err *err)
{
	struct apsp_guided_search *search = &graph->search;
	int r = apsp_guided_search_step(search, work, err);

	if (r != 0)
		return r;
	graph->phase = PHASE_READY;
	if (search->best >= APSP_PATH_COST_INFINITY)
		return 0;
	graph->phase = PHASE_FORTH;
	graph->reachable = true;
	graph->cost = search->best;
	graph->limit = search->limit;
	search->heap.n = 0;
	return reach(graph, graph->from, 0, err);
}

/* Find the costs from the source by A*. The search is guided by the costs to
   the end, which the first search has found exactly. */
static int forth(struct apsp_tie_graph *graph, struct apsp_search_work *work,
	struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = graph->search.arcs;
	struct apsp_cost_heap *heap = &graph->search.heap;
	int r = 0;

	while (heap->n > 0 && r == 0) {
		struct apsp_cost_entry top;
		uint64_t end;

		if (apsp_search_work_turn_over(work))
			return 1;
		top = apsp_cost_heap_pop(heap);
		if (graph->vertices[graph->places[top.vertex] - 1].cost <
			top.cost)
			continue;
		end = arcs->out_offsets[top.vertex + 1];
		r = apsp_search_work_count(
			work, end - arcs->out_offsets[top.vertex], err);
		for (uint64_t a = arcs->out_offsets[top.vertex];
			a < end && r == 0; a++) {
			apsp_path_cost cost;

			if (has_arc(graph, top.vertex, a, top.cost, &cost))
				r = reach(graph, arcs->heads[a], cost, err);
		}
	}
	graph->phase = PHASE_ARCS;
	return r;
}

static int arc_add(
	struct apsp_tie_graph *graph, uint64_t arc, struct apsp_err *err)
{
	uint32_t head = graph->places[graph->search.arcs->heads[arc]] - 1;
	int r = apsp_search_reserve(&graph->heads, sizeof(*graph->heads),
		graph->n_arcs + 1, &graph->heads_size, err);

	if (r < 0)
		return r;
	graph->heads[graph->n_arcs++] = head;
	graph->vertices[head].n_in++;
	return 0;
}

/* Begin the topological order with the source, which is the only vertex that no
   arc leads to. */
static int order_begin(struct apsp_tie_graph *graph, struct apsp_err *err)
{
	const struct apsp_path_count one = {
		.n_words = 1, .words = (uint64_t[]){1}};

	graph->vertices[graph->n_vertices].first = graph->n_arcs;
	graph->order = calloc(graph->n_vertices, sizeof(*graph->order));
	if (!graph->order)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	graph->order[graph->n_ordered++] = 0;
	graph->next = 0;
	graph->phase = PHASE_ORDER;
	graph->counts_bytes = sizeof(*graph->vertices[0].n_paths.words);
	return apsp_path_count_add(&graph->vertices[0].n_paths, &one, err);
}

static int collect(struct apsp_tie_graph *graph, struct apsp_search_work *work,
	struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = graph->search.arcs;
	int r = 0;

	for (; graph->next < graph->n_vertices && r == 0; graph->next++) {
		struct apsp_tie_vertex *at = &graph->vertices[graph->next];
		uint64_t end = arcs->out_offsets[at->vertex + 1];

		if (apsp_search_work_turn_over(work))
			return 1;
		at->first = graph->n_arcs;
		r = apsp_search_work_count(
			work, end - arcs->out_offsets[at->vertex], err);
		for (uint64_t a = arcs->out_offsets[at->vertex];
			a < end && r == 0; a++) {
			apsp_path_cost cost;

			if (has_arc(graph, at->vertex, a, at->cost, &cost))
				r = arc_add(graph, a, err);
		}
	}
	return r < 0 ? r : order_begin(graph, err);
}

static uint64_t count_bytes(const struct apsp_tie_vertex *at)
{
	return at->n_paths.n_words * sizeof(*at->n_paths.words);
}

/* Follow an arc: add the number of paths that end at its tail to the number of
   paths that end at its head. If all arcs into the head are counted now, append
   the head to the order. */
static int follow(struct apsp_tie_graph *graph,
	const struct apsp_tie_vertex *tail, uint32_t place,
	struct apsp_err *err)
{
	struct apsp_tie_vertex *head = &graph->vertices[place];
	int r;

	if (head->layer <= tail->layer)
		head->layer = tail->layer + 1;
	if (--head->n_in == 0)
		graph->order[graph->n_ordered++] = place;
	graph->counts_bytes -= count_bytes(head);
	r = apsp_path_count_add(&head->n_paths, &tail->n_paths, err);
	graph->counts_bytes += count_bytes(head);
	return r;
}

static int count(struct apsp_tie_graph *graph, struct apsp_search_work *work,
	struct apsp_err *err)
{
	int r = 0;

	for (; graph->next < graph->n_ordered && r == 0; graph->next++) {
		struct apsp_tie_vertex *at =
			&graph->vertices[graph->order[graph->next]];

		if (apsp_search_work_turn_over(work))
			return 1;
		r = apsp_search_work_count(work, at[1].first - at->first, err);
		for (uint64_t a = at->first; a < at[1].first && r == 0; a++)
			r = follow(graph, at, graph->heads[a], err);
		/* keep the count of `to`, which is the result; free the counts
		   of the other vertices */
		if (at->vertex == graph->to)
			continue;
		graph->counts_bytes -= count_bytes(at);
		apsp_path_count_done(&at->n_paths);
	}
	if (r < 0)
		return r;
	graph->phase = PHASE_READY;
	graph->cyclic = graph->n_ordered < graph->n_vertices;
	for (uint32_t i = 0; graph->cyclic && i < graph->n_vertices; i++)
		if (graph->vertices[i].n_in > 0)
			graph->order[graph->n_ordered++] = i;
	if (!graph->cyclic)
		graph->n_paths =
			graph->vertices[graph->places[graph->to] - 1].n_paths;
	return 0;
}

int apsp_tie_graph_step(struct apsp_tie_graph *graph,
	struct apsp_search_work *work, struct apsp_err *err)
{
	int r = 0;

	apsp_search_work_turn(work);
	while (r == 0 && graph->phase != PHASE_READY) {
		switch (graph->phase) {
		case PHASE_BACK:
			r = back(graph, work, err);
			break;
		case PHASE_FORTH:
			r = forth(graph, work, err);
			break;
		case PHASE_ARCS:
			r = collect(graph, work, err);
			break;
		default:
			r = count(graph, work, err);
		}
	}
	work->bytes =
		graph->vertices_size *
			(sizeof(*graph->vertices) + sizeof(*graph->order)) +
		graph->heads_size * sizeof(*graph->heads) + graph->counts_bytes;
	if (r != 0) {
		work->bytes +=
			apsp_guided_search_bytes(&graph->search) +
			graph->search.arcs->n_vertices * sizeof(*graph->places);
		return r;
	}
	apsp_guided_search_done(&graph->search);
	free(graph->places);
	graph->places = NULL;
	return 0;
}
