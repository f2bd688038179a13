/*
 * The progress and outcome of one run of the solver, parsed from the lines of
 * its stdout, and a few lines of its stderr. Only one thread may use a
 * report.
 */
#ifndef APSP_COMPUTE_WORKER_JOB_REPORT_H
#define APSP_COMPUTE_WORKER_JOB_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/plan/job_pace.h"
#include "compute/solver_event.h"
#include "daemon/base/err.h"
#include "daemon/job/job.h"

enum {
	/* how many lines of the solver's stderr are kept */
	APSP_JOB_REPORT_LINES = 2,
	APSP_JOB_REPORT_LINE_SIZE = 120,
};

struct apsp_job_report {
	struct apsp_job_progress progress;
	/* How the solver failed. failure.err.code is 0 if there was no event
	   `error`. */
	struct apsp_job_failure failure;
	bool done;    /* the solver has printed the event `done` */
	bool changed; /* true: `progress` has changed; the caller sets `changed`
			 back to false */
	size_t n_events;
	/* the number of seconds within which the solver has announced its next
	   event */
	double within_s;
	/* Before the solver tries a kernel, it announces by the event `trial`
	   within how many seconds its next event comes. trial_s is this number;
	   0: the latest event is not `trial`. The larger of within_s and
	   trial_s counts. */
	double trial_s;
	/* seconds that each of the solver's stages has taken */
	struct apsp_job_stages stages;
	/* the seconds that the plan expects for each stage */
	struct apsp_paced_job paced;
	/* the group of processes that solves the job; group.processes is 0 if
	   one process solves the job */
	struct apsp_plan_group group;
	size_t n_cycle;
	/* Lines of the solver's stderr: the first lines until an event comes,
	   afterwards the latest lines. If the solver dies, its error quotes
	   these lines. */
	char lines[APSP_JOB_REPORT_LINES][APSP_JOB_REPORT_LINE_SIZE];
	bool begun; /* an event came before the last line that was stored */
	/* number of lines that were stored so far; after an event, when `lines`
	   is full, a new line replaces the oldest line */
	size_t n_lines;
};

void apsp_job_report_init(struct apsp_job_report *report);
void apsp_job_report_done(struct apsp_job_report *report);

/* Parse one line of stdout. A line that is no event is ignored. A progress that
   is lower than the last progress is ignored, too. True: the line was `done` or
   `error`, so later lines do not matter. */
bool apsp_job_report_line(struct apsp_job_report *report, const char *line);

/* Store a line of stderr, shortened, with printable characters only. Lines of
   dashes and empty lines are ignored. */
void apsp_job_report_log(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that ended without `done` or `error`, and quote
 * the kept lines of its stderr. `how` is the phrase in struct
 * apsp_child_process_end. Returns the code, APSP_ESOLVER.
 */
int apsp_job_report_died(struct apsp_job_report *report, const char *how);

#endif
