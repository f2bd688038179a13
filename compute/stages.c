/*
 * The clock of stages; see stages.h.
 */
#include "compute/stages.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *const apsp_stage_names[APSP_N_STAGES] = {
	[APSP_STAGE_READ] = "read",
	[APSP_STAGE_CLOSURE] = "closure",
	[APSP_STAGE_SELF_TEST] = "self-test",
	[APSP_STAGE_UPLOAD] = "upload",
	[APSP_STAGE_DISTANCE] = "distance",
	[APSP_STAGE_PREDECESSOR] = "predecessor",
	[APSP_STAGE_DOWNLOAD] = "download",
	[APSP_STAGE_WRITE] = "write",
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void apsp_stages_init(struct apsp_stages *stages)
{
	memset(stages, 0, sizeof(*stages));
	stages->since_s = now_s();
}

void apsp_stages_enter(struct apsp_stages *stages, enum apsp_stage stage)
{
	double now;

	if (stages->settle)
		stages->settle(stages->ctx);
	now = now_s();
	stages->seconds[stages->stage] += now - stages->since_s;
	stages->stage = stage;
	stages->since_s = now;
}

void apsp_stages_describe(
	const struct apsp_stages *stages, char *out, size_t size)
{
	size_t used = 0;

	if (size > 0)
		out[0] = '\0';
	for (int s = 0; s < APSP_N_STAGES && used < size; s++)
		used += (size_t)snprintf(out + used, size - used, "%s%s %.3f s",
			s > 0 ? ", " : "", apsp_stage_names[s],
			stages->seconds[s]);
}
