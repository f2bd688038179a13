/*
 * Two runs of Dijkstra from one root, in two threads; see root_paths.h. The
 * backward run starts first because it takes longer: it looks up each length in
 * the row of another vertex.
 */
#include "compute/graph/root_paths.h"

#include <stdlib.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	BACKWARD,
	FORWARD,
	DIRECTIONS,
};

/* The lengths of both directions. */
struct source {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_in_arcs *in_arcs;
};

/* Both runs, shared by the threads. */
struct search {
	struct apsp_in_arcs in_arcs;
	struct source source;
	uint32_t root;
	struct apsp_dijkstra *dijkstras[DIRECTIONS];
	const struct apsp_root_side *sides[DIRECTIONS];
};

static void search_done(struct search *s)
{
	for (int d = 0; d < DIRECTIONS; d++)
		apsp_dijkstra_free(s->dijkstras[d]);
	apsp_in_arcs_done(&s->in_arcs);
}

static void side_done(struct apsp_root_side *side)
{
	free(side->distances);
	free(side->hops);
}

void apsp_root_paths_done(struct apsp_root_paths *paths)
{
	side_done(&paths->from);
	side_done(&paths->to);
	*paths = (struct apsp_root_paths){0};
}

static void row_forward(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct source *source = ctx;

	apsp_integers_row(source->lengths, source->integers, vertex, out);
}

static void row_backward(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct source *source = ctx;
	const struct apsp_in_arcs *in = source->in_arcs;

	for (uint64_t i = in->offsets[vertex]; i < in->offsets[vertex + 1];
		i++) {
		uint32_t tail = in->tails[i];

		*out++ = apsp_integers_at(source->lengths, source->integers,
			tail, source->lengths->offsets[tail] + in->ranks[i]);
	}
}

static uint32_t busiest_vertex(
	const struct apsp_lengths *lengths, const struct apsp_in_arcs *in_arcs)
{
	uint64_t most = 0;
	uint32_t busiest = 0;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		uint64_t degree = lengths->offsets[v + 1] -
				  lengths->offsets[v] +
				  in_arcs->offsets[v + 1] - in_arcs->offsets[v];

		if (degree > most) {
			most = degree;
			busiest = v;
		}
	}
	return busiest;
}

static int side_init(
	struct apsp_root_side *side, size_t n_vertices, struct apsp_err *err)
{
	side->distances = malloc((n_vertices + 1) * sizeof(*side->distances));
	side->hops = malloc((n_vertices + 1) * sizeof(*side->hops));
	if (!side->distances || !side->hops)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the paths from one of %zu vertices",
			n_vertices);
	return 0;
}

static int search_init(struct search *s, const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	struct apsp_dijkstra_arcs arcs = {.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = row_forward,
		.ctx = &s->source};
	int r = apsp_in_arcs_build(lengths, &s->in_arcs, err);

	if (r < 0)
		return r;
	s->source = (struct source){lengths, integers, &s->in_arcs};
	s->root = busiest_vertex(lengths, &s->in_arcs);
	r = apsp_dijkstra_new(&arcs, &s->dijkstras[FORWARD], err);
	arcs.offsets = s->in_arcs.offsets;
	arcs.ends = s->in_arcs.tails;
	arcs.row = row_backward;
	return r < 0 ? r
		     : apsp_dijkstra_new(&arcs, &s->dijkstras[BACKWARD], err);
}

static void side_find(void *ctx, unsigned int thread, size_t direction)
{
	struct search *s = ctx;
	const struct apsp_root_side *side = s->sides[direction];

	(void)thread;
	apsp_dijkstra_run(
		s->dijkstras[direction], s->root, side->distances, side->hops);
}

/* Run n searches together with the caller's loop. */
static void both_run(
	struct search *s, size_t n, const struct apsp_parallel_part *beside)
{
	const struct apsp_parallel_part parts[] = {{n, side_find, s},
		beside ? *beside : (struct apsp_parallel_part){0}};

	apsp_parallel_parts(parts, 2, apsp_parallel_width());
}

int apsp_root_paths_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_parallel_part *beside, struct apsp_root_paths *out,
	struct apsp_err *err)
{
	APSP_AUTO(search_done) struct search s = {0};
	APSP_AUTO(apsp_root_paths_done) struct apsp_root_paths made = {0};
	int r;

	if (lengths->n_vertices == 0) {
		both_run(&s, 0, beside);
		*out = APSP_TAKE(made);
		return 0;
	}
	r = search_init(&s, lengths, integers, err);
	if (r >= 0)
		r = side_init(&made.from, lengths->n_vertices, err);
	if (r >= 0)
		r = side_init(&made.to, lengths->n_vertices, err);
	if (r < 0)
		return r;
	made.root = s.root;
	made.scale = integers->scale;
	s.sides[FORWARD] = &made.from;
	s.sides[BACKWARD] = &made.to;
	both_run(&s, DIRECTIONS, beside);
	*out = APSP_TAKE(made);
	return 0;
}

/* Only SCALED has other scales than 1. There each arc of a path contributes its
   length times the scale, plus 1. */
int64_t apsp_root_paths_length(const struct apsp_root_paths *paths,
	const struct apsp_root_side *side, uint32_t v,
	const struct apsp_integers *integers)
{
	int64_t length = side->distances[v], hops = side->hops[v];

	if (length == APSP_DIJKSTRA_INFINITY || integers->scale == paths->scale)
		return length;
	return (length - hops) / paths->scale * integers->scale + hops;
}
