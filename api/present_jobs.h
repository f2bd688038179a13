/*
 * Records of jobs as clients see them: `last` of a running job is the worker's
 * progress of this try.
 *
 * The worker is asked before the records are read. In the other order, a job
 * that ends between the two would be shown as running without any progress.
 * Progress of an earlier try than the record's is ignored.
 */
#ifndef APSP_API_PRESENT_JOBS_H
#define APSP_API_PRESENT_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/jobs/jobs.h"

/* As apsp_jobs_get(), of the request's store. */
int apsp_present_jobs_get(struct apsp_request *req, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err);

/* As apsp_jobs_list(). */
int apsp_present_jobs_list(struct apsp_request *req,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err);

#endif
