/*
 * The progress of a job in the solver. It is reported as events. Each step also
 * checks whether a stop was requested.
 */
#ifndef APSP_COMPUTE_PROGRESS_H
#define APSP_COMPUTE_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"
#include "daemon/job/job_stages.h"
#include "daemon/base/stop.h"
#include "daemon/job/table_file.h"

/*
 * Progress is a fraction: the estimated seconds of the work that is done,
 * divided by the estimated seconds of the whole job. Each phase has a weight in
 * seconds, which is estimated before the phase starts.
 */
struct apsp_progress {
	/* stream for the events (compute/solver_event.h); NULL: no events */
	FILE *events;
	const struct apsp_stop *stop; /* borrowed, or NULL */
	/* for each phase (a group of stages), the estimated seconds; the index
	   is the main stage of the phase. 0 for all other stages */
	double weights[APSP_N_STAGES];
	double done[APSP_N_STAGES]; /* the share of each phase that is done, 0
				       to 1 */
	enum apsp_stage phase;
	/* the element type of V (the matrix of distances) in the present
	   attempt */
	enum apsp_element element;
	/* the share of the job in the last report; it never falls */
	double reported;
	double reported_at_s;
	/*
	 * NULL: this process computes the job alone. Otherwise, several
	 * processes share the rows of the tables, and this function is called
	 * before each report. `share` is the part of all rows that this process
	 * has computed, from 0 to 1. *out_all gets the part that all processes
	 * have computed, from 0 to 1. False: another process has stopped, so
	 * this process should stop, too.
	 */
	bool (*advance)(double share, double *out_all);
	bool useless; /* advance() has returned false */
	/* The part of all rows, from 0 to 1, that other processes compute and
	   that lies before this process's present window (range of rows). */
	double skipped;
	/* The longest time in seconds between two events. It is long enough for
	   sorting the arcs, and for writing the tables to a slow disk. At the
	   start of a stage, time for compiling kernels is added. */
	double patience_s;
	/* true: the algorithm is chosen, and its plan has given the seconds in
	   `weights` */
	bool planned;
	/* Sums over all steps so far, except the first step of each phase.
	   paced_work_s: the estimated seconds of the work of these steps.
	   paced_s: the seconds that this work really took. The work of a step
	   is all work since the previous step. */
	double paced_work_s, paced_s;
	double step_at_s; /* time at which the last step ended */
	/* estimated seconds of all work that was done when the last step
	   ended */
	double step_behind_s;
	/* for each phase, whether a step of the phase has ended since the
	   weights were set */
	bool stepped[APSP_N_STAGES];
	bool steps_reported; /* a step was reported since the stage began */
	/* the longest time until the next event, in seconds, in the last
	   announcement */
	double silence_s;
	double announced_at_s;
	/*
	 * The solver is always in exactly one stage. The member `stages` has
	 * the seconds of the stages that have ended. When a stage begins, the
	 * device may still run commands of the previous stage. The seconds in
	 * which the solver waits for these commands count for the new stage.
	 * For example, most of the time that the device needs to find
	 * predecessors counts for the download.
	 */
	enum apsp_stage stage;
	struct apsp_job_stages stages;
};

void apsp_progress_init(struct apsp_progress *progress, FILE *events,
	const struct apsp_stop *stop);

/* Report which algorithm was chosen, and why (plan.h). */
void apsp_progress_plan(const struct apsp_progress *progress,
	const char *algorithm, const char *text);

/* From now on, use these seconds as weights: the weight of a phase is the sum
   of the seconds of its stages. If `planned` is true, the seconds are estimates
   for the chosen algorithm. */
void apsp_progress_cost(struct apsp_progress *progress,
	const double seconds[APSP_N_STAGES], bool planned);

/* Report the element type that is tried for the distance matrix now. */
void apsp_progress_element(
	struct apsp_progress *progress, enum apsp_element element);

/* Enter a phase (a group of stages). All earlier phases then count as done, and
   the phase's main stage begins. `phase` is this stage; it also stands for the
   phase. APSP_ECANCELLED: a stop was requested, or another process has
   stopped. */
int apsp_progress_enter(struct apsp_progress *progress, enum apsp_stage phase,
	struct apsp_err *err);

/* Switch to a phase (a group of stages) although earlier phases are not done.
   The main stage of the phase begins. If the distance matrix is computed in
   windows (some rows at a time), the phases of distances and of predecessors
   alternate. */
void apsp_progress_turn(struct apsp_progress *progress, enum apsp_stage phase);

/*
 * Enter a stage, and announce the longest time until the next event. If the
 * solver is already in this stage, the call adds the time so far to the stage's
 * seconds.
 */
void apsp_progress_stage(struct apsp_progress *progress, enum apsp_stage stage);

/* Report which share of the present phase is done, from 0 to 1. If several
   processes share the rows, `share` includes the rows of other processes that
   lie before this process's window (progress->skipped). APSP_ECANCELLED: a stop
   was requested, or another process has stopped. */
int apsp_progress_step(
	struct apsp_progress *progress, double share, struct apsp_err *err);

/* Report the progress once more. A process that waits calls this function when
   another process of its group has advanced. */
void apsp_progress_again(struct apsp_progress *progress);

#endif
