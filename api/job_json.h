/*
 * A job as JSON (api.md, "Jobs").
 */
#ifndef APSP_API_JOB_JSON_H
#define APSP_API_JOB_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "api/request.h"
#include "daemon/base/err.h"
#include "storage/jobs.h"

/* A job's id: a string, as every id; null for 0. NULL: out of memory. */
json_t *apsp_job_id_json(uint64_t id);

/*
 * The record, with what the worker says now where the job runs. NULL: out of
 * memory.
 */
json_t *apsp_job_json(
	struct apsp_request *req, const struct apsp_job_record *record);

/* The job that params[0] names. APSP_ENOJOB, also for what is no number. */
int apsp_request_job(
	struct apsp_request *req, uint64_t *out_id, struct apsp_err *err);

#endif
