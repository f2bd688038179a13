/*
 * Records of jobs with their live progress; see present_jobs.h.
 */
#include "api/present_jobs.h"

#include "compute/worker/worker.h"

static void progress_set(
	struct apsp_job_record *record, const struct apsp_job_present *present)
{
	struct apsp_job_progress *last = &record->last;
	double store_s = last->stages.seconds[APSP_STAGE_STORE];

	/* progress of an earlier try does not count */
	if (record->state == APSP_JOB_RUNNING && present->id == record->id &&
		present->tries == record->tries) {
		*last = present->progress;
	} else if (apsp_job_state_active(record->state)) {
		/* last is an earlier try's progress */
		*last = (struct apsp_job_progress){.eta_s = -1};
		last->stages.seconds[APSP_STAGE_STORE] = store_s;
	} else if (record->state == APSP_JOB_SUCCEEDED) {
		last->progress = 1;
	}
}

int apsp_present_jobs_get(struct apsp_request *req, uint64_t id,
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

int apsp_present_jobs_list(struct apsp_request *req,
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
