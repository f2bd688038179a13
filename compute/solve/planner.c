/*
 * Facts of the prepared graph and the device; see planner.h.
 */
#include "compute/solve/planner.h"

#include <math.h>

#include "compute/solve/kept_rates.h"
#include "compute/plan/host_room.h"
#include "compute/graph/multi_source_probe.h"
#include "daemon/base/auto.h"
#include "daemon/base/weights.h"

/*
 * Whether few vertices have most of the arcs: such a graph is no road (cost.h),
 * and the daemon, which corrects its estimates by what plans said, estimates
 * with hubs. Merged arcs and vertices without arcs count, so that a graph near
 * the limit may be told otherwise than its upload.
 */
static bool has_hubs(const struct apsp_lengths *lengths)
{
	double squares = 0;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		double degree =
			(double)(lengths->offsets[v + 1] - lengths->offsets[v]);

		squares += degree * degree;
	}
	return apsp_weights_of_degrees(
		lengths->n_vertices, lengths->n_arcs, squares);
}

static void facts_collect(const struct apsp_prepared_graph *prepared,
	const struct apsp_device *device, const struct apsp_width *width,
	struct apsp_plan_facts *out)
{
	double n = prepared->lengths.n_vertices;

	*out = (struct apsp_plan_facts){
		.work = {.n_vertices = prepared->lengths.n_vertices,
			.n_arcs = prepared->lengths.n_arcs,
			.element = width->element,
			.distance = apsp_prepared_graph_distance(
				prepared, width->element),
			.unit_lengths =
				prepared->integers.kind == APSP_DISTANCE_HOPS,
			.transformed = prepared->lengths.lengths &&
				       prepared->lengths.lengths !=
					       prepared->lengths.weights,
			.betweenness =
				apsp_profile_measures(&prepared->graph.profile,
					APSP_MEASURE_BETWEENNESS),
			.hops = prepared->hops,
			.hubs = has_hubs(&prepared->lengths),
			.reachable = (double)prepared->n_reachable / (n * n)},
		.sums_left_f32 = prepared->sums == APSP_ELEMENT_F64 &&
				 prepared->graph.profile.precision ==
					 APSP_PRECISION_FLOAT32,
		.host_bytes = apsp_host_room_now(),
		/* the table's writer reserves the file and fails if it cannot
		 */
		.disk_bytes = APSP_PLAN_UNKNOWN,
	};
	out->solver_waits = device && device->was_open;
	if (!device || !device->tuning) {
		out->device = apsp_plan_no_device();
		apsp_rates_default(false, &out->rates);
		return;
	}
	apsp_plan_device_init(&device->info, device->tuning,
		device->memory_bytes, &out->device);
	apsp_kept_rates_load(device, &out->rates);
	if (device->was_open)
		out->held = device->held;
}

/*
 * How many arcs multi-source would go over for a batch: counted where it is
 * asked for or may win. Where it loses even by the least that the count can be,
 * guessed.
 */
static int visits_find(const struct apsp_prepared_graph *prepared, bool cpu,
	const char *asked, struct apsp_plan_facts *facts,
	struct apsp_plan *plan, struct apsp_err *err)
{
	APSP_AUTO(apsp_multi_source_probe_done)
	struct apsp_multi_source_probe probe = {0};
	struct apsp_workload *work = &facts->work;
	double guess = apsp_cost_pushes(work) / (double)work->n_vertices;
	int r = apsp_multi_source_probe_init(&prepared->lengths,
		&prepared->integers, &prepared->order,
		cpu ? &prepared->paths : NULL, &probe, err);

	if (r < 0)
		return r;
	/* 0 would mean that it is not known */
	work->visits = fmax(
		apsp_multi_source_probe_least(&probe, &prepared->closure), 1);
	apsp_plan_make(facts, asked, plan);
	if (plan->choice == APSP_ALGORITHM_MULTI_SOURCE)
		return apsp_multi_source_probe_count(
			&probe, &work->visits, err);
	work->visits = fmax(work->visits, guess);
	return 0;
}

int apsp_planner_make(const struct apsp_prepared_graph *prepared,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, struct apsp_plan *out, struct apsp_err *err)
{
	const bool cpu = device && device->tuning && !device->tuning->gpu;
	const int wanted = apsp_algorithm_find(asked);
	struct apsp_plan_facts facts;
	int r = 0;

	facts_collect(prepared, device, width, &facts);
	if (wanted < 0 || wanted == APSP_ALGORITHM_MULTI_SOURCE)
		r = visits_find(prepared, cpu, asked, &facts, out, err);
	if (r < 0)
		return r;
	apsp_plan_make(&facts, asked, out);
	return 0;
}
