/*
 * The lines that the solver prints on stdout, one for each event: a word, and
 * fields (daemon/base/fields.h). A line with its newline has at most
 * APSP_SOLVER_EVENT_LINE bytes.
 *
 *	job device NAME         the chosen device, or "host"
 *	job algorithm NAME      the chosen algorithm, for each element type
 *	job plan TEXT           why the algorithm was chosen
 *	                        (compute/plan/plan.h)
 *	job element u16         the element type that is tried for V, the
 *	                        matrix of distances
 *	job seed 2817395101     decides which rows are checked; printed first
 *	job phase NAME          the phase, named by apsp_stage_phase_name()
 *	job share 0.34 left 41  the share of the job that is done, and the
 *	                        seconds that are left (-1: unknown)
 *	within seconds 312.5    the longest time until the next event
 *	trial seconds 240       the longest time until the next event, printed
 *	                        before a kernel's fast form is tried
 *	cycle vertex LABEL      the next vertex of a negative cycle
 *	group processes 4 …     the group of processes that solve the job
 *	                        (compute/plan/plan_facts.h)
 *	cost read 0.01 …        the planned seconds (compute/plan/job_pace.h)
 *	stages read 0.012 …     the seconds of each stage; the job's last line
 *	                        but one
 *	error code CODE text T  the code, named by apsp_code_name(), and the
 *	                        message of the error; the job's last line
 *	row slot 3 checksum C   `apsp-solve --rows` has computed a row
 *	                        (compute/solve/rows_main.h); or, instead of the
 *	                        checksum: code CODE text T
 *	done                    the table file is complete; the job's last line
 *	held own 16777216 …     printed between two jobs: memory that the solver
 *	                        keeps (compute/plan/held_memory.h)
 *
 * `apsp-solve --devices` prints a line `found` for each device
 * (compute/plan/device_info.h), and `apsp-solve --calibrate` prints a line
 * `rates` (compute/plan/rates.h). The last line of both is `done` or `error`.
 *
 * To start the next job, the worker writes the fields "room BYTES dir PATH" to
 * the solver's stdin: the largest size of the table file, and the job's
 * directory.
 */
#ifndef APSP_COMPUTE_SOLVER_EVENT_H
#define APSP_COMPUTE_SOLVER_EVENT_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"

enum {
	APSP_SOLVER_EVENT_LINE = 4096,
	/* Largest number of vertices of a negative cycle that the solver
	   prints. The error's message says how many vertices the whole cycle
	   has. */
	APSP_SOLVER_EVENT_CYCLE_MAX = 1000,
};

/* If the solver computes a job without an OpenCL device, it prints this text as
   the name of the device. */
#define APSP_SOLVER_EVENT_HOST "host"

enum apsp_solver_event_kind {
	APSP_SOLVER_EVENT_JOB,
	APSP_SOLVER_EVENT_WITHIN,
	APSP_SOLVER_EVENT_TRIAL,
	APSP_SOLVER_EVENT_CYCLE,
	APSP_SOLVER_EVENT_GROUP,
	APSP_SOLVER_EVENT_COST,
	APSP_SOLVER_EVENT_STAGES,
	APSP_SOLVER_EVENT_ERROR,
	APSP_SOLVER_EVENT_DONE,
	APSP_SOLVER_EVENT_HELD,
	APSP_SOLVER_EVENT_FOUND,
	APSP_SOLVER_EVENT_RATES,
	APSP_SOLVER_EVENT_ROW,
};

/*
 * Write the line of an event with these fields, and flush the stream. `fields`
 * is "" if the event has none. Errors of writing are ignored: they mean that
 * the reader is gone, and then the end of stdin stops the solver. If `stream`
 * is NULL, nothing is written.
 */
void apsp_solver_event_write(
	FILE *stream, enum apsp_solver_event_kind kind, const char *fields);

/* Write an event with one field, whose value is formatted as by printf(). */
__attribute__((format(printf, 4, 5))) void apsp_solver_event_field(FILE *stream,
	enum apsp_solver_event_kind kind, const char *name, const char *format,
	...);

/* Write the line `error`. */
void apsp_solver_event_error(FILE *stream, const struct apsp_err *err);

/*
 * Parse one line, without its newline. *out_fields points into `line`. False:
 * the line is not an event. Callers ignore such a line, because a driver may
 * print to stdout.
 */
bool apsp_solver_event_parse(const char *line,
	enum apsp_solver_event_kind *out_kind, const char **out_fields);

/* Read the error of a line `error` or `row` from the line's fields. If this
   program does not know the code in the line, *out gets the code that
   apsp_code_from_name() returns for unknown names. */
void apsp_solver_event_read_error(const char *fields, struct apsp_err *out);

#endif
