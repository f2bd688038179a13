/*
 * Jobs as JSON; see job_json.h.
 */
#include "api/job_json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/encode/problem.h"
#include "compute/worker/worker.h"
#include "daemon/base/auto.h"

json_t *apsp_job_id_json(uint64_t id)
{
	char text[24];

	if (!id)
		return json_null();
	snprintf(text, sizeof(text), "%" PRIu64, id);
	return json_string(text);
}

json_t *apsp_job_stages_json(const double seconds[APSP_N_STAGES])
{
	json_t *out = json_object();
	int r = out ? 0 : -1;

	for (int s = 0; r == 0 && s < APSP_N_STAGES; s++)
		if (seconds[s] > 0)
			r = json_object_set_new(out, apsp_stage_names[s],
				apsp_json_number(seconds[s]));
	if (r == 0 && json_object_size(out) > 0)
		return out;
	json_decref(out);
	return r < 0 ? NULL : json_null();
}

static json_t *failure_json(
	const char *base, const struct apsp_job_failure *failure)
{
	json_t *labels, *extra = NULL;

	if (!failure->err.code)
		return json_null();
	if (failure->cycle) {
		labels = json_array();
		for (size_t at = 0; at < failure->cycle_size;
			at += strlen(failure->cycle + at) + 1)
			labels = apsp_json_append(
				labels, json_string(failure->cycle + at));
		extra = json_pack("{s:o}", "cycle", labels);
		if (!extra)
			return NULL;
	}
	/* the job's owner is allowed to read the details of an I/O error, so
	   add them */
	if (failure->err.code == APSP_EIO)
		extra = json_pack("{s:s, s:s}", "title",
			"Reading or writing failed", "detail",
			failure->err.message);
	return apsp_problem_json(&failure->err, base, extra);
}

char *apsp_job_link(const struct apsp_request *req, uint64_t id)
{
	const char *base = req->config->settings->base_path;
	char *link;

	return asprintf(&link, "%s/v1/jobs/%" PRIu64, base ? base : "", id) < 0
		       ? NULL
		       : link;
}

json_t *apsp_job_members_json(
	const struct apsp_request *req, uint64_t id, const char *state)
{
	APSP_AUTO(apsp_free) char *link = apsp_job_link(req, id);

	return json_pack("{s:o, s:s*, s:s*}", "job", apsp_job_id_json(id),
		"job_url", link, "job_state", state);
}

static void progress_set(
	struct apsp_job_record *record, const struct apsp_job_present *present)
{
	struct apsp_job_progress *last = &record->last;
	double store_s = last->stages.seconds[APSP_STAGE_STORE];

	/*
	 * take the worker's progress only if it belongs to the same try (a run
	 * of the job; a job may be tried several times) as the record
	 */
	if (record->state == APSP_JOB_RUNNING && present->id == record->id &&
		present->tries == record->tries) {
		*last = present->progress;
	} else if (apsp_job_state_active(record->state)) {
		/*
		 * the record has the progress of an earlier try: drop this
		 * progress, but keep the seconds of the stage `store`
		 */
		*last = (struct apsp_job_progress){.eta_s = -1};
		last->stages.seconds[APSP_STAGE_STORE] = store_s;
	} else if (record->state == APSP_JOB_SUCCEEDED) {
		last->progress = 1;
	}
}

int apsp_job_present_get(struct apsp_request *req, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err)
{
	struct apsp_job_present present;
	int r;

	apsp_worker_present(req->config->worker, &present);
	r = apsp_jobs_get(req->config->store, id, out, err);
	if (r == 0)
		progress_set(out, &present);
	return r;
}

int apsp_job_present_list(struct apsp_request *req,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err)
{
	struct apsp_job_present present;
	int n;

	apsp_worker_present(req->config->worker, &present);
	n = apsp_jobs_list(req->config->store, filter, out, max, err);
	for (int i = 0; i < n; i++)
		progress_set(&out[i], &present);
	return n;
}

json_t *apsp_job_json(
	struct apsp_request *req, const struct apsp_job_record *record)
{
	const struct apsp_job_progress *now = &record->last;
	bool ended = record->state > APSP_JOB_RUNNING;

	return json_pack("{s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o,"
			 " s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
		"id", apsp_job_id_json(record->id), "graph", record->graph,
		"profile", record->profile, "revision", record->revision,
		"state", apsp_job_state_names[record->state], "phase",
		apsp_json_text(now->phase), "progress",
		apsp_json_number(now->progress), "eta_s",
		ended || now->eta_s < 0 ? json_null()
					: apsp_json_number(ceil(now->eta_s)),
		"algorithm", apsp_json_text(now->algorithm), "device",
		apsp_json_text(now->device), "element",
		apsp_json_text(now->element), "plan", apsp_json_text(now->plan),
		"tries", (int)record->tries, "queued_at",
		apsp_json_time(record->queued_at_ms), "started_at",
		apsp_json_time(record->started_at_ms), "ended_at",
		apsp_json_time(record->ended_at_ms), "stages",
		apsp_job_stages_json(now->stages.seconds), "proof_seed",
		now->proof_seed ? json_integer(now->proof_seed) : json_null(),
		"error",
		failure_json(
			req->config->settings->base_path, &record->failure));
}

int apsp_job_id_read(
	struct apsp_request *req, uint64_t *out_id, struct apsp_err *err)
{
	const char *text = req->params[0];
	unsigned long long id;

	/* check the characters, because strtoull() would accept blanks and a
	   sign */
	if (!*text || text[strspn(text, "0123456789")])
		return apsp_fail(err, APSP_ENOJOB,
			"there is no job '%s'; ids are decimal numbers", text);
	errno = 0;
	id = strtoull(text, NULL, 10);
	if (errno || !id || id > INT64_MAX)
		return apsp_fail(
			err, APSP_ENOJOB, "there is no job '%s'", text);
	*out_id = id;
	return 0;
}
