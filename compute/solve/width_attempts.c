/*
 * Tries one width after the other; see width_attempts.h.
 */
#include "compute/solve/width_attempts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/plan/algorithm.h"
#include "compute/group/group.h"
#include "compute/plan/job_pace.h"
#include "compute/solve/device_rows.h"
#include "compute/solve/planner.h"
#include "compute/solve/shared_rows.h"
#include "compute/solver_event.h"
#include "compute/tables/host_solve.h"
#include "compute/tables/verdict.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

enum {
	/* the search for useless arcs may take 1/8 of the estimated time of the
	   fastest algorithm; see useful_find() */
	SEARCH_SHARE = 8,
	/* if the device refuses memory, the job is planned again at most this
	   number of times, each time for less memory */
	ROOM_TRIES = 4,
};

/* The search for useless arcs may always take this number of seconds. In small
   graphs, the limit by SEARCH_SHARE is shorter. On a busy machine, such a short
   limit would end the search too early. */
#define SEARCH_LEAST_S 0.01

APSP_AUTO_DEFINE(rows_free, struct apsp_table_rows, apsp_table_rows_free);

/* The plan for one width, and the algorithm that it chose. */
struct chosen {
	/* a copy of the caller's struct; in the copy, the chosen algorithm is
	   set */
	struct apsp_width_attempts attempts;
	/* the algorithm that the profile names, for distances or for the
	   closure; if the profile names none, the algorithm that the plan
	   chose; borrowed */
	const char *name;
	uint32_t rows; /* number of rows of the distance matrix that the device
			  holds at once */
	uint64_t device_bytes;
	/* whether the file has distances and predecessors, or only the smaller
	   one of these tables (APSP_TABLES_DISTANCE) */
	enum apsp_tables_kept tables;
	struct apsp_shared_rows shared;
	/* for widest paths: the widths of the paths from and to the root; NULL:
	   the job computes shortest paths; borrowed */
	const struct apsp_root_widths *root;
	/* The contest (contest.h): `multi-source` is given up when the rest of
	   its work would take longer than contest.give_up_s. This is the
	   estimated time of another algorithm times a factor above 1; 0: there
	   is no contest. */
	struct apsp_contest contest;
	/* number of finite distances that this process has counted; rows_end()
	   adds the numbers of all other processes */
	uint64_t finite;
};

/* Set the planned seconds as the weights of the job's phases in the reported
   progress. Also report these seconds to the daemon, which compares them with
   the seconds that the job takes. */
static void cost_report(struct apsp_progress *progress,
	const struct apsp_estimate *estimate, enum apsp_element element)
{
	char text[APSP_JOB_PACE_TEXT_SIZE];

	apsp_progress_cost(progress, estimate->cost.seconds, true);
	apsp_job_pace_format(estimate->rate, element, &estimate->cost, text);
	apsp_solver_event_write(progress->events, APSP_SOLVER_EVENT_COST, text);
}

static int plan_make(const struct apsp_width_attempts *attempts,
	const struct apsp_width *width, const char *asked, double lost_s,
	struct apsp_plan *out, struct apsp_err *err)
{
	apsp_planner_make(attempts->prepared, attempts->device, width, asked,
		lost_s, attempts->room_bytes, out);
	return apsp_plan_check(out, err);
}

/*
 * Plan the rows of this process, for the algorithm `name`, which the process of
 * rank 0 has chosen. If there is no memory for these rows, plan->choice becomes
 * -1, and the process of rank 0 computes all rows. But if the processes compute
 * the distance matrix together by this algorithm, the function fails, because
 * the process of rank 0 has planned memory only for its own part.
 */
static int plan_follow(const struct apsp_width_attempts *attempts,
	const struct apsp_width *width, const char *name, double lost_s,
	struct apsp_plan *plan, struct apsp_err *err)
{
	struct apsp_err refusal = {0};
	int id = apsp_algorithm_find(name);
	int r = plan_make(attempts, width, name, lost_s, plan, &refusal);

	if (r >= 0)
		return 0;
	plan->choice = -1;
	if (id < 0 || !apsp_algorithms[id].divides)
		return 0;
	*err = refusal;
	return r;
}

static struct apsp_contest contest_of(
	const struct apsp_width_attempts *attempts,
	const struct apsp_plan *plan)
{
	const struct apsp_prepared_graph *prepared = attempts->prepared;
	const struct apsp_device *device = attempts->device;
	bool windows =
		apsp_plan_choice(plan)->rows < prepared->order.n_vertices;

	return (struct apsp_contest){.give_up_s = plan->give_up_s,
		.closure = &prepared->closure,
		.n_reachable = prepared->n_reachable,
		.order = windows ? NULL : &prepared->order,
		.hops = prepared->hops,
		.n_processors = device && !device->tuning->gpu
					? device->info.compute_units
					: 0};
}

/* The processes of a group can divide the rows into windows. Return the number
   of rows of the largest window; 0: the rows are not divided. */
static uint32_t shared_rows_most(const struct apsp_shared_rows *shared)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < shared->windows.n; i++)
		if (shared->windows.windows[i].n_rows > most)
			most = shared->windows.windows[i].n_rows;
	return most;
}

/*
 * Make a plan for one width, and report it. If the job's limits allow no
 * algorithm, this function fails before anything is allocated. In a group, all
 * processes use the algorithm that the process of rank 0 chooses, and each
 * process plans for its own memory. `r` is the result of the steps before the
 * plan. If `r` is negative, this function only calls the collective functions
 * of the group, and then returns `r`.
 */
static int choose(const struct apsp_width_attempts *attempts,
	const struct apsp_width *width, int r, struct chosen *out,
	struct apsp_err *err)
{
	const struct apsp_prepared_graph *prepared = attempts->prepared;
	struct apsp_progress *progress = attempts->progress;
	const struct apsp_estimate *estimate = NULL;
	char name[APSP_ALGORITHM_SIZE] = "";
	double lost_s = out->contest.lost_s;
	struct apsp_plan plan = {.tables = APSP_TABLES_ALL};
	uint32_t most;
	int shared;

	*out = (struct chosen){.attempts = *attempts};
	if (attempts->algorithm)
		strcpy(name, attempts->algorithm->entry->name);
	if (r >= 0 && apsp_group_rank() == 0)
		r = plan_make(attempts, width, name, lost_s, &plan, err);
	if (r >= 0 && apsp_group_rank() == 0)
		strcpy(name, apsp_plan_choice(&plan)->name);
	/* share the algorithm and the tables that the process of rank 0 has
	   chosen; if this process has failed, both are meaningless, and
	   width_try() fails in all processes */
	apsp_group_share(0, name, sizeof(name), 1);
	apsp_group_share(0, &plan.tables, sizeof(plan.tables), 1);
	out->tables = plan.tables;
	if (r >= 0 && apsp_group_rank() > 0)
		r = plan_follow(attempts, width, name, lost_s, &plan, err);
	estimate = r >= 0 ? apsp_plan_choice(&plan) : NULL;
	shared = apsp_shared_rows_divide(prepared->lengths.n_vertices, estimate,
		attempts->device, &out->shared, err);
	if (r < 0 || shared < 0)
		return r < 0 ? r : shared;
	if (!out->shared.works)
		return 0;
	most = shared_rows_most(&out->shared);
	cost_report(progress, estimate, width->element);
	out->rows = most > 0 ? most : (uint32_t)estimate->rows;
	out->device_bytes = estimate->device_bytes;
	out->contest = contest_of(attempts, &plan);
	out->attempts.algorithm = apsp_distance_algorithm_find(name);
	out->name = prepared->graph.profile.algorithm;
	if (!out->name[0])
		out->name = out->attempts.algorithm->entry->name;
	apsp_progress_plan(progress, out->name, plan.text);
	return 0;
}

/* Open the tables. In a group, the process of rank 0 creates the file and
   reserves its space before the other processes open the file. All processes of
   the group must call this function. */
static int rows_open(const struct chosen *chosen,
	const struct apsp_width *width, struct apsp_table_rows **out,
	struct apsp_err *err)
{
	const struct apsp_width_attempts *attempts = &chosen->attempts;
	struct apsp_prepared_graph *prepared = attempts->prepared;
	bool first = apsp_group_rank() == 0;
	const struct apsp_table_rows_config config = {
		.path = attempts->path,
		.algorithm = chosen->name,
		.lengths = &prepared->lengths,
		.integers = &prepared->integers,
		.components = &prepared->components,
		.closure = &prepared->closure,
		.on_cycle = &prepared->on_cycle,
		.root = chosen->root,
		.element = width->element,
		.distance =
			apsp_prepared_graph_distance(prepared, width->element),
		.betweenness = prepared->graph.profile.measures &
			       APSP_MEASURE_BETWEENNESS,
		.tables = chosen->tables,
		.room_bytes = attempts->room_bytes,
		.proof_seed = attempts->proof_seed,
		.shared = chosen->shared.windows.n > 0,
		.joins = !first,
		.processors = apsp_group_host().size < apsp_group_size()
				      ? 0
				      : apsp_group_host().processors,
	};
	int r = 0;

	if (first)
		r = apsp_table_rows_open(&config, out, err);
	r = apsp_group_agree(r, err);
	if (r >= 0 && !first && chosen->shared.works)
		r = apsp_table_rows_open(&config, out, err);
	/* if processes compute the distance matrix together, they wait for each
	   other, so all of them must learn whether a process has failed */
	return chosen->shared.together ? apsp_group_agree(r, err) : r;
}

/* Compute the rows of this process. Returns an enum apsp_verdict, or a negative
   error code. */
static int rows_compute(struct chosen *chosen, const struct apsp_width *width,
	struct apsp_table_rows *rows, struct apsp_err *err)
{
	const struct apsp_width_attempts *attempts = &chosen->attempts;
	struct apsp_prepared_graph *prepared = attempts->prepared;
	const struct apsp_device_rows work = {.prepared = prepared,
		.root = chosen->root,
		.device = attempts->device,
		.algorithm = attempts->algorithm,
		.progress = attempts->progress,
		.element = width->element,
		.n_rows = chosen->rows,
		.shared = &chosen->shared,
		.contest = &chosen->contest,
		.rows = rows};
	int r;

	if (!chosen->shared.works)
		return 0;
	if (attempts->algorithm->entry->start != APSP_START_HOST)
		return apsp_device_rows_compute(&work, &chosen->finite, err);
	r = apsp_device_rows_graph(prepared, rows, err);
	if (r >= 0)
		r = apsp_host_solve_run(rows, attempts->progress, err);
	chosen->finite = prepared->n_reachable;
	return r;
}

/*
 * Agree with all other processes on one result; `r` is the result of computing
 * the rows of this process. If all rows are right, each process checks that all
 * processes together have counted as many finite distances as the closure has
 * pairs, and the process of rank 0 finishes the tables. All processes of the
 * group must call this function.
 */
static int rows_end(struct chosen *chosen, struct apsp_table_rows *rows, int r,
	struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = chosen->attempts.prepared;
	struct apsp_progress *progress = chosen->attempts.progress;

	apsp_group_tickets_end(r != 0);
	apsp_group_processors(false);
	/* if no stop was requested, the rows were cancelled because another
	   process of the group has stopped (progress.h), so the result of that
	   process decides */
	if (r == APSP_ECANCELLED && !apsp_stop_reason(progress->stop))
		r = APSP_VERDICT_ELSEWHERE;
	apsp_progress_stage(progress, APSP_STAGE_WRITE);
	r = apsp_group_agree(r, err);
	if (r == APSP_VERDICT_ELSEWHERE)
		return apsp_fail(err, APSP_EBUG,
			"all processes have stopped, each because of another");
	if (r != 0)
		return r;
	r = apsp_shared_rows_gather(
		&chosen->shared, rows, &chosen->finite, err);
	apsp_group_share(0, &chosen->finite, sizeof(chosen->finite), 1);
	if (r >= 0 && chosen->finite != prepared->n_reachable)
		r = apsp_fail(err, APSP_EPROOF,
			"the device counted %" PRIu64
			" distances and there are %" PRIu64,
			chosen->finite, prepared->n_reachable);
	apsp_prepared_graph_drop_useful(prepared);
	/* the other processes of this host wait now, so this process uses their
	   processors, too */
	apsp_group_processors(true);
	if (r >= 0 && apsp_group_rank() == 0) {
		r = apsp_table_rows_finish(
			rows, progress, chosen->attempts.left, err);
		/* after a success, the stage is `write` already; entering it
		   again adds the time so far to the seconds of this stage */
		apsp_progress_stage(progress, APSP_STAGE_WRITE);
	}
	apsp_group_processors(false);
	return apsp_group_agree(r, err);
}

/* Compute the distance matrix in one width (element type and scale) and write
   the tables. Returns an enum apsp_verdict, or a negative error code. */
static int attempt_width(struct chosen *chosen, const struct apsp_width *width,
	struct apsp_err *err)
{
	const struct apsp_width_attempts *attempts = &chosen->attempts;
	APSP_AUTO(apsp_root_widths_done) struct apsp_root_widths root = {0};
	APSP_AUTO(rows_free) struct apsp_table_rows *rows = NULL;
	int r = apsp_progress_enter(
		attempts->progress, APSP_STAGE_DISTANCE, err);

	chosen->root = NULL;
	if (r >= 0 &&
		attempts->prepared->integers.kind == APSP_DISTANCE_WIDTH) {
		r = apsp_root_widths_make(&attempts->prepared->lengths,
			apsp_prepared_graph_arcs(attempts->prepared),
			apsp_prepared_graph_root(attempts->prepared),
			width->element, &root, err);
		chosen->root = &root;
	}
	apsp_progress_element(attempts->progress, width->element);
	apsp_progress_stage(attempts->progress, APSP_STAGE_WRITE);
	r = apsp_group_agree(r, err);
	if (r < 0)
		return r;
	apsp_group_tickets_begin();
	apsp_group_processors(
		chosen->shared.works && chosen->shared.windows.n == 0);
	r = rows_open(chosen, width, &rows, err);
	if (r >= 0)
		r = rows_compute(chosen, width, rows, err);
	if (r == 0 && rows && apsp_group_rank() > 0)
		r = apsp_table_rows_end(rows, err);
	return rows_end(chosen, rows, r, err);
}

/*
 * Find the useful arcs, which are the arcs that may be on a shortest path. If a
 * user has asked for an algorithm that no plan chooses by itself (its member
 * `competes` is false), nothing is searched, and the algorithm gets all arcs.
 * The part of the search that compares arcs with paths of two arcs has a time
 * limit: an eighth of the estimated seconds in which the fastest algorithm
 * would solve the graph with all arcs, but at least SEARCH_LEAST_S.
 */
static int useful_find(const struct apsp_width_attempts *attempts,
	const struct apsp_width *width, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = attempts->prepared;
	const char *asked =
		attempts->algorithm ? attempts->algorithm->entry->name : "";
	const struct apsp_estimate *fastest;
	struct apsp_plan plan;
	double seconds = 0;
	int id;

	if (prepared->useful_known)
		return 0;
	apsp_planner_make(prepared, attempts->device, width, asked, 0,
		attempts->room_bytes, &plan);
	id = *asked ? apsp_algorithm_find(asked) : plan.choice;
	if (id >= 0 && !apsp_algorithms[id].competes)
		return 0;
	fastest = apsp_plan_choice(&plan);
	if (fastest)
		seconds = fastest->cost.seconds[APSP_STAGE_DISTANCE];
	if (plan.rival_s > 0 && plan.rival_s < seconds)
		seconds = plan.rival_s;
	return apsp_prepared_graph_useful(prepared, attempts->progress->stop,
		fmax(seconds / SEARCH_SHARE, SEARCH_LEAST_S), err);
}

/* Build the lengths again if apsp_device_rows_graph() has freed the weights.
   Fails with the errors of apsp_lengths_build(). APSP_EPROOF: the arcs are not
   those of the first time. */
static int prepared_graph_weights(
	struct apsp_prepared_graph *prepared, struct apsp_err *err)
{
	struct apsp_in_arcs in = prepared->lengths.in;
	uint64_t checksum = prepared->lengths.checksum;
	int r;

	if (prepared->lengths.weights)
		return 0;
	/* Keep prepared->lengths.in, the lists of the arcs that end at each
	   vertex: apsp_lengths_done() must not free them. The new lengths are
	   built from the same arcs, so these lists stay valid. */
	prepared->lengths.in = (struct apsp_in_arcs){0};
	apsp_lengths_done(&prepared->lengths);
	r = apsp_lengths_build(&prepared->graph, &prepared->lengths, err);
	prepared->lengths.in = in;
	if (r >= 0 && prepared->lengths.checksum != checksum)
		return apsp_fail(err, APSP_EPROOF,
			"other arcs were made from the graph's file the second "
			"time");
	return r;
}

/* Prepare and plan the computation of the distance matrix in one width (element
   type and scale), and run it. If `multi-source` loses its contest, plan and
   run the computation again. Returns an enum apsp_verdict, or a negative error
   code. */
static int width_try(const struct apsp_width_attempts *attempts,
	const struct apsp_width *width, struct chosen *chosen,
	struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = attempts->prepared;
	int r;

	do {
		apsp_shared_rows_done(&chosen->shared);
		apsp_progress_stage(attempts->progress, APSP_STAGE_LENGTHS);
		r = prepared_graph_weights(prepared, err);
		if (r >= 0)
			r = apsp_prepared_graph_scale(prepared, width, err);
		if (r >= 0)
			r = useful_find(attempts, width, err);
		r = apsp_group_agree(
			choose(attempts, width, r, chosen, err), err);
		if (r >= 0)
			r = attempt_width(chosen, width, err);
	} while (r == APSP_VERDICT_SLOW);
	apsp_shared_rows_done(&chosen->shared);
	return r;
}

/* Call width_try(). If the device refuses memory, call width_try() again with a
   plan for less memory, except in a group of several processes. A device can
   have less free memory than it reports, because other programs may use a part
   of the memory. */
static int width_try_in_room(const struct apsp_width_attempts *attempts,
	const struct apsp_width *width, struct apsp_err *err)
{
	struct apsp_width_attempts own = *attempts;
	struct apsp_device smaller;
	char less[APSP_SIZE_TEXT_SIZE], before[APSP_SIZE_TEXT_SIZE];
	struct apsp_err full = {0}, next = {0};
	struct chosen chosen = {.device_bytes = 0};
	int r = width_try(&own, width, &chosen, &full);

	for (int i = 0; i < ROOM_TRIES && r == APSP_ELIMIT &&
			chosen.device_bytes > 0 && apsp_group_size() == 1;
		i++) {
		smaller = *attempts->device;
		smaller.memory_bytes = chosen.device_bytes / 4 * 3;
		own.device = &smaller;
		apsp_sizes_format(smaller.memory_bytes, chosen.device_bytes,
			less, before);
		fprintf(stderr, "<4>%s; planning again with %s instead of %s\n",
			full.message, less, before);
		chosen.device_bytes = 0;
		r = width_try(&own, width, &chosen, &next);
		/* If there is still too little memory, keep the first error:
		   the planner's error would name the smaller memory as that of
		   the device. */
		if (r < 0 && r != APSP_ELIMIT)
			full = next;
	}
	if (r < 0)
		*err = full;
	return r;
}

/* Fail because no width holds all distances. The unit of real lengths is a
   fraction of the smallest length, so another scale of the weights would not
   help. */
static int too_far(const struct apsp_integers *integers, struct apsp_err *err)
{
	if (integers->kind == APSP_DISTANCE_SUM)
		return apsp_fail(err, APSP_EOVERFLOW,
			"distances exceed %.3g, the most that 53 bits hold "
			"next to the smallest length; drop or raise the "
			"smallest lengths, or choose tables=none",
			0x1p53 * integers->unit);
	return apsp_fail(err, APSP_EOVERFLOW,
		"distances exceed 2^53 units; scale the weights down");
}

int apsp_width_attempts_run(
	const struct apsp_width_attempts *attempts, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = attempts->prepared;
	int r = attempts->algorithm
			? apsp_distance_algorithm_takes(
				  attempts->algorithm, &prepared->integers, err)
			: 0;

	for (int w = 0; r >= 0 && w < prepared->n_widths;) {
		r = width_try_in_room(attempts, &prepared->widths[w], err);
		if (r == APSP_VERDICT_SUMS_NARROW)
			prepared->sums = APSP_ELEMENT_F64;
		else if (r == APSP_VERDICT_TOO_NARROW)
			w++;
		else
			return r;
	}
	if (r < 0)
		return r;
	return too_far(&prepared->integers, err);
}
