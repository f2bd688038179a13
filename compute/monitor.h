/*
 * How a long computation tells where it stands and learns that it shall stop.
 */
#ifndef APSP_COMPUTE_MONITOR_H
#define APSP_COMPUTE_MONITOR_H

#include <stdatomic.h>
#include <stdio.h>

#include "compute/stages.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

enum apsp_phase {
	APSP_PHASE_READ,
	APSP_PHASE_LENGTHS,
	APSP_PHASE_CLOSURE,
	APSP_PHASE_DISTANCE,
	APSP_PHASE_PREDECESSOR,
	APSP_N_PHASES,
};

/*
 * Progress is the share of the estimated cost that is behind: each phase has a
 * weight in seconds, estimated before it starts.
 */
struct apsp_monitor {
	FILE *events;	   /* compute/event.h; NULL: tell nobody */
	atomic_bool *stop; /* borrowed */
	double weights[APSP_N_PHASES];
	double done[APSP_N_PHASES]; /* shares, 0 to 1 */
	enum apsp_phase phase;
	enum apsp_element element; /* in which V was last tried */
	double told;		   /* the last progress; it never falls */
	double told_at_s;
	double started_at_s;
	struct apsp_stages stages;
};

void apsp_monitor_init(
	struct apsp_monitor *monitor, FILE *events, atomic_bool *stop);

/* Tell which algorithm was chosen, and why (plan.h). */
void apsp_monitor_plan(const struct apsp_monitor *monitor,
	const char *algorithm, const char *text);

/* Tell in which width V is tried. */
void apsp_monitor_element(
	struct apsp_monitor *monitor, enum apsp_element element);

/*
 * Enter a phase, and the stage that it begins with; those before it are done.
 * APSP_ECANCELLED.
 */
int apsp_monitor_enter(struct apsp_monitor *monitor, enum apsp_phase phase,
	struct apsp_err *err);

/* Go on with a phase where another one is not done either. */
void apsp_monitor_turn(struct apsp_monitor *monitor, enum apsp_phase phase);

/* Enter a stage (stages.h). */
void apsp_monitor_stage(struct apsp_monitor *monitor, enum apsp_stage stage);

/* Share of the phase that is done, 0 to 1. APSP_ECANCELLED: stop was set. */
int apsp_monitor_step(
	struct apsp_monitor *monitor, double share, struct apsp_err *err);

#endif
