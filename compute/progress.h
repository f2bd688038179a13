/*
 * Progress of a solve: phases are told as events, and a request to stop is
 * seen.
 */
#ifndef APSP_COMPUTE_PROGRESS_H
#define APSP_COMPUTE_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"
#include "daemon/base/job_stages.h"
#include "daemon/base/stop.h"
#include "daemon/base/table_file.h"

/*
 * Progress is the share of the estimated seconds that is done. Each phase has a
 * weight in seconds, which is estimated before the phase starts.
 */
struct apsp_progress {
	FILE *events; /* compute/solver_event.h; NULL: tell nobody */
	const struct apsp_stop *stop;  /* borrowed, or NULL */
	double weights[APSP_N_STAGES]; /* of phases; of other stages 0 */
	double done[APSP_N_STAGES];    /* shares of phases, 0 to 1 */
	enum apsp_stage phase;
	enum apsp_element element; /* in which V was last tried */
	double told;		   /* the last progress told; never falls */
	double told_at_s;
	/* How long sorting and disks may take between two events, whatever is
	   estimated. A compiler gets more at the beginning of a stage. */
	double patience_s;
	bool planned; /* the algorithm is chosen: the time left is known */
	/* Estimated seconds of work between steps, and the seconds they took.
	 */
	double paced_work_s, paced_s;
	double step_at_s;	   /* the last step that counts */
	double step_behind_s;	   /* estimated seconds done then */
	bool moves[APSP_N_STAGES]; /* has had such a step by this plan */
	bool tells_steps;	   /* since the stage began */
	double within_s;	   /* the longest silence as announced last */
	double within_told_at_s;
	/*
	 * The solver is always in exactly one stage, and stages has the seconds
	 * of those that it has left. The device may still run what one stage
	 * has enqueued when the next one begins; the next stage's wait then
	 * counts as its own. Predecessors, for one, mostly show as download.
	 */
	enum apsp_stage stage;
	struct apsp_job_stages stages;
};

void apsp_progress_init(struct apsp_progress *progress, FILE *events,
	const struct apsp_stop *stop);

/* Tell which algorithm was chosen, and why (plan.h). */
void apsp_progress_plan(const struct apsp_progress *progress,
	const char *algorithm, const char *text);

/* These seconds of each stage are the weights from now on; planned: by the
   algorithm that was chosen. */
void apsp_progress_cost(struct apsp_progress *progress,
	const double seconds[APSP_N_STAGES], bool planned);

/* Tell in which width V is tried. */
void apsp_progress_element(
	struct apsp_progress *progress, enum apsp_element element);

/*
 * Enter a phase, and the stage that represents it; all earlier phases are done.
 * APSP_ECANCELLED.
 */
int apsp_progress_enter(struct apsp_progress *progress, enum apsp_stage phase,
	struct apsp_err *err);

/* Switch to a phase while others are not done: with windows two take turns. */
void apsp_progress_turn(struct apsp_progress *progress, enum apsp_stage phase);

/*
 * Enter a stage, and announce how long it may be silent. The same stage again:
 * update its seconds.
 */
void apsp_progress_stage(struct apsp_progress *progress, enum apsp_stage stage);

/* Tell the share of the phase that is done, 0 to 1. APSP_ECANCELLED: stop. */
int apsp_progress_step(
	struct apsp_progress *progress, double share, struct apsp_err *err);

#endif
