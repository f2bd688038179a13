/*
 * Converts states of jobs to names and back; see job.h.
 */
#include "daemon/job/job.h"

#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {
	[APSP_JOB_QUEUED] = "queued",
	[APSP_JOB_RUNNING] = "running",
	[APSP_JOB_SUCCEEDED] = "succeeded",
	[APSP_JOB_FAILED] = "failed",
	[APSP_JOB_CANCELLED] = "cancelled",
};

const char *apsp_job_state_name(enum apsp_job_state state)
{
	return state_names[state];
}

int apsp_job_state_from_name(const char *name)
{
	for (int i = 0; i <= APSP_JOB_CANCELLED; i++)
		if (strcmp(state_names[i], name) == 0)
			return i;
	return -1;
}

bool apsp_job_state_active(enum apsp_job_state state)
{
	return state == APSP_JOB_QUEUED || state == APSP_JOB_RUNNING;
}

void apsp_job_failure_done(struct apsp_job_failure *failure)
{
	free(failure->cycle);
	failure->cycle = NULL;
	failure->cycle_size = 0;
}
