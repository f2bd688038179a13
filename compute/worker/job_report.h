/*
 * The progress and outcome of one run of the solver, parsed from the lines of
 * its stdout. The last lines of its stderr are kept, to be quoted in the error
 * if the solver dies. Only one thread may use a report.
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
	APSP_JOB_REPORT_QUOTE_SIZE = 120,
	APSP_JOB_REPORT_QUOTES = 2,
};

struct apsp_job_report {
	struct apsp_job_progress progress;
	/* How the solver failed. failure.err.code is 0 if there was no event
	   `error`. */
	struct apsp_job_failure failure;
	bool done;    /* the event `done` came */
	bool changed; /* progress has changed; the caller clears this */
	size_t n_events;
	/* the solver's latest announcement was that its next event comes within
	   this number of seconds */
	double within_s;
	/* the solver is trying a kernel, and announced that its next event
	   comes within this number of seconds; 0: no kernel is tried */
	double trial_s;
	/* seconds that each of the solver's stages has taken */
	struct apsp_job_stages stages;
	struct apsp_paced_job paced; /* the seconds that the plan expects */
	/* the group that solves the job; group.processes is 0 if one process
	   solves it */
	struct apsp_plan_group group;
	size_t n_cycle;
	char quotes[APSP_JOB_REPORT_QUOTES][APSP_JOB_REPORT_QUOTE_SIZE];
	/* number of lines of stderr that were stored in `quotes` so far; when
	   `quotes` is full, a new line replaces the oldest line */
	size_t n_quotes;
};

void apsp_job_report_init(struct apsp_job_report *report);
void apsp_job_report_done(struct apsp_job_report *report);

/*
 * Parse one line of stdout. Lines that are no events are ignored, and so is a
 * progress that is lower than before. True: the line was `done` or `error`, so
 * later lines do not matter.
 */
bool apsp_job_report_line(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that was ended because it printed no event for
 * silent_s seconds. Returns the code, APSP_ESTALLED.
 */
int apsp_job_report_stalled(struct apsp_job_report *report, double silent_s);

/* Keep a line of stderr, shortened, with printable characters only. Lines of
   dashes and empty lines are ignored. */
void apsp_job_report_quote(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that ended without `done` or `error`. `how` is a
 * phrase of apsp_child_process_end_describe(). Returns the code, APSP_ESOLVER.
 */
int apsp_job_report_died(struct apsp_job_report *report, const char *how);

#endif
