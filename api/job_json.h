/*
 * A job as JSON, and job ids in requests.
 */
#ifndef APSP_API_JOB_JSON_H
#define APSP_API_JOB_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "daemon/base/job_stages.h"
#include "storage/jobs/jobs.h"

enum {
	APSP_JOB_WAIT_MAX_S = 30, /* of ?wait= */
};

/* A job's id as a string, null for 0. NULL: out of memory. */
json_t *apsp_job_id_json(uint64_t id);

/*
 * The seconds of each stage that takes time, by its name; null: none does.
 * NULL: out of memory.
 */
json_t *apsp_job_stages_json(const double seconds[APSP_N_STAGES]);

/* Where clients find a job; the caller frees it. NULL: out of memory. */
char *apsp_job_link(const struct apsp_request *req, uint64_t id);

/* A record of present_jobs.h as JSON. NULL: out of memory. */
json_t *apsp_job_json(
	struct apsp_request *req, const struct apsp_job_record *record);

/* The id in params[0]. APSP_ENOJOB: not a number that can be an id. */
int apsp_job_id_read(
	struct apsp_request *req, uint64_t *out_id, struct apsp_err *err);

#endif
