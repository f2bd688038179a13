/*
 * The steps that the host does before the distance matrix is computed; see
 * prepared_graph.h.
 */
#include "compute/solve/prepared_graph.h"

#include <stdio.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/integers.h"
#include "compute/plan/plan_bytes.h"
#include "compute/plan/host_room.h"
#include "compute/solve/closure_test.h"

int apsp_prepared_graph_open(
	const char *path, struct apsp_prepared_graph *out, struct apsp_err *err)
{
	int r = apsp_graph_open(path, &out->graph, err);

	if (r >= 0)
		out->sums =
			out->graph.profile.precision == APSP_PRECISION_FLOAT64
				? APSP_ELEMENT_F64
				: APSP_ELEMENT_F32;
	return r;
}

void apsp_prepared_graph_done(struct apsp_prepared_graph *prepared)
{
	apsp_bits_done(&prepared->on_cycle);
	apsp_bits_done(&prepared->closure);
	apsp_positions_done(&prepared->order);
	apsp_components_done(&prepared->components);
	apsp_root_paths_done(&prepared->better);
	apsp_root_paths_done(&prepared->paths);
	apsp_useful_arcs_done(&prepared->useful);
	apsp_integers_done(&prepared->integers);
	apsp_lengths_done(&prepared->lengths);
	apsp_graph_done(&prepared->graph);
}

/* The argument and the result of order_build(). This function finds the
   components and the order of the vertices, while other threads search for the
   shortest paths from and to the root. */
struct ordering {
	struct apsp_prepared_graph *prepared;
	int result;
	struct apsp_err err;
};

static void order_build(void *ctx, unsigned int thread, size_t i)
{
	struct ordering *ordering = ctx;
	struct apsp_prepared_graph *prepared = ordering->prepared;
	const struct apsp_lengths *lengths = &prepared->lengths;
	int r = apsp_components_build(
		lengths, &prepared->components, &ordering->err);

	(void)thread;
	(void)i;
	if (r >= 0)
		r = apsp_components_weak(lengths, false,
			&prepared->components.weak, &ordering->err);
	if (r >= 0)
		r = apsp_positions_build(lengths, &prepared->components,
			&prepared->order, &ordering->err);
	ordering->result = r;
}

static int paths_find(
	struct apsp_prepared_graph *prepared, struct apsp_err *err)
{
	struct ordering ordering = {.prepared = prepared};
	const struct apsp_parallel_part beside = {1, order_build, &ordering};
	int r = apsp_root_paths_find(&prepared->lengths, &prepared->integers,
		&beside, &prepared->paths, err);

	if (r < 0 || ordering.result >= 0)
		return r;
	return apsp_fail(err, (enum apsp_code)ordering.result, "%s",
		ordering.err.message);
}

/* Compute lengths, their integers and the arcs by head. */
static int lengths_make(struct apsp_prepared_graph *prepared,
	struct apsp_negative_cycle *out_cycle, struct apsp_err *err)
{
	int r = apsp_lengths_build(&prepared->graph, &prepared->lengths, err);

	if (r >= 0)
		r = apsp_integers_build(&prepared->graph, &prepared->lengths, 0,
			&prepared->integers, out_cycle, err);
	return r < 0 ? r : apsp_in_arcs_build(&prepared->lengths, err);
}

int apsp_prepared_graph_bare(struct apsp_prepared_graph *prepared,
	struct apsp_negative_cycle *out_cycle, struct apsp_err *err)
{
	int r = lengths_make(prepared, out_cycle, err);

	if (r >= 0)
		r = apsp_components_build(
			&prepared->lengths, &prepared->components, err);
	return r < 0 ? r
		     : apsp_components_on_cycle(&prepared->lengths,
			       &prepared->components, &prepared->on_cycle, err);
}

int apsp_prepared_graph_lengths(struct apsp_prepared_graph *prepared,
	struct apsp_negative_cycle *out_cycle, struct apsp_err *err)
{
	struct apsp_width_facts facts = {0};
	int64_t bound = 0;
	int r = lengths_make(prepared, out_cycle, err);

	if (r >= 0)
		r = paths_find(prepared, err);
	if (r < 0)
		return r;
	apsp_in_arcs_settle(&prepared->lengths, prepared->integers.kind);
	apsp_root_paths_bound(&prepared->paths, &prepared->integers,
		prepared->lengths.n_vertices, &bound, &facts.hops);
	prepared->hops = facts.hops;
	facts.kind = prepared->integers.kind;
	facts.scale = prepared->lengths.n_vertices;
	facts.negative = prepared->integers.potentials != NULL;
	facts.largest = bound;
	if (facts.kind == APSP_DISTANCE_SCALED) {
		facts.scale = prepared->integers.scale;
		facts.largest = bound / facts.scale;
		if (facts.hops >= facts.scale)
			return apsp_fail(err, APSP_EOVERFLOW,
				"next to the largest length, 53 bits have room "
				"for paths of fewer than %lld arcs, and some "
				"path has %u; divide the weights by a power of "
				"two",
				(long long)facts.scale, facts.hops);
	}
	prepared->n_widths =
		apsp_width_candidates_list(&facts, prepared->widths);
	return 0;
}

/* Compute the closure by the default algorithm, `closure-order`: on the device
   if the device is faster, else on the host. If the device has too little
   memory or its driver fails, the host computes the closure instead. */
static int closure_by_order(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	static const struct apsp_closure_algorithm in_order = {
		"closure-order", apsp_closure_order_device_run};
	struct apsp_closure_task on_host = *task;
	struct apsp_err why = {0};
	int r;

	on_host.device = NULL;
	if (!apsp_closure_order_on_device(task))
		return apsp_closure_order_run(&on_host, progress, out, err);
	r = apsp_closure_test_run(task->device, &in_order, &why);
	if (r >= 0)
		r = apsp_closure_order_run(task, progress, out, &why);
	if (r == APSP_ELIMIT || r == APSP_EDEVICE) {
		fprintf(stderr, "<4>%s; the host computes the closure\n",
			why.message);
		return apsp_closure_order_run(&on_host, progress, out, err);
	}
	if (r < 0 && err)
		*err = why;
	return r;
}

int apsp_prepared_graph_closure(struct apsp_prepared_graph *prepared,
	const struct apsp_closure_algorithm *closure,
	const struct apsp_device *device, struct apsp_progress *progress,
	struct apsp_err *err)
{
	const struct apsp_closure_task task = {.lengths = &prepared->lengths,
		.components = &prepared->components,
		.device = device};
	struct apsp_bits *out = &prepared->closure;
	int r;

	if (!closure)
		closure = apsp_closure_algorithm_find("");
	if (closure->run == apsp_closure_order_run) {
		r = closure_by_order(&task, progress, out, err);
	} else {
		r = apsp_closure_test_run(device, closure, err);
		if (r >= 0)
			r = closure->run(&task, progress, out, err);
	}
	if (r >= 0)
		r = apsp_components_on_cycle(&prepared->lengths,
			&prepared->components, &prepared->on_cycle, err);
	if (r < 0)
		return r;
	prepared->n_reachable = apsp_bits_count(&prepared->closure);
	return 0;
}

enum apsp_element apsp_prepared_graph_distance(
	const struct apsp_prepared_graph *prepared, enum apsp_element v)
{
	return prepared->integers.kind == APSP_DISTANCE_SUM ? prepared->sums
							    : v;
}

int apsp_prepared_graph_scale(struct apsp_prepared_graph *prepared,
	const struct apsp_width *width, struct apsp_err *err)
{
	struct apsp_negative_cycle cycle = {0};
	int r;

	if (prepared->integers.kind != APSP_DISTANCE_SCALED ||
		prepared->integers.scale == width->scale)
		return 0;
	apsp_integers_done(&prepared->integers);
	apsp_prepared_graph_drop_useful(prepared);
	/* `cycle` stays empty: if the graph had a negative cycle, the first
	   call of apsp_integers_build() would have failed */
	r = apsp_integers_build(&prepared->graph, &prepared->lengths,
		width->scale, &prepared->integers, &cycle, err);
	apsp_negative_cycle_done(&cycle);
	return r;
}

/* For widest paths: find a better root, and the paths from and to it along
   useful arcs. */
static int root_choose(
	struct apsp_prepared_graph *prepared, struct apsp_err *err)
{
	struct apsp_lengths *useful = &prepared->useful.lengths;
	int r = apsp_in_arcs_build(useful, err);

	if (r >= 0)
		r = apsp_root_paths_choose(useful, &prepared->integers,
			prepared->paths.root, &prepared->better, err);
	apsp_in_arcs_done(&useful->in);
	/* if the search failed, the paths of the first root are used instead;
	   they may contain useless arcs, so the distance matrix must be
	   computed from all arcs */
	if (r < 0)
		apsp_useful_arcs_done(&prepared->useful);
	return r;
}

int apsp_prepared_graph_useful(struct apsp_prepared_graph *prepared,
	const struct apsp_stop *stop, double pairs_s, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = &prepared->lengths;
	bool unit = prepared->integers.kind == APSP_DISTANCE_HOPS;
	int r;

	if (prepared->useful_known)
		return 0;
	prepared->useful_known = true;
	if (apsp_arc_search_bytes(lengths->n_vertices, lengths->n_arcs,
		    lengths->n_arcs, unit) > apsp_host_room_now())
		return 0;
	r = apsp_useful_arcs_find(lengths, &prepared->integers,
		&prepared->paths, stop, pairs_s, &prepared->useful, err);
	if (r >= 0 && prepared->integers.kind == APSP_DISTANCE_WIDTH &&
		prepared->useful.useless)
		r = root_choose(prepared, err);
	return r == APSP_ENOMEM ? 0 : r;
}

void apsp_prepared_graph_drop_useful(struct apsp_prepared_graph *prepared)
{
	apsp_root_paths_done(&prepared->better);
	apsp_useful_arcs_done(&prepared->useful);
	prepared->useful_known = false;
}

const struct apsp_lengths *apsp_prepared_graph_arcs(
	const struct apsp_prepared_graph *prepared)
{
	return prepared->useful.useless ? &prepared->useful.lengths
					: &prepared->lengths;
}

const struct apsp_root_paths *apsp_prepared_graph_root(
	const struct apsp_prepared_graph *prepared)
{
	return prepared->better.from.distances ? &prepared->better
					       : &prepared->paths;
}
