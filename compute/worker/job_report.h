/*
 * The progress and outcome of one run of the solver, from the lines of its
 * stdout. The last lines of its stderr are kept, to be quoted if the solver
 * dies. A report belongs to one thread.
 */
#ifndef APSP_COMPUTE_WORKER_JOB_REPORT_H
#define APSP_COMPUTE_WORKER_JOB_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/plan/job_pace.h"
#include "compute/solver_event.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"

enum {
	APSP_JOB_REPORT_QUOTE_SIZE = 120,
	APSP_JOB_REPORT_QUOTES = 2,
};

struct apsp_job_report {
	struct apsp_job_progress progress;
	struct apsp_job_failure failure; /* err.code 0: no `error` came */
	bool done;			 /* `done` came */
	bool changed; /* progress has changed; the owner clears this */
	size_t n_events;
	double within_s; /* announced seconds until the next event */
	double trial_s;	 /* the same while a kernel is tried; else 0 */
	struct apsp_job_stages stages; /* of the solver */
	struct apsp_paced_job paced;   /* the seconds that its plan expects */
	size_t n_cycle;
	char quotes[APSP_JOB_REPORT_QUOTES][APSP_JOB_REPORT_QUOTE_SIZE];
	size_t n_quotes; /* lines so far; quotes has the last ones, in a ring */
};

void apsp_job_report_init(struct apsp_job_report *report);
void apsp_job_report_done(struct apsp_job_report *report);

/*
 * Read one line of stdout. Lines that are no events are ignored, and so is
 * progress that falls. True: no later line matters.
 */
bool apsp_job_report_line(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that was ended because it printed no event for
 * so many seconds. Returns the code.
 */
int apsp_job_report_stalled(struct apsp_job_report *report, double silent_s);

/* Keep one line of stderr, shortened and with printable characters only. */
void apsp_job_report_quote(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that ended without `done` or `error`; how is a
 * phrase (apsp_child_process_end_describe()). Returns the code.
 */
int apsp_job_report_died(struct apsp_job_report *report, const char *how);

#endif
