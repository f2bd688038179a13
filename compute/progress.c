/*
 * Computes the progress of a job, reports it as events, and checks for a
 * request to stop; see progress.h.
 */
#include "compute/progress.h"

#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/fields.h"
#include "compute/solver_event.h"

/* The shortest time in seconds between two progress events. Only the last event
   of a phase may come sooner. */
#define REPORT_EVERY_S 0.1

/* The remaining time is estimated from the plan and from the measured pace.
   Both count equally when this share of the job's work has been measured. After
   that, the measured pace counts more. */
#define PLAN_SHARE 0.02

/* On a busy machine, compiling kernels takes up to this many seconds, during
   which the solver reports no event. */
#define COMPILER_S 240

void apsp_progress_init(struct apsp_progress *progress, FILE *events,
	const struct apsp_stop *stop)
{
	memset(progress, 0, sizeof(*progress));
	progress->events = events;
	progress->stop = stop;
	progress->stage = APSP_STAGE_READ;
	progress->phase = APSP_STAGE_READ;
	progress->stages.since_s = apsp_clock_s();
	/* APSP_STAGE_MEASURE is left out: betweenness keeps the weight 0 until
	   a plan includes it */
	for (int s = APSP_STAGE_READ; s <= APSP_STAGE_WRITE; s++)
		progress->weights[apsp_stage_phase((enum apsp_stage)s)] = 0.01;
}

void apsp_progress_plan(const struct apsp_progress *progress,
	const char *algorithm, const char *text)
{
	apsp_solver_event_field(progress->events, APSP_SOLVER_EVENT_JOB,
		"algorithm", "%s", algorithm);
	apsp_solver_event_field(
		progress->events, APSP_SOLVER_EVENT_JOB, "plan", "%s", text);
}

void apsp_progress_cost(struct apsp_progress *progress,
	const double seconds[APSP_N_STAGES], bool planned)
{
	double *weights = progress->weights;

	for (int s = APSP_STAGE_READ; s < APSP_N_STAGES; s++)
		weights[s] = 0;
	for (int s = APSP_STAGE_READ; s < APSP_N_STAGES; s++)
		weights[apsp_stage_phase((enum apsp_stage)s)] += seconds[s];
	progress->planned = planned;
	memset(progress->stepped, 0, sizeof(progress->stepped));
}

void apsp_progress_element(
	struct apsp_progress *progress, enum apsp_element element)
{
	progress->element = element;
	apsp_solver_event_field(progress->events, APSP_SOLVER_EVENT_JOB,
		"element", "%s", apsp_element_name(element));
}

/* Announce that the next event comes within silence_s seconds. If the last
   announcement had the same silence_s, announce it again only after
   REPORT_EVERY_S seconds, because two stages may alternate at each row. */
static void silence_announce(struct apsp_progress *progress, double silence_s)
{
	double now = apsp_clock_s();

	if (!progress->events ||
		(silence_s == progress->silence_s &&
			now - progress->announced_at_s < REPORT_EVERY_S))
		return;
	progress->silence_s = silence_s;
	progress->announced_at_s = now;
	apsp_solver_event_field(progress->events, APSP_SOLVER_EVENT_WITHIN,
		"seconds", "%.1f", silence_s);
}

/*
 * Measure the pace. progress->paced_work_s grows by the estimated seconds of
 * the work since the last step. progress->paced_s grows by the seconds that
 * this work really took. `behind` is the estimated seconds of all work so far.
 * The time before a phase's first step does not count, because it includes
 * compiling kernels and allocating buffers.
 */
static void pace_measure(
	struct apsp_progress *progress, double behind, double now_s)
{
	double work_s = behind - progress->step_behind_s;

	if (!progress->planned || progress->done[progress->phase] <= 0)
		return;
	if (progress->stepped[progress->phase] && work_s > 0) {
		progress->paced_work_s += work_s;
		progress->paced_s += now_s - progress->step_at_s;
	}
	progress->stepped[progress->phase] = true;
	progress->step_at_s = now_s;
	progress->step_behind_s = behind;
}

/*
 * Return the seconds left, estimated from the measured pace and the plan
 * (PLAN_SHARE). `behind` is the estimated seconds of the work that is done, and
 * `all` is the estimated seconds of all work. Return -1 (not known) before the
 * first step: kernels may have to be compiled, and no plan includes the seconds
 * for compiling.
 */
static double eta_of(
	const struct apsp_progress *progress, double behind, double all)
{
	double plan_s = PLAN_SHARE * all;

	if (!progress->planned || (progress->paced_work_s <= 0 &&
					  !progress->stepped[progress->phase]))
		return -1;
	return (all - behind) * (progress->paced_s + plan_s) /
	       (progress->paced_work_s + plan_s);
}

/*
 * Return the estimated seconds of work for the rows that other processes have
 * computed. A row is computed in two phases: first its distances, then its
 * predecessors. The other processes report only one number for both phases,
 * their share of all rows.
 */
static double others_behind(struct apsp_progress *progress)
{
	const double *weights = progress->weights, *done = progress->done;
	double rows =
		weights[APSP_STAGE_DISTANCE] + weights[APSP_STAGE_PREDECESSOR];
	double own =
		weights[APSP_STAGE_DISTANCE] * done[APSP_STAGE_DISTANCE] +
		weights[APSP_STAGE_PREDECESSOR] * done[APSP_STAGE_PREDECESSOR];
	double all;

	if (!progress->advance || rows <= 0)
		return 0;
	progress->useless = !progress->advance(own / rows, &all);
	return all * rows - own;
}

/* Report the share of the job that is done at the time now_s. */
static void report(struct apsp_progress *progress, double now_s)
{
	double behind = others_behind(progress), all = 0, share_done;
	char fields[64] = "";

	for (int p = 0; p < APSP_N_STAGES; p++) {
		all += progress->weights[p];
		behind += progress->weights[p] * progress->done[p];
	}
	pace_measure(progress, behind, now_s);
	share_done = behind / all;
	if (share_done < progress->reported)
		share_done = progress->reported;
	progress->reported = share_done;
	progress->reported_at_s = now_s;
	apsp_fields_add(fields, sizeof(fields), "share", "%.4f", share_done);
	apsp_fields_add(fields, sizeof(fields), "left", "%.1f",
		eta_of(progress, share_done * all, all));
	apsp_solver_event_write(
		progress->events, APSP_SOLVER_EVENT_JOB, fields);
}

int apsp_progress_step(
	struct apsp_progress *progress, double share, struct apsp_err *err)
{
	int r = apsp_stop_check(progress->stop, err);
	double now_s;

	share -= progress->skipped;
	progress->done[progress->phase] = share;
	if (r < 0 || !progress->events)
		return r;
	now_s = apsp_clock_s();
	if (now_s - progress->reported_at_s < REPORT_EVERY_S && share < 1)
		return 0;
	report(progress, now_s);
	if (progress->useless)
		return apsp_fail(err, APSP_ECANCELLED,
			"another process of the group has stopped");
	if (share > 0 && !progress->steps_reported) {
		/* all kernels are compiled now, so the next step comes soon */
		progress->steps_reported = true;
		silence_announce(progress, progress->patience_s);
	}
	return 0;
}

void apsp_progress_again(struct apsp_progress *progress)
{
	report(progress, apsp_clock_s());
}

void apsp_progress_stage(struct apsp_progress *progress, enum apsp_stage stage)
{
	apsp_job_stages_end(&progress->stages, progress->stage);
	progress->stage = stage;
	progress->steps_reported = false;
	silence_announce(progress, COMPILER_S + progress->patience_s);
}

void apsp_progress_turn(struct apsp_progress *progress, enum apsp_stage phase)
{
	progress->phase = phase;
	apsp_progress_stage(progress, phase);
	apsp_solver_event_field(progress->events, APSP_SOLVER_EVENT_JOB,
		"phase", "%s", apsp_stage_phase_name(phase));
}

int apsp_progress_enter(struct apsp_progress *progress, enum apsp_stage phase,
	struct apsp_err *err)
{
	for (int p = 0; p < APSP_N_STAGES; p++)
		progress->done[p] = p < (int)phase;
	progress->skipped = 0;
	apsp_progress_turn(progress, phase);
	return apsp_progress_step(progress, 0, err);
}
