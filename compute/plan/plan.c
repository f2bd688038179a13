/*
 * Chooses among the estimates of all algorithms, and gives the reason for the
 * choice in words; see plan.h.
 */
#include "compute/plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compute/plan/algorithm_estimate.h"
#include "compute/plan/job_pace.h"
#include "compute/plan/plan_files.h"
#include "daemon/job/job_files.h"
#include "daemon/base/size.h"

/* If lengths are not all 1, a batch of sources visits each arc at least this
   number of times. This is so in all graphs of the benchmark. */
#define VISITS_LEAST 2.0
/* If all lengths are 1, a batch of sources visits each arc at least this number
   of times. This is so in all graphs of the benchmark. */
#define VISITS_LEAST_HOPS 1.5

/*
 * The rival of `multi-source` is the fastest other algorithm. In a contest,
 * `multi-source` starts, and is stopped if its rival would finish sooner. There
 * is no contest if the estimated seconds of the rival are less than this
 * number, because a contest can then cost more time than it saves. For example,
 * sparse:1024:60 took 1.4 times as long with a contest as without one (PoCL
 * 3.1).
 */
#define CONTEST_LEAST_S 0.05

/* If the rates of the device were measured, `multi-source` is stopped only if
   its rival (the fastest other algorithm) is faster by this factor, because the
   rival's seconds are only an estimate. */
#define MARGIN_MEASURED 1.2
/*
 * If the device has only default rates, `multi-source` is stopped only if its
 * rival (the fastest other algorithm) is faster by this factor. The factor is
 * larger than MARGIN_MEASURED, because default rates were measured on another
 * machine: on one host, the algorithm `blocked-fw` took ten times as long as
 * the default rates say.
 */
#define MARGIN_DEFAULT 5.0

/* Append words to the plan's text. A text that is too long is cut. */
__attribute__((format(printf, 2, 3))) static void text_add(
	struct apsp_plan *plan, const char *format, ...)
{
	size_t used = strlen(plan->text);
	va_list args;

	va_start(args, format);
	vsnprintf(plan->text + used, sizeof(plan->text) - used, format, args);
	va_end(args);
}

/* Append a number with commas: 1234567 becomes "1,234,567". */
static void count_add(struct apsp_plan *plan, uint64_t count)
{
	if (count < 1000) {
		text_add(plan, "%" PRIu64, count);
		return;
	}
	count_add(plan, count / 1000);
	text_add(plan, ",%03" PRIu64, count % 1000);
}

static void seconds_add(struct apsp_plan *plan, double seconds)
{
	if (isnan(seconds))
		text_add(plan, "no time");
	else if (seconds < 0.001)
		text_add(plan, "under 1 ms");
	else if (seconds < 10)
		text_add(plan, "%.2g s", seconds);
	else if (seconds < 600)
		text_add(plan, "%.0f s", seconds);
	else if (seconds < 36000)
		text_add(plan, "%.0f min", seconds / 60);
	else
		text_add(plan, "%.3g h", seconds / 3600);
}

/*
 * Return the index of the fastest algorithm that competes. The algorithm with
 * the index `but` is left out. If `feasible` is true, algorithms that are not
 * feasible are left out as well. An algorithm that stands in for `blocked-fw`
 * is left out if `blocked-fw` is feasible. -1: no algorithm remains. The
 * comparison uses rated_s, the seconds without corrections by earlier jobs,
 * because the solver does not know these jobs.
 */
static int fastest(const struct apsp_plan *plan, bool feasible, int but)
{
	bool fits = plan->algorithms[APSP_ALGORITHM_BLOCKED_FW].feasible;
	int best = -1;

	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_estimate *e = &plan->algorithms[i];

		if (i == but || !apsp_algorithms[i].competes ||
			(feasible && !e->feasible) ||
			(apsp_algorithms[i].stands_in && fits))
			continue;
		if (best < 0 || e->rated_s < plan->algorithms[best].rated_s)
			best = i;
	}
	return best;
}

/* Append the name and the seconds of `other`, the algorithm with which the plan
   compares the chosen algorithm. For example, append ", blocked-fw 0.73 s". */
static void compare(struct apsp_plan *plan, const struct apsp_estimate *other)
{
	const struct apsp_estimate *chosen = &plan->algorithms[plan->choice];

	if (plan->learnt_from > 0 && !isnan(chosen->rated_s)) {
		text_add(plan, "; ");
		seconds_add(plan, chosen->rated_s);
		text_add(plan, " by rates alone, ");
	} else {
		text_add(plan, plan->rival_s > 0 ? ", in contest with " : ", ");
	}
	text_add(plan, "%s ", other->name);
	seconds_add(plan, other->rated_s);
}

/* Append to the plan's text the reason why the file will not hold all
   tables. */
static void tables_explain(
	const struct apsp_plan_facts *facts, struct apsp_plan *plan)
{
	uint64_t all = apsp_plan_files_bytes(&facts->work, APSP_TABLES_ALL);
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];

	apsp_sizes_format(all, apsp_plan_files_room(facts), need, have);
	text_add(plan,
		"; tables=distance, since all tables need %s and there is room "
		"for %s",
		need, have);
}

/* Append to the plan's text the name of `other`, the fastest algorithm besides
   the chosen one, and its seconds or the reason why it was not chosen. */
static void other_explain(const struct apsp_plan_facts *facts, bool asked,
	const struct apsp_estimate *other, struct apsp_plan *plan)
{
	const struct apsp_algorithm *chosen = &apsp_algorithms[plan->choice];
	bool is_faster =
		other->rated_s < plan->algorithms[plan->choice].rated_s;

	if (facts->lost_s > 0) {
		text_add(plan, ", multi-source given up after ");
		seconds_add(plan, facts->lost_s);
	} else if (other->feasible) {
		compare(plan, other);
	} else if (asked ? is_faster && chosen->start != APSP_START_HOST
			 : is_faster || !chosen->competes) {
		text_add(plan, ", not %s: %s", other->name, other->reason);
	}
}

static void explain(
	const struct apsp_plan_facts *facts, bool asked, struct apsp_plan *plan)
{
	const struct apsp_estimate *chosen = &plan->algorithms[plan->choice];
	bool on_host = apsp_algorithms[plan->choice].start == APSP_START_HOST;
	int other = fastest(plan, plan->rival_s > 0, plan->choice);
	const struct apsp_workload *work = &facts->work;

	if (plan->closure >= 0)
		text_add(plan, "%s for reachability, as asked for; ",
			plan->closures[plan->closure].name);
	text_add(plan, "%s%s: ", chosen->name, asked ? ", as asked for" : "");
	seconds_add(plan, chosen->seconds);
	text_add(plan, " estimated%s", on_host ? " on the host" : "");
	if (other >= 0)
		other_explain(facts, asked, &plan->algorithms[other], plan);
	text_add(plan, "; ");
	if (work->n_useful > 0 && work->n_useful < work->n_arcs) {
		count_add(plan, work->n_useful);
		text_add(plan, " useful of ");
	}
	count_add(plan, work->n_arcs);
	text_add(plan, " arcs for ");
	count_add(plan, work->n_vertices);
	text_add(plan, " vertices in %s", apsp_element_name(work->element));
	if (facts->sums_left_f32)
		text_add(plan,
			"; distances as float64, since the length of a path "
			"leaves the normal range of float32");
	if (work->tables == APSP_TABLES_AUTO &&
		plan->tables == APSP_TABLES_DISTANCE)
		tables_explain(facts, plan);
}

/*
 * If no algorithm is feasible, the plan's text describes one of them, the
 * algorithm that needs the least device memory. Return whether it should rather
 * describe `a` than `b`. An algorithm that could not run even with unlimited
 * memory comes last, because its reason says nothing about the size of the
 * graph.
 */
static bool precedes(
	const struct apsp_estimate *a, const struct apsp_estimate *b)
{
	return a->unfit == b->unfit ? a->device_bytes < b->device_bytes
				    : !a->unfit;
}

/* Among the algorithms that compete, return the index of the algorithm that the
   plan's text should describe if none is feasible (precedes()). */
static int smallest(const struct apsp_plan *plan)
{
	int best = -1;

	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		if (apsp_algorithms[i].competes &&
			(best < 0 || precedes(&plan->algorithms[i],
					     &plan->algorithms[best])))
			best = i;
	return best;
}

/* Return the estimate of some feasible algorithm that the text of a plan can
   suggest to the user, or NULL. */
static const struct apsp_estimate *feasible_one(const struct apsp_plan *plan)
{
	int best = fastest(plan, true, -1);

	for (int i = 0; best < 0 && i < APSP_N_ALGORITHMS; i++)
		if (plan->algorithms[i].feasible)
			best = i;
	return best < 0 ? NULL : &plan->algorithms[best];
}

static const struct apsp_estimate *feasible_closure(
	const struct apsp_plan *plan)
{
	for (int i = 0; i < APSP_N_CLOSURES; i++)
		if (plan->closures[i].feasible)
			return &plan->closures[i];
	return NULL;
}

/* Complete a plan in which no algorithm is chosen. The plan's text says why the
   algorithm of the estimate `one` is not feasible. If `other` is not NULL, the
   text also suggests the algorithm of `other`, which is feasible. */
static void refuse(const struct apsp_plan_facts *facts,
	const struct apsp_estimate *one, const struct apsp_estimate *other,
	struct apsp_plan *plan)
{
	plan->choice = -1;
	plan->code = one->code;
	text_add(plan, "%s cannot do ", one->name);
	count_add(plan, facts->work.n_vertices);
	text_add(plan, " vertices and ");
	count_add(plan, facts->work.n_arcs);
	text_add(plan, " arcs in %s: %s",
		apsp_element_name(facts->work.element), one->reason);
	if (!other)
		return;
	text_add(plan, "; algorithm=%s can", other->name);
	if (isfinite(other->seconds)) {
		text_add(plan, ", in ");
		seconds_add(plan, other->seconds);
	}
}

/*
 * Correct the estimated seconds by the seconds that earlier jobs took. The
 * corrections do not change the choice of the algorithm. The solver must make
 * the same choice as the daemon, and the solver does not know the earlier jobs.
 */
static void pace_apply(
	const struct apsp_plan_facts *facts, struct apsp_plan *plan)
{
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		struct apsp_estimate *estimate = &plan->algorithms[i];

		if (!apsp_algorithms[i].competes)
			continue;
		apsp_job_pace_apply(facts->pace, estimate->rate,
			facts->work.element, &estimate->cost);
		estimate->seconds = apsp_job_cost_sum(&estimate->cost);
	}
}

/*
 * Decide whether `multi-source` runs in a contest with its rival, the fastest
 * other algorithm: `multi-source` would start, and be stopped if the rival
 * would finish sooner. There is a contest if the rival's estimated seconds are
 * at least CONTEST_LEAST_S, and if `multi-source` is faster than the rival in
 * the best case. In the best case, `multi-source` visits arcs as rarely as
 * possible. The real number of visits depends on the graph, and is known only
 * after a run.
 */
static void contest_plan(
	const struct apsp_plan_facts *facts, struct apsp_plan *plan)
{
	const int id = APSP_ALGORITHM_MULTI_SOURCE;
	int rival = fastest(plan, true, id);
	struct apsp_workload once = facts->work;
	double rival_s;

	if (!facts->may_contest || facts->lost_s > 0 || rival < 0 ||
		!plan->algorithms[id].feasible)
		return;
	once.visits = once.unit_lengths ? VISITS_LEAST_HOPS : VISITS_LEAST;
	rival_s = plan->algorithms[rival].cost.seconds[APSP_STAGE_DISTANCE];
	if (rival_s < CONTEST_LEAST_S ||
		apsp_algorithm_estimate_distance_s(
			facts, &once, id, plan->algorithms[id].rows) >= rival_s)
		return;
	plan->choice = id;
	plan->rival_s = rival_s;
	plan->give_up_s = rival_s * (facts->rates.measured ? MARGIN_MEASURED
							   : MARGIN_DEFAULT);
}

/* Whether all kernels that the plan needs are known to be compiled: the chosen
   algorithm has no kernels, or an earlier job, which the daemon remembers, used
   the same algorithm and the same element type of the distance matrix. */
static bool is_compiled(
	const struct apsp_plan_facts *facts, const struct apsp_plan *plan)
{
	const struct apsp_estimate *chosen = apsp_plan_choice(plan);
	const struct apsp_job_pace *pace = facts->pace;

	if (chosen && apsp_algorithms[plan->choice].start == APSP_START_HOST)
		return true;
	for (size_t i = 0; chosen && pace && i < apsp_job_pace_jobs(pace); i++)
		if (pace->jobs[i].rate == chosen->rate &&
			pace->jobs[i].element == facts->work.element)
			return true;
	return false;
}

/* Complete the plan of a job that computes no tables. */
static void rows_plan(
	const struct apsp_plan_facts *facts, struct apsp_plan *plan)
{
	const struct apsp_workload *work = &facts->work;
	struct apsp_estimate *rows = &plan->rows;
	uint64_t least = apsp_job_files_least(work->n_vertices, work->n_arcs);
	char need[APSP_SIZE_TEXT_SIZE];

	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		struct apsp_estimate *estimate = &plan->algorithms[i];

		estimate->feasible = false;
		snprintf(estimate->reason, sizeof(estimate->reason),
			"no tables are computed (tables=none)");
	}
	apsp_algorithm_estimate_rows(facts, rows);
	plan->device_bytes = plan->host_bytes = 0;
	plan->compiled = true;
	if (!rows->feasible) {
		refuse(facts, rows, NULL, plan);
		return;
	}
	plan->choice = APSP_PLAN_ROWS;
	plan->host_bytes = rows->host_bytes;
	text_add(plan, "rows are computed when they are asked for; ");
	count_add(plan, work->n_arcs);
	text_add(plan, " arcs for ");
	count_add(plan, work->n_vertices);
	text_add(plan, " vertices; tables=none");
	if (least == UINT64_MAX) {
		text_add(plan,
			", since there are no tables of so many vertices");
		return;
	}
	apsp_size_format(least, need);
	text_add(plan, "; the smallest tables would need %s", need);
}

void apsp_plan_make(const struct apsp_plan_facts *facts, const char *algorithm,
	struct apsp_plan *out)
{
	int wanted = apsp_algorithm_find(algorithm);
	const struct apsp_estimate *closure;

	out->text[0] = '\0';
	out->tables = apsp_plan_files_kept(facts);
	out->choice = -1;
	out->learnt_from = facts->pace ? apsp_job_pace_jobs(facts->pace) : 0;
	out->closure = apsp_closure_cost_find(algorithm);
	closure = out->closure < 0 ? NULL : &out->closures[out->closure];
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		apsp_algorithm_estimate_make(
			facts, (enum apsp_algorithm_id)i, &out->algorithms[i]);
	for (int i = 0; i < APSP_N_CLOSURES; i++)
		apsp_algorithm_estimate_closure(
			facts, &apsp_closure_costs[i], &out->closures[i]);
	out->rival_s = out->give_up_s = 0;
	if (out->tables == APSP_TABLES_NONE) {
		rows_plan(facts, out);
		return;
	}
	if (wanted < 0) {
		out->choice = fastest(out, true,
			facts->lost_s > 0 ? APSP_ALGORITHM_MULTI_SOURCE : -1);
		contest_plan(facts, out);
	} else
		out->choice = out->algorithms[wanted].feasible ? wanted : -1;
	if (wanted < 0 && out->choice < 0) {
		out->choice = apsp_algorithm_estimate_stand_in(facts);
		if (out->choice >= 0 && !out->algorithms[out->choice].feasible)
			out->choice = -1;
	}
	if (facts->pace)
		pace_apply(facts, out);
	out->device_bytes = out->host_bytes = 0;
	if (out->choice < 0)
		refuse(facts,
			&out->algorithms[wanted < 0 ? smallest(out) : wanted],
			feasible_one(out), out);
	else if (closure && !closure->feasible)
		refuse(facts, closure, feasible_closure(out), out);
	else
		explain(facts, wanted >= 0, out);
	if (out->choice >= 0) {
		const struct apsp_estimate *chosen = apsp_plan_choice(out);

		out->device_bytes = chosen->device_bytes;
		out->host_bytes = chosen->host_bytes;
		if (closure && closure->device_bytes > out->device_bytes)
			out->device_bytes = closure->device_bytes;
		if (closure && closure->host_bytes > out->host_bytes)
			out->host_bytes = closure->host_bytes;
	}
	out->compiled = is_compiled(facts, out);
}

const struct apsp_estimate *apsp_plan_choice(const struct apsp_plan *plan)
{
	return plan->choice < 0 ? NULL
	       : plan->choice == APSP_PLAN_ROWS
		       ? &plan->rows
		       : &plan->algorithms[plan->choice];
}

int apsp_plan_check(const struct apsp_plan *plan, struct apsp_err *err)
{
	if (plan->choice >= 0)
		return 0;
	return apsp_fail(err, plan->code, "%s", plan->text);
}
