/*
 * Progress of a solve: phases are told as events, and a request to stop is
 * seen.
 */
#ifndef APSP_COMPUTE_PROGRESS_H
#define APSP_COMPUTE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "compute/stage_clock.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

enum apsp_phase {
	APSP_PHASE_READ,
	APSP_PHASE_LENGTHS,
	APSP_PHASE_CLOSURE,
	APSP_PHASE_DISTANCE,
	APSP_PHASE_PREDECESSOR,
	APSP_PHASE_BETWEENNESS, /* where the profile asks for it */
	APSP_N_PHASES,
};

/*
 * Progress is the share of the estimated seconds that is done. Each phase has a
 * weight in seconds, which is estimated before the phase starts.
 */
struct apsp_progress {
	FILE *events;	   /* compute/solver_event.h; NULL: tell nobody */
	atomic_bool *stop; /* borrowed */
	double weights[APSP_N_PHASES];
	double done[APSP_N_PHASES]; /* shares, 0 to 1 */
	enum apsp_phase phase;
	enum apsp_element element; /* in which V was last tried */
	double told;		   /* the last progress told; never falls */
	double told_at_s;
	/* Of a stage in which nothing may be told, over the phase's weight: for
	   compilers and disks. */
	double patience_s;
	bool planned; /* weights are estimates (apsp_progress_cost()) */
	/* Estimated seconds of work between steps, and the seconds they took.
	 */
	double paced_work_s, paced_s;
	double step_at_s;	   /* the last step that counts */
	double step_behind_s;	   /* estimated seconds done then */
	bool moves[APSP_N_PHASES]; /* has had such a step by this plan */
	double after_s;	  /* estimated: the daemon's work on the table file */
	bool tells_steps; /* since the stage began */
	double within_s;  /* the longest silence as announced last */
	double within_told_at_s;
	struct apsp_stage_clock stages;
};

void apsp_progress_init(
	struct apsp_progress *progress, FILE *events, atomic_bool *stop);

/* Tell which algorithm was chosen, and why (plan.h). */
void apsp_progress_plan(const struct apsp_progress *progress,
	const char *algorithm, const char *text);

/* The plan's seconds of each stage, from V on, are the weights from now on. */
void apsp_progress_cost(struct apsp_progress *progress,
	const double seconds[APSP_N_JOB_STAGES]);

/* Tell in which width V is tried. */
void apsp_progress_element(
	struct apsp_progress *progress, enum apsp_element element);

/*
 * Enter a phase and its first stage; all earlier phases are done.
 * APSP_ECANCELLED.
 */
int apsp_progress_enter(struct apsp_progress *progress, enum apsp_phase phase,
	struct apsp_err *err);

/* Switch to a phase while others are not done: with windows two take turns. */
void apsp_progress_turn(struct apsp_progress *progress, enum apsp_phase phase);

/* Enter a stage (stage_clock.h), and tell how long nothing may be told in it.
 */
void apsp_progress_stage(struct apsp_progress *progress, enum apsp_stage stage);

/* Tell the share of the phase that is done, 0 to 1. APSP_ECANCELLED: stop. */
int apsp_progress_step(
	struct apsp_progress *progress, double share, struct apsp_err *err);

#endif
