/*
 * The clock; see stage_clock.h.
 */
#include "compute/stage_clock.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/clock.h"

const char *const apsp_stage_names[APSP_N_STAGES] = {
	[APSP_STAGE_READ] = "read",
	[APSP_STAGE_OPEN] = "open",
	[APSP_STAGE_CLOSURE] = "closure",
	[APSP_STAGE_SELF_TEST] = "self-test",
	[APSP_STAGE_UPLOAD] = "upload",
	[APSP_STAGE_DISTANCE] = "distance",
	[APSP_STAGE_PREDECESSOR] = "predecessor",
	[APSP_STAGE_DOWNLOAD] = "download",
	[APSP_STAGE_WRITE] = "write",
	[APSP_STAGE_MEASURE] = "measure",
};

void apsp_stage_clock_init(struct apsp_stage_clock *clock)
{
	memset(clock, 0, sizeof(*clock));
	clock->since_s = apsp_clock_s();
}

void apsp_stage_clock_enter(
	struct apsp_stage_clock *clock, enum apsp_stage stage)
{
	double now;

	if (clock->settle)
		clock->settle(clock->ctx);
	now = apsp_clock_s();
	clock->seconds[clock->stage] += now - clock->since_s;
	clock->stage = stage;
	clock->since_s = now;
}

static const enum apsp_job_stage job_stages[] = {
	[APSP_STAGE_READ] = APSP_JOB_STAGE_READ,
	[APSP_STAGE_OPEN] = APSP_JOB_STAGE_OPEN,
	[APSP_STAGE_CLOSURE] = APSP_JOB_STAGE_CLOSURE,
	[APSP_STAGE_SELF_TEST] = APSP_JOB_STAGE_SELF_TEST,
	[APSP_STAGE_UPLOAD] = APSP_JOB_STAGE_UPLOAD,
	[APSP_STAGE_DISTANCE] = APSP_JOB_STAGE_DISTANCE,
	[APSP_STAGE_PREDECESSOR] = APSP_JOB_STAGE_PREDECESSOR,
	[APSP_STAGE_DOWNLOAD] = APSP_JOB_STAGE_DOWNLOAD,
	[APSP_STAGE_WRITE] = APSP_JOB_STAGE_WRITE,
	[APSP_STAGE_MEASURE] = APSP_JOB_STAGE_MEASURE,
};

void apsp_stage_clock_tell(
	const struct apsp_stage_clock *clock, struct apsp_job_stages *out)
{
	*out = (struct apsp_job_stages){0};
	for (int s = 0; s < APSP_N_STAGES; s++)
		out->seconds[job_stages[s]] += clock->seconds[s];
}

void apsp_stage_clock_describe(
	const struct apsp_stage_clock *clock, char *out, size_t size)
{
	size_t used = 0;

	if (size > 0)
		out[0] = '\0';
	for (int s = 0; s < APSP_N_STAGES && used < size; s++)
		used += (size_t)snprintf(out + used, size - used, "%s%s %.3f s",
			s > 0 ? ", " : "", apsp_stage_names[s],
			clock->seconds[s]);
}
