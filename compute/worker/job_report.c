/*
 * Events into progress and failures; see job_report.h.
 */
#include "compute/worker/job_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/utf8.h"

void apsp_job_report_init(struct apsp_job_report *report)
{
	*report = (struct apsp_job_report){.progress.eta_s = -1};
}

void apsp_job_report_done(struct apsp_job_report *report)
{
	apsp_job_failure_done(&report->failure);
}

/* Copy what fits, cut between characters. */
static void text_set(char *out, size_t size, const char *text)
{
	if (snprintf(out, size, "%s", text) >= (int)size) {
		size_t cut = size - 1;

		while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
			cut--;
		out[cut] = '\0';
	}
}

static void cycle_add(struct apsp_job_report *report, const char *label)
{
	struct apsp_job_failure *failure = &report->failure;
	size_t size = strlen(label) + 1;
	char *grown;

	if (report->n_cycle == APSP_SOLVER_EVENT_CYCLE_MAX)
		return;
	grown = realloc(failure->cycle, failure->cycle_size + size);
	if (!grown)
		return; /* the message names the first vertices too */
	memcpy(grown + failure->cycle_size, label, size);
	failure->cycle = grown;
	failure->cycle_size += size;
	report->n_cycle++;
}

static void progress_set(
	struct apsp_job_report *report, const struct apsp_solver_event *event)
{
	if (event->progress < report->progress.progress)
		return;
	report->progress.progress = event->progress;
	report->progress.eta_s = event->eta_s;
}

/* False: the event does not belong to progress. */
static bool progress_take(
	struct apsp_job_report *report, const struct apsp_solver_event *event)
{
	struct apsp_job_progress *now = &report->progress;

	switch (event->kind) {
	case APSP_SOLVER_EVENT_DEVICE:
		text_set(now->device, sizeof(now->device), event->text);
		return true;
	case APSP_SOLVER_EVENT_ALGORITHM:
		text_set(now->algorithm, sizeof(now->algorithm), event->text);
		return true;
	case APSP_SOLVER_EVENT_PLAN:
		text_set(now->plan, sizeof(now->plan), event->text);
		return true;
	case APSP_SOLVER_EVENT_ELEMENT:
		text_set(now->element, sizeof(now->element), event->text);
		return true;
	case APSP_SOLVER_EVENT_SEED:
		now->proof_seed = (uint32_t)strtoul(event->text, NULL, 10);
		return true;
	case APSP_SOLVER_EVENT_PHASE:
		text_set(now->phase, sizeof(now->phase), event->text);
		return true;
	case APSP_SOLVER_EVENT_PROGRESS:
		progress_set(report, event);
		return true;
	case APSP_SOLVER_EVENT_WITHIN:
	case APSP_SOLVER_EVENT_TRIAL:
	case APSP_SOLVER_EVENT_CYCLE:
	case APSP_SOLVER_EVENT_STAGES:
	case APSP_SOLVER_EVENT_COST:
	case APSP_SOLVER_EVENT_HELD:
	case APSP_SOLVER_EVENT_ERROR:
	case APSP_SOLVER_EVENT_DONE:
	case APSP_SOLVER_EVENT_FOUND:
	case APSP_SOLVER_EVENT_RATES:
		break;
	}
	return false;
}

bool apsp_job_report_line(struct apsp_job_report *report, const char *line)
{
	struct apsp_solver_event event;

	if (apsp_solver_event_parse(line, &event, NULL) < 0 ||
		event.kind == APSP_SOLVER_EVENT_HELD) /* of the job before */
		return false;
	report->n_events++;
	if (event.kind == APSP_SOLVER_EVENT_WITHIN)
		report->within_s = event.within_s;
	report->trial_s =
		event.kind == APSP_SOLVER_EVENT_TRIAL ? event.within_s : 0;
	if (progress_take(report, &event)) {
		report->changed = true;
		return false;
	}
	if (event.kind == APSP_SOLVER_EVENT_STAGES)
		apsp_job_stages_parse(event.text, &report->told);
	if (event.kind == APSP_SOLVER_EVENT_COST)
		apsp_job_pace_parse(event.text, &report->paced);
	if (event.kind == APSP_SOLVER_EVENT_CYCLE)
		cycle_add(report, event.text);
	if (event.kind == APSP_SOLVER_EVENT_ERROR)
		apsp_fail(&report->failure.err, (enum apsp_code)event.code,
			"%s", event.text);
	if (event.kind == APSP_SOLVER_EVENT_DONE)
		report->done = true;
	return event.kind == APSP_SOLVER_EVENT_ERROR ||
	       event.kind == APSP_SOLVER_EVENT_DONE;
}

void apsp_job_report_quote(struct apsp_job_report *report, const char *line)
{
	char *quote = report->quotes[report->n_quotes % APSP_JOB_REPORT_QUOTES];

	if (!*line)
		return;
	snprintf(quote, APSP_JOB_REPORT_QUOTE_SIZE, "%s", line);
	apsp_utf8_clean(quote);
	report->n_quotes++;
}

int apsp_job_report_stalled(struct apsp_job_report *report, double silent_s)
{
	const char *phase = report->progress.phase;

	return apsp_fail(&report->failure.err, APSP_ESTALLED,
		"the solver told nothing for %.0f s in phase '%s', as if the "
		"device's driver hung, and was ended",
		silent_s, phase[0] ? phase : "read");
}

int apsp_job_report_died(struct apsp_job_report *report, const char *how)
{
	size_t n = report->n_quotes;

	if (n == 0)
		return apsp_fail(&report->failure.err, APSP_ESOLVER,
			"the solver %s", how);
	/* the last line first, because a long message is cut */
	return apsp_fail(&report->failure.err, APSP_ESOLVER,
		"the solver %s; its last words: %s%s%s", how,
		report->quotes[(n - 1) % APSP_JOB_REPORT_QUOTES],
		n > 1 ? " | before: " : "",
		n > 1 ? report->quotes[(n - 2) % APSP_JOB_REPORT_QUOTES] : "");
}
