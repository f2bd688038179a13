/*
 * DELETE /v1/jobs/{id}: cancel the job. A queued job is cancelled at once. If
 * the job is running, the worker is asked to stop it, and the job ends soon. If
 * the job has ended already, nothing happens, so a client can send the request
 * twice without harm.
 */
#include <stdlib.h>
#include <string.h>

#include "api/command.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/job_json.h"
#include "compute/worker/worker.h"
#include "daemon/base/auto.h"

struct job_cancel {
	uint64_t id;
	enum apsp_job_state
		state; /* the job's state after apsp_jobs_cancel() */
};

static int cancel_reply(struct apsp_request *req,
	const struct job_cancel *cancel, struct apsp_err *err)
{
	APSP_AUTO(apsp_job_record_done) struct apsp_job_record record = {0};
	struct apsp_change *change = &req->change;
	bool running = cancel->state == APSP_JOB_RUNNING;
	int r;

	r = apsp_request_result(req, err);
	if (r < 0)
		return r;
	if (running)
		apsp_worker_cancel(req->config->worker, cancel->id);
	r = apsp_job_present_get(req, cancel->id, &record, err);
	if (r < 0)
		return r;
	memcpy(change->graph, record.graph, sizeof(change->graph));
	memcpy(change->profile, record.profile, sizeof(change->profile));
	memcpy(change->before, record.revision, sizeof(change->before));
	return apsp_reply_json(req, running ? MHD_HTTP_ACCEPTED : MHD_HTTP_OK,
		apsp_job_json(req, &record), err);
}

int apsp_api_delete_job(struct apsp_request *req, struct apsp_err *err)
{
	struct job_cancel *cancel = req->state;
	int r;

	if (cancel)
		return cancel_reply(req, cancel, err);
	cancel = apsp_request_state(req, sizeof(*cancel), free, err);
	if (!cancel)
		return APSP_ENOMEM;
	r = apsp_job_id_read(req, &cancel->id, err);
	if (r < 0)
		return r;
	r = apsp_request_suspend(req, false, err);
	if (r < 0)
		return r;
	apsp_jobs_cancel(req->config->store, cancel->id, &cancel->state,
		apsp_command_done(req));
	return 0;
}
