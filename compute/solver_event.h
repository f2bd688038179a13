/*
 * What the solver prints on stdout, one line an event. A line has at most
 * APSP_SOLVER_EVENT_LINE bytes with its newline. In texts, control characters
 * and '%' are written as %XX.
 *
 *	device NAME            the chosen device, or "host"
 *	algorithm NAME         the chosen algorithm; again for each width
 *	plan TEXT              why (compute/plan/plan.h); again for each width
 *	element u16            the width in which V is tried
 *	seed 2817395101        decides which rows are walked; the first line
 *	phase NAME             read, lengths, closure, distance, predecessor,
 *	                       betweenness
 *	progress 0.341 41.0    share done, seconds left (-1: not known)
 *	within 312.5           the next event comes within so many seconds
 *	trial 240.0            or, while a kernel is tried, within so many
 *	cycle LABEL            the next vertex of a negative cycle
 *	cost RATE read 0.01 …  what the plan said of the stages; RATE is what
 *	                       V's seconds come from (compute/plan/job_pace.h)
 *	stages read 0.012 …    seconds of each stage (daemon/base/job_stages.h);
 *	                       of a job that has begun, before its last line
 *	error CODE TEXT        apsp_code_name() and the message; the last line
 *	done                   the table file is complete; the job's last line
 *	held 16777216 4096 …   between two jobs: the solver's own bytes, and
 *	                       those of buffers (compute/plan/held_memory.h)
 *
 * `apsp-solve --devices` prints for each device
 *	found TEXT             compute/plan/device_info.h
 * and `apsp-solve --calibrate` prints for the device that --device picks
 *	rates TEXT             compute/plan/rates.h
 * The last line of both is `done` or `error`.
 */
#ifndef APSP_COMPUTE_SOLVER_EVENT_H
#define APSP_COMPUTE_SOLVER_EVENT_H

#include <stddef.h>
#include <stdio.h>

#include "daemon/base/err.h"

enum {
	APSP_SOLVER_EVENT_LINE = 4096,
	/* So many vertices of a cycle are told; the message counts all. */
	APSP_SOLVER_EVENT_CYCLE_MAX = 1000,
};

/* The device of a job that is computed without one. */
#define APSP_SOLVER_EVENT_HOST "host"

enum apsp_solver_event_kind {
	APSP_SOLVER_EVENT_DEVICE,
	APSP_SOLVER_EVENT_ALGORITHM,
	APSP_SOLVER_EVENT_PLAN,
	APSP_SOLVER_EVENT_ELEMENT,
	APSP_SOLVER_EVENT_SEED,
	APSP_SOLVER_EVENT_PHASE,
	APSP_SOLVER_EVENT_PROGRESS,
	APSP_SOLVER_EVENT_WITHIN,
	APSP_SOLVER_EVENT_TRIAL,
	APSP_SOLVER_EVENT_CYCLE,
	APSP_SOLVER_EVENT_STAGES,
	APSP_SOLVER_EVENT_COST,
	APSP_SOLVER_EVENT_HELD,
	APSP_SOLVER_EVENT_ERROR,
	APSP_SOLVER_EVENT_DONE,
	APSP_SOLVER_EVENT_FOUND,
	APSP_SOLVER_EVENT_RATES,
};

/* One event. The comments say which kinds set a member. */
struct apsp_solver_event {
	enum apsp_solver_event_kind kind;
	char text[APSP_SOLVER_EVENT_LINE]; /* unescaped; the message for ERROR
					    */
	int code;			   /* ERROR */
	double progress;		   /* PROGRESS */
	double eta_s;			   /* PROGRESS */
	double within_s;		   /* WITHIN, TRIAL */
};

/* Write one event and flush. Errors are ignored: if the reader is gone, the end
   of stdin says so. */
void apsp_solver_event_write(
	FILE *stream, const struct apsp_solver_event *event);

/* Shorthands for events with a text, numbers or an error. */
void apsp_solver_event_text(
	FILE *stream, enum apsp_solver_event_kind kind, const char *text);
void apsp_solver_event_progress(FILE *stream, double progress, double eta_s);
void apsp_solver_event_within(FILE *stream, double seconds);
void apsp_solver_event_trial(FILE *stream, double seconds);
void apsp_solver_event_error(FILE *stream, const struct apsp_err *err);

/*
 * Parse one line without its newline. APSP_EDATA: the line is no event. Callers
 * ignore such lines, because a driver may print to stdout.
 */
int apsp_solver_event_parse(
	const char *line, struct apsp_solver_event *out, struct apsp_err *err);

#endif
