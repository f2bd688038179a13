/*
 * Weights, events and stop; see progress.h.
 */
#include "compute/progress.h"

#include <string.h>

#include "daemon/base/clock.h"
#include "compute/solver_event.h"

/* Seconds between two progress events. */
#define TELL_EVERY_S 0.1

/* The share of the work for which the plan's pace counts, beside the pace of
   what is done. */
#define PLAN_SHARE 0.02

static const char *const phase_names[] = {
	[APSP_PHASE_READ] = "read",
	[APSP_PHASE_LENGTHS] = "lengths",
	[APSP_PHASE_CLOSURE] = "closure",
	[APSP_PHASE_DISTANCE] = "distance",
	[APSP_PHASE_PREDECESSOR] = "predecessor",
	[APSP_PHASE_BETWEENNESS] = "betweenness",
};

static const enum apsp_stage first_stages[] = {
	[APSP_PHASE_READ] = APSP_STAGE_READ,
	[APSP_PHASE_LENGTHS] = APSP_STAGE_READ,
	[APSP_PHASE_CLOSURE] = APSP_STAGE_CLOSURE,
	[APSP_PHASE_DISTANCE] = APSP_STAGE_DISTANCE,
	[APSP_PHASE_PREDECESSOR] = APSP_STAGE_PREDECESSOR,
	[APSP_PHASE_BETWEENNESS] = APSP_STAGE_MEASURE,
};

void apsp_progress_init(
	struct apsp_progress *progress, FILE *events, atomic_bool *stop)
{
	memset(progress, 0, sizeof(*progress));
	progress->events = events;
	progress->stop = stop;
	apsp_stage_clock_init(&progress->stages);
	/* no phase of betweenness, unless the plan has one */
	for (int p = 0; p < APSP_PHASE_BETWEENNESS; p++)
		progress->weights[p] = 0.01;
}

void apsp_progress_plan(const struct apsp_progress *progress,
	const char *algorithm, const char *text)
{
	if (!progress->events)
		return;
	apsp_solver_event_text(
		progress->events, APSP_SOLVER_EVENT_ALGORITHM, algorithm);
	apsp_solver_event_text(progress->events, APSP_SOLVER_EVENT_PLAN, text);
}

void apsp_progress_cost(
	struct apsp_progress *progress, const double seconds[APSP_N_JOB_STAGES])
{
	double *weights = progress->weights;

	weights[APSP_PHASE_DISTANCE] = seconds[APSP_JOB_STAGE_SELF_TEST] +
				       seconds[APSP_JOB_STAGE_UPLOAD] +
				       seconds[APSP_JOB_STAGE_DISTANCE];
	weights[APSP_PHASE_PREDECESSOR] = seconds[APSP_JOB_STAGE_PREDECESSOR] +
					  seconds[APSP_JOB_STAGE_DOWNLOAD] +
					  seconds[APSP_JOB_STAGE_WRITE];
	weights[APSP_PHASE_BETWEENNESS] = seconds[APSP_JOB_STAGE_MEASURE];
	progress->after_s =
		seconds[APSP_JOB_STAGE_SEAL] + seconds[APSP_JOB_STAGE_PUBLISH];
	progress->planned = true;
	memset(progress->moves, 0, sizeof(progress->moves));
}

void apsp_progress_element(
	struct apsp_progress *progress, enum apsp_element element)
{
	progress->element = element;
	if (progress->events)
		apsp_solver_event_text(progress->events,
			APSP_SOLVER_EVENT_ELEMENT, apsp_element_name(element));
}

static int stop_check(
	const struct apsp_progress *progress, struct apsp_err *err)
{
	if (progress->stop && atomic_load(progress->stop))
		return apsp_fail(
			err, APSP_ECANCELLED, "the computation was cancelled");
	return 0;
}

/*
 * Announce the longest silence from now on. Stages may alternate with each row,
 * so an announcement that changes nothing is made every TELL_EVERY_S at most.
 */
static void within_tell(struct apsp_progress *progress, double within_s)
{
	double now = apsp_clock_s();

	if (!progress->events ||
		(within_s == progress->within_s &&
			now - progress->within_told_at_s < TELL_EVERY_S))
		return;
	progress->within_s = within_s;
	progress->within_told_at_s = now;
	apsp_solver_event_within(progress->events, within_s);
}

/*
 * Measure how long the estimated seconds take that are done since the last
 * step. Before a phase's first step kernels are compiled and buffers made,
 * which says nothing of the steps.
 */
static void pace_measure(
	struct apsp_progress *progress, double behind, double now_s)
{
	double work_s = behind - progress->step_behind_s;

	if (!progress->planned || progress->done[progress->phase] <= 0)
		return;
	if (progress->moves[progress->phase] && work_s > 0) {
		progress->paced_work_s += work_s;
		progress->paced_s += now_s - progress->step_at_s;
	}
	progress->moves[progress->phase] = true;
	progress->step_at_s = now_s;
	progress->step_behind_s = behind;
}

/*
 * Seconds left where `behind` of `all` estimated seconds are done, at the pace
 * that was measured; -1: not known. Before the first step kernels may have to
 * be compiled, which no plan counts.
 */
static double eta_of(
	const struct apsp_progress *progress, double behind, double all)
{
	double plan_s = PLAN_SHARE * all;

	if (!progress->planned || (progress->paced_work_s <= 0 &&
					  !progress->moves[progress->phase]))
		return -1;
	return (all - behind) * (progress->paced_s + plan_s) /
	       (progress->paced_work_s + plan_s);
}

int apsp_progress_step(
	struct apsp_progress *progress, double share, struct apsp_err *err)
{
	double behind = 0, all = progress->after_s, share_done, now;
	int r = stop_check(progress, err);

	progress->done[progress->phase] = share;
	if (r < 0 || !progress->events)
		return r;
	now = apsp_clock_s();
	if (now - progress->told_at_s < TELL_EVERY_S && share < 1)
		return 0;
	for (int p = 0; p < APSP_N_PHASES; p++) {
		all += progress->weights[p];
		behind += progress->weights[p] * progress->done[p];
	}
	pace_measure(progress, behind, now);
	share_done = behind / all;
	if (share_done < progress->told)
		share_done = progress->told;
	progress->told = share_done;
	progress->told_at_s = now;
	apsp_solver_event_progress(progress->events, share_done,
		eta_of(progress, share_done * all, all));
	if (share > 0 && !progress->tells_steps) {
		/* what had to be compiled is: steps follow each other */
		progress->tells_steps = true;
		within_tell(progress, progress->weights[progress->phase]);
	}
	return 0;
}

void apsp_progress_stage(struct apsp_progress *progress, enum apsp_stage stage)
{
	apsp_stage_clock_enter(&progress->stages, stage);
	progress->tells_steps = false;
	within_tell(progress,
		progress->patience_s + progress->weights[progress->phase]);
}

void apsp_progress_turn(struct apsp_progress *progress, enum apsp_phase phase)
{
	progress->phase = phase;
	apsp_progress_stage(progress, first_stages[phase]);
	if (progress->events)
		apsp_solver_event_text(progress->events,
			APSP_SOLVER_EVENT_PHASE, phase_names[phase]);
}

int apsp_progress_enter(struct apsp_progress *progress, enum apsp_phase phase,
	struct apsp_err *err)
{
	for (int p = 0; p < APSP_N_PHASES; p++)
		progress->done[p] = p < (int)phase;
	apsp_progress_turn(progress, phase);
	return apsp_progress_step(progress, 0, err);
}
