/*
 * What one run of the solver has told so far. Lines of stdout become progress
 * and outcome; the last lines of stderr are kept, to be quoted if the solver
 * dies. Belongs to one thread.
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
	bool changed; /* progress has moved; the owner clears this */
	size_t n_events;
	double within_s; /* the next event was announced for then */
	double trial_s;	 /* or for then, if that is later: a kernel is tried */
	struct apsp_job_stages told; /* the solver's own stages */
	struct apsp_paced_job paced; /* what its plan said of the job */
	size_t n_cycle;
	char quotes[APSP_JOB_REPORT_QUOTES][APSP_JOB_REPORT_QUOTE_SIZE];
	size_t n_quotes; /* lines so far; quotes has the last ones, in a ring */
};

void apsp_job_report_init(struct apsp_job_report *report);
void apsp_job_report_done(struct apsp_job_report *report);

/*
 * Take one line of stdout. Lines that are no events are ignored, and so is
 * progress that falls. True: no later line matters.
 */
bool apsp_job_report_line(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that was ended because it told nothing for so
 * many seconds. Returns the code.
 */
int apsp_job_report_stalled(struct apsp_job_report *report, double silent_s);

/* Keep one line of stderr, cut to size and made printable. */
void apsp_job_report_quote(struct apsp_job_report *report, const char *line);

/*
 * Set failure.err for a solver that ended without `done` or `error`; how is a
 * phrase (apsp_child_process_end_describe()). Returns the code.
 */
int apsp_job_report_died(struct apsp_job_report *report, const char *how);

#endif
