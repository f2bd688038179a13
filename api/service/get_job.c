/*
 * GET /v1/jobs/{id}?wait=S&progress=1: the job. With wait, the answer is sent
 * when the job's state has changed, or after S seconds. With progress=1, the
 * answer is also sent when the job's progress (from 0 to 1) has changed by
 * 0.01.
 */
#include <math.h>
#include <stdlib.h>

#include "api/cache_json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/job_json.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

/* The job as it was when the request began to wait. */
struct job_wait {
	enum apsp_job_state state;
	double progress; /* progress when the wait began; NAN: progress does not
			    end the wait */
};

static int wait_begin(struct apsp_request *req,
	const struct apsp_job_record *record, struct job_wait **out,
	struct apsp_err *err)
{
	struct job_wait *wait;
	uint64_t progress;
	int r;

	r = apsp_query_uint(req, "progress", 0, 1, 0, &progress, err);
	if (r < 0)
		return r;
	if (progress && !apsp_query_get(req, "wait"))
		return apsp_fail(err, APSP_EMALFORMED,
			"progress=1 requires a wait, such as wait=30");
	wait = apsp_request_state(req, sizeof(*wait), free, err);
	if (!wait)
		return APSP_ENOMEM;
	wait->state = record->state;
	wait->progress = (double)NAN;
	if (progress)
		wait->progress = record->last.progress;
	*out = wait;
	return 0;
}

int apsp_api_get_job(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_job_record_done) struct apsp_job_record record = {0};
	struct job_wait *wait = req->state;
	int64_t deadline_ns;
	json_t *answer;
	uint64_t id;
	int r;

	r = apsp_job_id_read(req, &id, err);
	if (r < 0)
		return r;
	r = apsp_job_present_get(req, id, &record, err);
	if (r < 0)
		return r;
	r = apsp_query_deadline(req, &deadline_ns, err);
	if (r == 0 && !wait)
		r = wait_begin(req, &record, &wait, err);
	if (r < 0)
		return r;
	/* a change of the progress by APSP_JOB_PROGRESS_STEP ends the wait. But
	   if wait->progress is NAN, this comparison is always false, so
	   progress does not end the wait */
	if (record.state <= APSP_JOB_RUNNING && record.state == wait->state &&
		!(fabs(record.last.progress - wait->progress) >=
			APSP_JOB_PROGRESS_STEP) &&
		apsp_clock_ns() < deadline_ns)
		return apsp_request_wait_job(
			req, id, wait->progress, deadline_ns, err);
	answer = apsp_job_json(req, &record);
	/* if the disk was too full for the tables, list the deletions that
	   would free space */
	if (answer && record.failure.err.code == APSP_ENOSPACE)
		json_object_set_new(json_object_get(answer, "error"),
			"deletable", apsp_cache_json_deletable(req));
	return apsp_reply_json(req, MHD_HTTP_OK, answer, err);
}
