/*
 * The names of the states of jobs; see job.h.
 */
#include "daemon/job/job.h"

#include <stdlib.h>
#include <string.h>

const char *const apsp_job_state_names[] = {
	[APSP_JOB_QUEUED] = "queued",
	[APSP_JOB_RUNNING] = "running",
	[APSP_JOB_SUCCEEDED] = "succeeded",
	[APSP_JOB_FAILED] = "failed",
	[APSP_JOB_CANCELLED] = "cancelled",
};

int apsp_job_state_from_name(const char *name)
{
	for (int i = 0; i < APSP_N_JOB_STATES; i++)
		if (strcmp(apsp_job_state_names[i], name) == 0)
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
