/*
 * Collects facts about the prepared graph and the device; see planner.h.
 */
#include "compute/solve/planner.h"

#include "compute/group/group.h"
#include "compute/plan/graph_guess.h"
#include "compute/plan/host_room.h"
#include "compute/solve/kept_rates.h"
#include "compute/solver_event.h"
#include "daemon/job/arc_facts.h"

/*
 * Whether the graph has hubs: a few vertices with most of the arcs
 * (compute/plan/cost.h). Road networks have no hubs. The daemon applies the
 * same test to the uploaded arcs (arc_facts.h), because it estimates jobs
 * before they have a plan. In `lengths`, duplicate arcs are already merged. So
 * near the limit, the two tests can have different results for the same graph.
 */
static bool has_hubs(const struct apsp_lengths *lengths)
{
	double squares = 0;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		double degree =
			(double)(lengths->offsets[v + 1] - lengths->offsets[v]);

		squares += degree * degree;
	}
	return apsp_arc_facts_of_degrees(
		lengths->n_vertices, lengths->n_arcs, squares);
}

/* Return how many processes, devices and hosts the group has, for a plan. If
   this process is alone, all these numbers are 0. */
static struct apsp_plan_group group_facts(const struct apsp_device *device)
{
	uint32_t hosts = apsp_group_host().sets;
	bool gpu = device && device->tuning && device->tuning->gpu;

	if (apsp_group_size() == 1)
		return (struct apsp_plan_group){0};
	return (struct apsp_plan_group){
		.processes = apsp_group_size(),
		.beside = apsp_group_host().size,
		.devices = gpu ? device->n_devices : hosts,
		.sharers = device ? device->n_sharers : 0,
		.hosts = hosts,
	};
}

static struct apsp_plan_facts machine_facts(const struct apsp_device *device)
{
	/* `now` is the memory that this process can use, of which it already
	   holds `held`. The processes of a group on one host divide the rest of
	   this memory equally. */
	uint64_t now = apsp_host_room_now(), held = apsp_host_room_held();
	uint64_t room = now == UINT64_MAX || held > now
				? now
				: (now - held) / apsp_group_host().size + held;
	struct apsp_plan_facts facts = {
		.host_bytes = apsp_host_room_for_job(room),
		/* this plan does not check disk space, because the writer of
		   the table file reserves the space, or fails */
		.disk_bytes = APSP_PLAN_UNKNOWN,
		.solver_waits = device && device->was_open,
	};

	if (!device || !device->tuning) {
		facts.device = apsp_plan_no_device();
		apsp_rates_default(false, &facts.rates);
		return facts;
	}
	apsp_plan_device_init(&device->info, device->tuning,
		device->memory_bytes, &facts.device);
	/* Load the rates that were measured on all processors of the host.
	   These rates are also right for a process that uses one k-th of the
	   processors: the process is slower by the factor k, but it computes
	   only one k-th of the rows. */
	apsp_group_processors(true);
	apsp_kept_rates_load(device, &facts.rates);
	apsp_group_processors(false);
	if (device->was_open)
		facts.held = device->held;
	return facts;
}

void apsp_planner_make(const struct apsp_prepared_graph *prepared,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, double lost_s, uint64_t room_bytes,
	struct apsp_plan *out)
{
	struct apsp_plan_facts facts = machine_facts(device);
	const struct apsp_profile *rule = &prepared->graph.profile;
	const struct apsp_lengths *lengths = &prepared->lengths;
	double n = lengths->n_vertices;

	facts.work = (struct apsp_workload){
		.n_vertices = lengths->n_vertices,
		.n_arcs = lengths->n_arcs,
		.n_useful = apsp_prepared_graph_arcs(prepared)->n_arcs,
		.element = width->element,
		.distance =
			apsp_prepared_graph_distance(prepared, width->element),
		.predecessor = lengths->in.rank,
		.unit_lengths = prepared->integers.kind == APSP_DISTANCE_HOPS,
		.transformed = lengths->lengths &&
			       lengths->lengths != lengths->weights,
		.widest = prepared->integers.kind == APSP_DISTANCE_WIDTH,
		.betweenness = rule->measures & APSP_MEASURE_BETWEENNESS,
		.tables = rule->tables,
		.hops = prepared->hops,
		.hubs = has_hubs(lengths),
		.reachable = (double)prepared->n_reachable / (n * n),
	};
	facts.group = group_facts(device);
	facts.sums_left_f32 = prepared->sums == APSP_ELEMENT_F64 &&
			      rule->precision == APSP_PRECISION_FLOAT32;
	/* In a contest, `multi-source` is given up if another algorithm is
	   expected to finish sooner. A group of several processes has no
	   contest, because all processes would have to give up `multi-source`
	   at the same time. */
	facts.may_contest = apsp_group_size() == 1;
	facts.room_bytes = room_bytes;
	facts.lost_s = lost_s;
	apsp_plan_make(&facts, asked, out);
}

void apsp_planner_group(FILE *events, const struct apsp_device *device)
{
	struct apsp_plan_group group = group_facts(device);
	char text[APSP_PLAN_GROUP_SIZE];

	if (group.processes == 0)
		return;
	apsp_plan_group_format(&group, text);
	apsp_solver_event_write(events, APSP_SOLVER_EVENT_GROUP, text);
}

void apsp_planner_guess(const struct apsp_graph *graph, uint64_t room_bytes,
	struct apsp_plan *out)
{
	struct apsp_plan_facts facts = machine_facts(NULL);

	apsp_graph_guess_workload(graph->n_vertices, graph->n_arcs, 0,
		&graph->profile, &facts.work);
	facts.room_bytes = room_bytes;
	apsp_plan_make(&facts, "", out);
}
