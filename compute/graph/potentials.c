/*
 * Runs Bellman–Ford from an extra vertex that has an arc of length 0 to every
 * vertex. The search runs in passes. A pass relaxes the arcs of all vertices
 * whose distances have decreased. Before that, it sorts the vertices: for an
 * arc from u to v, u comes before v if distance(u) + length(u, v) is at most
 * distance(v). So a chain of negative arcs takes one pass, whatever the order
 * of its vertices. The first pass sorts by all arcs, so there is only one pass
 * if the arcs form no cycle.
 *
 * Sums have 128 bits and are exact: a length has at most 2^53 units, a unit has
 * at most 2^40 steps (potentials.h), and a walk has at most 2^33 arcs before a
 * cycle is found, so a sum is at most 2^126 steps.
 */
#include "compute/graph/potentials.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

#define NONE UINT32_MAX
#define LARGEST (INT64_C(1) << 53)

enum {
	LABEL_SIZE = 48,	/* size in bytes of a label in a message */
	NAMED_CYCLE_SIZE = 160, /* longest list of a cycle's labels in an error
				   message, in bytes */
};

__extension__ typedef __int128 int128;

struct search {
	const struct apsp_lengths *lengths;
	/* factors that convert a length to steps. There are two factors,
	   because their product may exceed the range of a double */
	double to_steps[2];
	int128 *distances; /* distances from the extra vertex; all are 0 or
			      less */
	/* for each vertex v, the vertex before v on the path from the extra
	   vertex to v; NONE: v comes right after the extra vertex */
	uint32_t *parents;
	/* the vertices for the next pass. Before the first pass, these are the
	   vertices at which a negative arc begins; later, the vertices whose
	   distances have decreased and which the present pass will not visit
	   any more */
	uint32_t *due;
	uint32_t n_due;
	/* for each vertex, whether it is due: its distance has decreased since
	   its arcs were relaxed or, before the first pass, a negative arc
	   begins at it */
	bool *is_due;
	/* the vertices of this pass, from order[order_begin] to
	   order[n_vertices - 1]. While the order is made, the array begins with
	   the stack of a depth-first search */
	uint32_t *order;
	uint32_t order_begin;
	/* for each vertex, whether it is on the stack, or is in the order and
	   the pass has not visited it yet */
	bool *pending;
	/* for each vertex on the stack, the arc that the search follows next */
	uint64_t *next_arcs;
	/* for each vertex, the vertex at which hunt_cycle() started the walk
	   that first came to it */
	uint32_t *marks;
	/* number of times that a distance has decreased since the last call of
	   hunt_cycle() */
	uint64_t n_updates;
};

static void search_done(struct search *s)
{
	free(s->distances);
	free(s->parents);
	free(s->due);
	free(s->is_due);
	free(s->order);
	free(s->pending);
	free(s->next_arcs);
	free(s->marks);
}

static int search_init(struct search *s, struct apsp_err *err)
{
	size_t n = s->lengths->n_vertices;

	s->distances = calloc(n + 1, sizeof(*s->distances));
	s->parents = malloc((n + 1) * sizeof(*s->parents));
	s->due = malloc((n + 1) * sizeof(*s->due));
	s->is_due = calloc(n + 1, sizeof(*s->is_due));
	s->order = malloc((n + 1) * sizeof(*s->order));
	s->pending = calloc(n + 1, sizeof(*s->pending));
	s->next_arcs = malloc((n + 1) * sizeof(*s->next_arcs));
	s->marks = malloc((n + 1) * sizeof(*s->marks));
	if (!s->distances || !s->parents || !s->due || !s->is_due ||
		!s->order || !s->pending || !s->next_arcs || !s->marks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the potentials of %zu vertices", n);
	memset(s->parents, 0xff, n * sizeof(*s->parents)); /* all NONE */
	return 0;
}

/* Return the length of an arc in steps (potentials.h). The result is exact,
   because each length is a whole number of steps. */
static int128 arc_length(const struct search *s, uint64_t arc)
{
	double steps =
		s->lengths->lengths[arc] * s->to_steps[0] * s->to_steps[1];

	/* convert to 64 bits if possible: this takes one instruction, but a
	   conversion to 128 bits takes a function call */
	return fabs(steps) < 0x1p62 ? (int64_t)steps : (int128)steps;
}

static void due_add(struct search *s, uint32_t v)
{
	if (!s->is_due[v] && !s->pending[v])
		s->due[s->n_due++] = v;
	s->is_due[v] = true;
}

static void relax(struct search *s, uint32_t v)
{
	const struct apsp_lengths *lengths = s->lengths;

	for (uint64_t a = lengths->offsets[v]; a < lengths->offsets[v + 1];
		a++) {
		int128 distance = s->distances[v] + arc_length(s, a);
		uint32_t head = lengths->heads[a];

		if (distance >= s->distances[head])
			continue;
		s->distances[head] = distance;
		s->parents[head] = v;
		s->n_updates++;
		due_add(s, head);
	}
}

/* Look for a vertex that is its own ancestor by `parents`, and so lies on a
   cycle. Return such a vertex; NONE: there is no cycle. Takes linear time. */
static uint32_t hunt_cycle(struct search *s)
{
	uint32_t n = s->lengths->n_vertices;

	memset(s->marks, 0xff, n * sizeof(*s->marks)); /* all NONE */
	for (uint32_t from = 0; from < n; from++) {
		uint32_t v = from;

		while (v != NONE && s->marks[v] == NONE) {
			s->marks[v] = from;
			v = s->parents[v];
		}
		if (v != NONE && s->marks[v] == from)
			return v;
	}
	return NONE;
}

/*
 * Look for a negative cycle of two arcs, u → v → u. This kind of negative cycle
 * is the most common one, and the easiest to find. If there is one, set the
 * parents of both vertices and return one of the vertices. Otherwise return
 * NONE.
 */
static uint32_t find_pair(struct search *s)
{
	const struct apsp_lengths *lengths = s->lengths;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			uint32_t head = lengths->heads[a];
			uint64_t back;

			if (arc_length(s, a) >= 0)
				continue;
			back = apsp_lengths_find(lengths, head, v);
			if (back == APSP_NO_ARC ||
				arc_length(s, a) + arc_length(s, back) >= 0)
				continue;
			s->parents[head] = v;
			s->parents[v] = head;
			return v;
		}
	}
	return NONE;
}

/* Whether relaxing an arc from v would decrease a distance. */
static bool lowers(const struct search *s, uint32_t v)
{
	const struct apsp_lengths *lengths = s->lengths;

	for (uint64_t a = lengths->offsets[v]; a < lengths->offsets[v + 1]; a++)
		if (s->distances[v] + arc_length(s, a) <
			s->distances[lengths->heads[a]])
			return true;
	return false;
}

static void stack_push(struct search *s, uint32_t depth, uint32_t v)
{
	s->order[depth] = v;
	s->pending[v] = true;
	s->next_arcs[v] = s->lengths->offsets[v];
}

/* Put `from` at the beginning of the order, and behind it all vertices that it
   reaches and that are not in the order yet. In the first pass, the search
   follows all arcs. In later passes, it follows the arc from u to v only if
   distance(u) + length(u, v) is at most distance(v). */
static void order_add(struct search *s, uint32_t from, bool first)
{
	const struct apsp_lengths *lengths = s->lengths;
	uint32_t depth = 0;

	if (!s->pending[from])
		stack_push(s, depth++, from);
	while (depth > 0) {
		uint32_t v = s->order[depth - 1];
		uint64_t arc = s->next_arcs[v]++;
		uint32_t head;

		if (arc == lengths->offsets[v + 1]) {
			depth--;
			s->order[--s->order_begin] = v;
			continue;
		}
		head = lengths->heads[arc];
		if (!s->pending[head] &&
			(first || s->distances[v] + arc_length(s, arc) <=
					  s->distances[head]))
			stack_push(s, depth++, head);
	}
}

/*
 * Run a pass: order those due vertices that can lower a distance, and the
 * vertices that they reach. Then go through this order, and relax the arcs of
 * each vertex that is due when its turn comes. `first`: this is the first pass.
 * Return a vertex on a cycle that the parents form; NONE: no such cycle was
 * found. hunt_cycle() is called once after every n_vertices decreases of
 * distances, and takes time linear in n_vertices. So all its calls together
 * take no longer than the decreases.
 */
static uint32_t pass(struct search *s, bool first)
{
	uint32_t n = s->lengths->n_vertices;

	s->order_begin = n;
	for (uint32_t i = 0; i < s->n_due; i++) {
		uint32_t v = s->due[i];

		s->is_due[v] = lowers(s, v);
		if (s->is_due[v])
			order_add(s, v, first);
	}
	s->n_due = 0;
	for (uint32_t i = s->order_begin; i < n; i++) {
		uint32_t v = s->order[i];

		s->pending[v] = false;
		if (!s->is_due[v])
			continue;
		s->is_due[v] = false;
		relax(s, v);
		if (s->n_updates >= n) {
			uint32_t found = hunt_cycle(s);

			if (found != NONE)
				return found;
			s->n_updates = 0;
		}
	}
	return NONE;
}

/* Decrease distances until no arc can decrease a distance, and return NONE. But
   if the parents form a cycle, return a vertex on the cycle. */
static uint32_t run(struct search *s)
{
	const struct apsp_lengths *lengths = s->lengths;
	uint32_t found = NONE;

	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1] && !s->is_due[v]; a++)
			if (arc_length(s, a) < 0)
				due_add(s, v);
	for (bool first = true; s->n_due > 0 && found == NONE; first = false)
		found = pass(s, first);
	return found;
}

static int cycle_allocate(
	size_t n, struct apsp_negative_cycle *out, struct apsp_err *err)
{
	uint32_t *vertices = malloc(n * sizeof(*vertices));

	if (!vertices)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for a cycle of %zu vertices", n);
	*out = (struct apsp_negative_cycle){.vertices = vertices, .n = n};
	return 0;
}

/* Store the vertices of the cycle that contains v. The cycle is found by
   following the parents. */
static int cycle_trace(const uint32_t *parents, uint32_t v,
	struct apsp_negative_cycle *out, struct apsp_err *err)
{
	uint32_t lowest = v, u = v;
	size_t n = 0;
	int r;

	do {
		if (u < lowest)
			lowest = u;
		n++;
		u = parents[u];
	} while (u != v);
	r = cycle_allocate(n, out, err);
	if (r < 0)
		return r;
	u = lowest;
	for (size_t i = n; i-- != 0; u = parents[u])
		out->vertices[(i + 1) % n] = u;
	return 0;
}

/* Fail with APSP_ENEGCYCLE. The message names the cycle's first vertices. */
static int cycle_refuse(const struct apsp_graph *graph,
	const struct apsp_negative_cycle *cycle, struct apsp_err *err)
{
	char names[NAMED_CYCLE_SIZE] = "";
	char label[LABEL_SIZE];
	size_t used = 0;
	size_t i;

	for (i = 0; i < cycle->n; i++) {
		apsp_graph_label(
			graph, cycle->vertices[i], label, sizeof(label));
		if (used + strlen(label) + strlen(" → ") >= sizeof(names))
			break;
		used += (size_t)snprintf(
			names + used, sizeof(names) - used, "%s → ", label);
	}
	apsp_graph_label(graph, cycle->vertices[0], label, sizeof(label));
	return apsp_fail(err, APSP_ENEGCYCLE,
		"negative cycle of %zu %s: %s%s%s", cycle->n,
		cycle->n == 1 ? "vertex" : "vertices", names,
		i < cycle->n ? "… → " : "", label);
}

#ifndef NDEBUG
static int128 cycle_sum(
	const struct search *s, const struct apsp_negative_cycle *cycle)
{
	int128 sum = 0;

	for (size_t i = 0; i < cycle->n; i++)
		sum += arc_length(
			s, apsp_lengths_find(s->lengths, cycle->vertices[i],
				   cycle->vertices[(i + 1) % cycle->n]));
	return sum;
}
#endif

/* Round the distances down to units, and store them as potentials. */
static int take_potentials(const struct search *s, int unit_steps,
	int64_t **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) int64_t *potentials = NULL;
	uint32_t n = s->lengths->n_vertices;

	potentials = malloc(((size_t)n + 1) * sizeof(*potentials));
	if (!potentials)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the potentials of %u vertices", n);
	for (uint32_t v = 0; v < n; v++) {
		int128 h = s->distances[v] >> unit_steps;

		if (h < -LARGEST)
			return apsp_fail(err, APSP_EOVERFLOW,
				"the negative lengths add up to more than 53 "
				"bits hold");
		potentials[v] = (int64_t)h;
	}
	*out = APSP_TAKE(potentials);
	return 0;
}

int apsp_potentials_find(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, struct apsp_potentials_scale scale,
	int64_t **out_potentials, struct apsp_negative_cycle *out_cycle,
	struct apsp_err *err)
{
	APSP_AUTO(search_done)
	struct search s = {.lengths = lengths,
		.to_steps = {ldexp(1, -scale.step / 2),
			ldexp(1, -scale.step - -scale.step / 2)}};
	uint32_t found;
	int r;

	if (lengths->has_negative_loop) {
		r = cycle_allocate(1, out_cycle, err);
		if (r < 0)
			return r;
		out_cycle->vertices[0] = lengths->negative_loop;
		return cycle_refuse(graph, out_cycle, err);
	}
	r = search_init(&s, err);
	if (r < 0)
		return r;
	found = find_pair(&s);
	if (found == NONE)
		found = run(&s);
	if (found == NONE)
		return take_potentials(
			&s, scale.unit - scale.step, out_potentials, err);
	r = cycle_trace(s.parents, found, out_cycle, err);
	if (r < 0)
		return r;
	assert(cycle_sum(&s, out_cycle) < 0);
	return cycle_refuse(graph, out_cycle, err);
}

void apsp_negative_cycle_done(struct apsp_negative_cycle *cycle)
{
	free(cycle->vertices);
	*cycle = (struct apsp_negative_cycle){0};
}
