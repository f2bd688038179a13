/*
 * Parsing events into progress and failures; see job_report.h.
 */
#include "compute/worker/job_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/fields.h"
#include "daemon/base/utf8.h"

void apsp_job_report_init(struct apsp_job_report *report)
{
	*report = (struct apsp_job_report){.progress.eta_s = -1};
}

void apsp_job_report_done(struct apsp_job_report *report)
{
	apsp_job_failure_done(&report->failure);
}

static void cycle_add(struct apsp_job_report *report, const char *text)
{
	struct apsp_job_failure *failure = &report->failure;
	char label[APSP_SOLVER_EVENT_LINE], *grown;
	size_t size;

	if (report->n_cycle == APSP_SOLVER_EVENT_CYCLE_MAX ||
		!apsp_fields_get(text, "vertex", label, sizeof(label)))
		return;
	size = strlen(label) + 1;
	grown = realloc(failure->cycle, failure->cycle_size + size);
	if (!grown)
		/* There is no memory for the vertex, so it is left out. The
		   error's message names the first vertices of the cycle
		   anyway. */
		return;
	memcpy(grown + failure->cycle_size, label, size);
	failure->cycle = grown;
	failure->cycle_size += size;
	report->n_cycle++;
}

#define FIELD(member, name, kind)                                              \
	APSP_MEMBER(struct apsp_job_progress, member, name, kind)

/* Read the fields of an event `job`. A progress that is lower than the last
   progress is ignored. */
static void progress_read(struct apsp_job_report *report, const char *text)
{
	static const struct apsp_member fields[] = {
		FIELD(device, "device", TEXT),
		FIELD(algorithm, "algorithm", TEXT),
		FIELD(plan, "plan", TEXT),
		FIELD(element, "element", TEXT),
		FIELD(phase, "phase", TEXT),
		FIELD(proof_seed, "seed", U32),
		FIELD(progress, "share", REAL),
		FIELD(eta_s, "left", REAL),
	};
	struct apsp_job_progress *now = &report->progress;
	double share = now->progress, left_s = now->eta_s;

	apsp_fields_read(text, fields, sizeof(fields) / sizeof(*fields), now);
	if (now->progress < share || now->progress > 1) {
		now->progress = share;
		now->eta_s = left_s;
	}
	report->changed = true;
}

/* Return the value of the field `seconds`; 0: the field is missing, or its
   value is not above 0. */
static double seconds_read(const char *text)
{
	double seconds;

	return apsp_fields_get_real(text, "seconds", &seconds) && seconds > 0
		       ? seconds
		       : 0;
}

bool apsp_job_report_line(struct apsp_job_report *report, const char *line)
{
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (!apsp_solver_event_parse(line, &kind, &fields))
		return false;
	report->n_events += kind != APSP_SOLVER_EVENT_HELD;
	report->trial_s = 0;
	switch (kind) {
	case APSP_SOLVER_EVENT_JOB:
		progress_read(report, fields);
		return false;
	case APSP_SOLVER_EVENT_WITHIN:
		report->within_s = seconds_read(fields);
		return false;
	case APSP_SOLVER_EVENT_TRIAL:
		report->trial_s = seconds_read(fields);
		return false;
	case APSP_SOLVER_EVENT_CYCLE:
		cycle_add(report, fields);
		return false;
	case APSP_SOLVER_EVENT_GROUP:
		apsp_plan_group_parse(fields, &report->group);
		return false;
	case APSP_SOLVER_EVENT_COST:
		apsp_job_pace_parse(fields, &report->paced);
		return false;
	case APSP_SOLVER_EVENT_STAGES:
		apsp_job_stages_parse(fields, &report->stages);
		return false;
	case APSP_SOLVER_EVENT_ERROR:
		apsp_solver_event_read_error(fields, &report->failure.err);
		return true;
	case APSP_SOLVER_EVENT_DONE:
		report->done = true;
		return true;
	case APSP_SOLVER_EVENT_HELD: /* this event describes the previous job,
					so it is ignored */
	case APSP_SOLVER_EVENT_FOUND:
	case APSP_SOLVER_EVENT_RATES:
	case APSP_SOLVER_EVENT_ROW:
		return false;
	}
	return false;
}

void apsp_job_report_log(struct apsp_job_report *report, const char *line)
{
	char *last = report->lines[report->n_lines % APSP_JOB_REPORT_LINES];

	/* before the first event, keep only the first lines: if a start fails,
	   mpirun prints the cause first, and then advice */
	if (report->n_events == 0 && report->n_lines == APSP_JOB_REPORT_LINES)
		return;
	/* leave out lines of dashes, because mpirun prints such a line below
	   its last message */
	if (!line[strspn(line, " -")])
		return;
	snprintf(last, APSP_JOB_REPORT_LINE_SIZE, "%s", line);
	apsp_utf8_clean(last);
	report->n_lines++;
	report->begun = report->n_events > 0;
}

int apsp_job_report_died(struct apsp_job_report *report, const char *how)
{
	size_t n = report->n_lines;
	bool begun = report->begun;
	size_t one = begun ? n - 1 : 0, other = begun ? n - 2 : 1;

	if (n == 0)
		return apsp_fail(&report->failure.err, APSP_ESOLVER,
			"the solver %s", how);
	/* of the last two lines, quote the later one first, because a long
	   message is cut at its end */
	return apsp_fail(&report->failure.err, APSP_ESOLVER,
		"the solver %s; its %s words: %s%s%s", how,
		begun ? "last" : "first",
		report->lines[one % APSP_JOB_REPORT_LINES],
		n == 1	? ""
		: begun ? " | before: "
			: " | then: ",
		n == 1 ? "" : report->lines[other % APSP_JOB_REPORT_LINES]);
}
