/*
 * Jobs as JSON, with live progress; ids of jobs in requests.
 */
#ifndef APSP_API_JOB_JSON_H
#define APSP_API_JOB_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "daemon/job/job_stages.h"
#include "daemon/base/limits.h"
#include "storage/jobs/jobs.h"

/* Return a job's id as a JSON string, or JSON null if the id is 0. NULL: out of
   memory. */
json_t *apsp_job_id_json(uint64_t id);

/*
 * Return the object {stage: seconds} with the stages that took time, or JSON
 * null if no stage took time. NULL: out of memory.
 */
json_t *apsp_job_stages_json(const double seconds[APSP_N_STAGES]);

/* Return the URL path of a job. The caller frees it. NULL: out of memory. */
char *apsp_job_link(const struct apsp_request *req, uint64_t id);

/* Return an object with the members `job`, `job_url` and `job_state`, for a
   problem that is about a job. If `state` is NULL, the object has no
   `job_state`. NULL: out of memory. */
json_t *apsp_job_members_json(
	const struct apsp_request *req, uint64_t id, const char *state);

/*
 * Get jobs as apsp_jobs_get() and apsp_jobs_list() do, but with live progress:
 * in the record of a running job, `last` is the worker's progress in the
 * present try.
 *
 * The worker is asked before the records are read. In the opposite order, a job
 * could end between the two steps; it would be shown as running without any
 * progress.
 */
int apsp_job_present_get(struct apsp_request *req, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err);
int apsp_job_present_list(struct apsp_request *req,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err);

/* Return the record of a job as JSON. NULL: out of memory. */
json_t *apsp_job_json(
	struct apsp_request *req, const struct apsp_job_record *record);

/* Parse the id in params[0]. APSP_ENOJOB: params[0] is not a number that can be
   an id. */
int apsp_job_id_read(
	struct apsp_request *req, uint64_t *out_id, struct apsp_err *err);

#endif
