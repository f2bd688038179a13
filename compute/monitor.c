/*
 * Progress and stop; see monitor.h.
 */
#include "compute/monitor.h"

#include <string.h>
#include <time.h>

#include "compute/event.h"

/* Seconds between two progress events. */
#define TELL_EVERY_S 0.1

static const char *const phase_names[] = {
	[APSP_PHASE_READ] = "read",
	[APSP_PHASE_LENGTHS] = "lengths",
	[APSP_PHASE_CLOSURE] = "closure",
	[APSP_PHASE_DISTANCE] = "distance",
	[APSP_PHASE_PREDECESSOR] = "predecessor",
};

static const enum apsp_stage first_stages[] = {
	[APSP_PHASE_READ] = APSP_STAGE_READ,
	[APSP_PHASE_LENGTHS] = APSP_STAGE_READ,
	[APSP_PHASE_CLOSURE] = APSP_STAGE_CLOSURE,
	[APSP_PHASE_DISTANCE] = APSP_STAGE_DISTANCE,
	[APSP_PHASE_PREDECESSOR] = APSP_STAGE_PREDECESSOR,
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void apsp_monitor_init(
	struct apsp_monitor *monitor, FILE *events, atomic_bool *stop)
{
	memset(monitor, 0, sizeof(*monitor));
	monitor->events = events;
	monitor->stop = stop;
	monitor->started_at_s = now_s();
	apsp_stages_init(&monitor->stages);
	for (int p = 0; p < APSP_N_PHASES; p++)
		monitor->weights[p] = 0.01;
}

void apsp_monitor_plan(const struct apsp_monitor *monitor,
	const char *algorithm, const char *text)
{
	if (!monitor->events)
		return;
	apsp_event_text(monitor->events, APSP_EVENT_ALGORITHM, algorithm);
	apsp_event_text(monitor->events, APSP_EVENT_PLAN, text);
}

void apsp_monitor_element(
	struct apsp_monitor *monitor, enum apsp_element element)
{
	monitor->element = element;
	if (monitor->events)
		apsp_event_text(monitor->events, APSP_EVENT_ELEMENT,
			apsp_element_name(element));
}

static int stop_check(const struct apsp_monitor *monitor, struct apsp_err *err)
{
	if (monitor->stop && atomic_load(monitor->stop))
		return apsp_fail(
			err, APSP_ECANCELLED, "the computation was cancelled");
	return 0;
}

int apsp_monitor_step(
	struct apsp_monitor *monitor, double share, struct apsp_err *err)
{
	double behind = 0, all = 0, progress, now, eta = -1;
	int r = stop_check(monitor, err);

	monitor->done[monitor->phase] = share;

	if (r < 0 || !monitor->events)
		return r;
	now = now_s();
	if (now - monitor->told_at_s < TELL_EVERY_S && share < 1)
		return 0;
	for (int p = 0; p < APSP_N_PHASES; p++) {
		all += monitor->weights[p];
		behind += monitor->weights[p] * monitor->done[p];
	}
	progress = behind / all;
	if (progress < monitor->told)
		progress = monitor->told;
	if (progress > 0.02)
		eta = (now - monitor->started_at_s) * (1 - progress) / progress;
	monitor->told = progress;
	monitor->told_at_s = now;
	apsp_event_progress(monitor->events, progress, eta);
	return 0;
}

void apsp_monitor_stage(struct apsp_monitor *monitor, enum apsp_stage stage)
{
	apsp_stages_enter(&monitor->stages, stage);
}

void apsp_monitor_turn(struct apsp_monitor *monitor, enum apsp_phase phase)
{
	monitor->phase = phase;
	apsp_monitor_stage(monitor, first_stages[phase]);
	if (monitor->events)
		apsp_event_text(
			monitor->events, APSP_EVENT_PHASE, phase_names[phase]);
}

int apsp_monitor_enter(struct apsp_monitor *monitor, enum apsp_phase phase,
	struct apsp_err *err)
{
	for (int p = 0; p < APSP_N_PHASES; p++)
		monitor->done[p] = p < (int)phase;
	apsp_monitor_turn(monitor, phase);
	return apsp_monitor_step(monitor, 0, err);
}
