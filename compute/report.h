/*
 * What the solver has told of one job so far: its lines of stdout become
 * progress and outcome, its last lines of stderr are kept to be quoted when it
 * dies. Plain bookkeeping for the worker; belongs to one thread.
 */
#ifndef APSP_COMPUTE_REPORT_H
#define APSP_COMPUTE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/event.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"

enum {
	APSP_REPORT_QUOTE_SIZE = 120,
	APSP_REPORT_QUOTES = 2,
};

struct apsp_report {
	struct apsp_job_progress progress;
	struct apsp_job_failure failure; /* err.code 0: no `error` was told */
	bool done;			 /* `done` was told */
	bool changed; /* progress moved; the owner clears it */
	size_t n_cycle;
	char quotes[APSP_REPORT_QUOTES][APSP_REPORT_QUOTE_SIZE];
	size_t n_quotes; /* lines ever kept; the last ones are in quotes */
};

void apsp_report_init(struct apsp_report *report);
void apsp_report_done(struct apsp_report *report);

/*
 * Take one line of stdout; lines that are no events are ignored, and so is
 * progress that falls. True: it was the last that matters.
 */
bool apsp_report_line(struct apsp_report *report, const char *line);

/* Keep one line of stderr, cut and made printable. */
void apsp_report_quote(struct apsp_report *report, const char *line);

/*
 * Set failure.err for a solver that ended without `done` or `error`; how is a
 * phrase (apsp_child_end_describe()). Returns the code.
 */
int apsp_report_died(struct apsp_report *report, const char *how);

#endif
