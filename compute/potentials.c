/*
 * Bellman-Ford from a vertex outside the graph with an arc of length 0 to every
 * vertex. Sums are made in 128 bits: 2^53 a value, times 2^32 for strict, times
 * 2^32 arcs a path never overflow them.
 */
#include "compute/potentials.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

#define NONE UINT32_MAX
#define LARGEST (INT64_C(1) << 53)

__extension__ typedef __int128 int128;

struct search {
	const struct apsp_lengths *lengths;
	const int64_t *values;
	int64_t factor;	   /* an arc's length is value · factor … */
	int64_t less;	   /* … - less */
	int128 *distances; /* from outside; at most 0 */
	uint32_t *parents; /* the vertex before, or NONE: the one outside */
	uint32_t *queue;   /* a ring of n_vertices */
	bool *queued;
	uint32_t *marks; /* of the hunt for a cycle */
	uint32_t first;	 /* of the queue */
	uint32_t n_queued;
	uint64_t n_updates; /* since the last hunt */
};

static void search_done(struct search *s)
{
	free(s->distances);
	free(s->parents);
	free(s->queue);
	free(s->queued);
	free(s->marks);
}

static int search_init(struct search *s, struct apsp_err *err)
{
	size_t n = s->lengths->n_vertices;

	s->distances = calloc(n + 1, sizeof(*s->distances));
	s->parents = malloc((n + 1) * sizeof(*s->parents));
	s->queue = malloc((n + 1) * sizeof(*s->queue));
	s->queued = calloc(n + 1, sizeof(*s->queued));
	s->marks = malloc((n + 1) * sizeof(*s->marks));
	if (!s->distances || !s->parents || !s->queue || !s->queued ||
		!s->marks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the potentials of %zu vertices", n);
	memset(s->parents, 0xff, n * sizeof(*s->parents)); /* NONE */
	return 0;
}

static int128 arc_length(const struct search *s, uint64_t arc)
{
	return (int128)s->values[arc] * s->factor - s->less;
}

static void enqueue(struct search *s, uint32_t v)
{
	uint64_t place = (uint64_t)s->first + s->n_queued;

	if (s->queued[v])
		return;
	s->queued[v] = true;
	s->queue[place % s->lengths->n_vertices] = v;
	s->n_queued++;
}

static uint32_t dequeue(struct search *s)
{
	uint32_t v = s->queue[s->first];

	s->queued[v] = false;
	s->first = s->first + 1 == s->lengths->n_vertices ? 0 : s->first + 1;
	s->n_queued--;
	return v;
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
		enqueue(s, head);
	}
}

/* A vertex on a cycle of parents, or NONE. Linear time. */
static uint32_t hunt_cycle(struct search *s)
{
	uint32_t n = s->lengths->n_vertices;

	memset(s->marks, 0xff, n * sizeof(*s->marks)); /* NONE */
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
 * One arc and its way back are a cycle that a person sees at once, and the most
 * common one; so they are looked at first. Sets their parents and returns one
 * of them, or NONE.
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

/*
 * Lower distances until they stand still (NONE) or some parents form a cycle:
 * a vertex of it. They are looked at once every n_vertices updates, so that
 * costs no more than the updates do.
 */
static uint32_t run(struct search *s)
{
	const struct apsp_lengths *lengths = s->lengths;

	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1] && !s->queued[v]; a++)
			if (arc_length(s, a) < 0)
				enqueue(s, v);

	while (s->n_queued != 0) {
		relax(s, dequeue(s));
		if (s->n_updates >= lengths->n_vertices) {
			uint32_t found = hunt_cycle(s);

			if (found != NONE)
				return found;
			s->n_updates = 0;
		}
	}
	return NONE;
}

/* The cycle of parents through v, turned round, from its lowest vertex. */
static int take_cycle(const struct search *s, uint32_t v,
	struct apsp_cycle *out, struct apsp_err *err)
{
	uint32_t lowest = v;
	uint32_t *vertices;
	size_t n = 0;
	int128 sum = 0;
	uint32_t u = v;

	do {
		if (u < lowest)
			lowest = u;
		n++;
		u = s->parents[u];
	} while (u != v);

	vertices = malloc(n * sizeof(*vertices));
	if (!vertices)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for a cycle of %zu vertices", n);
	u = lowest;
	for (size_t i = n; i-- != 0; u = s->parents[u]) {
		uint64_t arc = apsp_lengths_find(s->lengths, s->parents[u], u);

		vertices[(i + 1) % n] = u;
		sum += arc_length(s, arc);
	}
	assert(sum < 0);
	*out = (struct apsp_cycle){.vertices = vertices, .n = n};
	return 0;
}

/*
 * Divide by factor, downwards: what the strict lengths leave above -factor is 0
 * or more in whole values.
 */
static int take_potentials(
	const struct search *s, int64_t **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) int64_t *potentials = NULL;
	uint32_t n = s->lengths->n_vertices;

	potentials = malloc(((size_t)n + 1) * sizeof(*potentials));
	if (!potentials)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the potentials of %u vertices", n);
	for (uint32_t v = 0; v < n; v++) {
		int128 h = s->distances[v] / s->factor;

		if (h * s->factor > s->distances[v])
			h--;
		if (h < -LARGEST)
			return apsp_fail(err, APSP_EOVERFLOW,
				"the negative lengths add up to more than 53 "
				"bits hold");
		potentials[v] = (int64_t)h;
	}
	*out = APSP_TAKE(potentials);
	return 0;
}

int apsp_potentials_find(const struct apsp_lengths *lengths,
	const int64_t *values, bool strict, int64_t **out_potentials,
	struct apsp_cycle *out_cycle, struct apsp_err *err)
{
	APSP_AUTO(search_done)
	struct search s = {.lengths = lengths, .values = values, .factor = 1};
	uint32_t found;
	int r;

	/*
	 * A simple cycle of sum 0 becomes negative, and one of sum 1 stays
	 * positive: it has at most n_vertices arcs.
	 */
	if (strict) {
		s.factor = (int64_t)lengths->n_vertices + 1;
		s.less = 1;
	}
	r = search_init(&s, err);
	if (r < 0)
		return r;
	found = find_pair(&s);
	if (found == NONE)
		found = run(&s);

	*out_potentials = NULL;
	*out_cycle = (struct apsp_cycle){0};
	if (found != NONE)
		return take_cycle(&s, found, out_cycle, err);
	return take_potentials(&s, out_potentials, err);
}
