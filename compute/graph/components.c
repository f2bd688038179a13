/*
 * Tarjan's algorithm with an explicit stack instead of recursion. With
 * recursion, a path of a million vertices would overflow the thread's stack.
 */
#include "compute/graph/components.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/graph/counting_sort.h"
#include "daemon/base/auto.h"

#define NONE UINT32_MAX

struct search {
	const struct apsp_lengths *lengths;
	/* for each vertex, its number in the order of discovery; NONE: the
	   vertex is not discovered yet */
	uint32_t *index;
	/* for each vertex v, the lowest `index` among the vertices that the
	   search has reached from v and that are in the stack `open` */
	uint32_t *low;
	uint32_t *path; /* the vertices from the root of the search to the
			   current vertex */
	/* for each vertex, the index of the arc that the search follows next */
	uint64_t *next;
	uint32_t *
		open; /* discovered vertices whose component is not known yet */
	/* for each vertex, the number of its component, in the order in which
	   components are completed */
	uint32_t *of;
	uint32_t n_path;
	uint32_t n_open;
	uint32_t n_found;
	uint32_t n_components;
};

static void search_done(struct search *s)
{
	free(s->index);
	free(s->low);
	free(s->path);
	free(s->next);
	free(s->open);
	free(s->of);
}

static int search_init(struct search *s, const struct apsp_lengths *lengths,
	struct apsp_err *err)
{
	size_t n = lengths->n_vertices;

	s->lengths = lengths;
	s->index = malloc((n + 1) * sizeof(*s->index));
	s->low = malloc((n + 1) * sizeof(*s->low));
	s->path = malloc((n + 1) * sizeof(*s->path));
	s->next = malloc((n + 1) * sizeof(*s->next));
	s->open = malloc((n + 1) * sizeof(*s->open));
	s->of = malloc((n + 1) * sizeof(*s->of));
	if (!s->index || !s->low || !s->path || !s->next || !s->open || !s->of)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the components of %zu vertices", n);
	for (size_t v = 0; v < n; v++) {
		s->index[v] = NONE;
		s->of[v] = NONE;
	}
	return 0;
}

static void enter(struct search *s, uint32_t v)
{
	s->index[v] = s->n_found;
	s->low[v] = s->n_found++;
	s->next[v] = s->lengths->offsets[v];
	s->open[s->n_open++] = v;
	s->path[s->n_path++] = v;
}

/* Leave v, after the search has followed all arcs of v. If v is the vertex at
   which the search entered its component, the component is complete, and its
   vertices are popped off the stack `open`. */
static void leave(struct search *s, uint32_t v)
{
	uint32_t u;

	s->n_path--;
	if (s->n_path != 0) {
		uint32_t above = s->path[s->n_path - 1];

		if (s->low[v] < s->low[above])
			s->low[above] = s->low[v];
	}
	if (s->low[v] != s->index[v])
		return;
	do {
		u = s->open[--s->n_open];
		s->of[u] = s->n_components;
	} while (u != v);
	s->n_components++;
}

static void search_from(struct search *s, uint32_t root)
{
	const struct apsp_lengths *lengths = s->lengths;

	enter(s, root);
	while (s->n_path != 0) {
		uint32_t v = s->path[s->n_path - 1];
		uint32_t head;

		if (s->next[v] == lengths->offsets[v + 1]) {
			leave(s, v);
			continue;
		}
		head = lengths->heads[s->next[v]++];
		if (s->index[head] == NONE)
			enter(s, head);
		else if (s->of[head] == NONE && s->index[head] < s->low[v])
			s->low[v] = s->index[head];
	}
}

int apsp_components_build(const struct apsp_lengths *lengths,
	struct apsp_components *out, struct apsp_err *err)
{
	APSP_AUTO(search_done) struct search s = {0};
	APSP_AUTO(apsp_components_done) struct apsp_components made = {0};
	uint32_t n = lengths->n_vertices;
	int r;

	r = search_init(&s, lengths, err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < n; v++)
		if (s.index[v] == NONE)
			search_from(&s, v);

	/* reverse the numbers, so that components are in topological order: if
	   an arc leads from component c to component d, the search completes d
	   before c */
	for (uint32_t v = 0; v < n; v++)
		s.of[v] = s.n_components - 1 - s.of[v];

	made.n_vertices = n;
	made.n_components = s.n_components;
	made.of = APSP_TAKE(s.of);
	made.order = malloc(((size_t)n + 1) * sizeof(*made.order));
	made.offsets =
		calloc((size_t)made.n_components + 2, sizeof(*made.offsets));
	if (!made.order || !made.offsets)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the components of %u vertices", n);

	/* sort the vertices by component, and within a component by index */
	for (uint32_t v = 0; v < n; v++)
		apsp_counting_sort_count(made.offsets, made.of[v]);
	apsp_counting_sort_sum(made.offsets, made.n_components);
	for (uint32_t v = 0; v < n; v++)
		made.order[apsp_counting_sort_place(made.offsets, made.of[v])] =
			v;
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_components_done(struct apsp_components *components)
{
	free(components->of);
	free(components->order);
	free(components->offsets);
	free(components->weak);
	*components = (struct apsp_components){0};
}

static uint32_t root_of(uint32_t *parents, uint32_t v)
{
	while (parents[v] != v) {
		parents[v] = parents[parents[v]];
		v = parents[v];
	}
	return v;
}

int apsp_components_weak(const struct apsp_lengths *lengths, bool zeros,
	uint32_t **out, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices;
	/* parents[v] is the vertex above v in a tree. Each component has one
	   tree, with the least vertex of the component as its root. */
	uint32_t *parents = malloc(((size_t)n + 1) * sizeof(*parents));

	if (!parents)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the components of %u vertices", n);
	for (uint32_t v = 0; v < n; v++)
		parents[v] = v;
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++) {
			uint32_t a, b;

			if (zeros && apsp_lengths_get(lengths, e) != 0)
				continue;
			a = root_of(parents, v);
			b = root_of(parents, lengths->heads[e]);
			parents[a < b ? b : a] = a < b ? a : b;
		}
	for (uint32_t v = 0; v < n; v++)
		parents[v] = root_of(parents, v);
	*out = parents;
	return 0;
}

int apsp_components_on_cycle(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_bits *out,
	struct apsp_err *err)
{
	int r;

	r = apsp_bits_init(out, 1, lengths->n_vertices, err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		const uint32_t *place = components->offsets + components->of[v];
		bool loop = lengths->self_loop[v / 64] >> (v % 64) & 1;

		if (loop || place[1] - place[0] > 1)
			apsp_bits_set(out, 0, v);
	}
	return 0;
}
