/*
 * Adds up the seconds of a job's stages, and writes and parses them as text;
 * see job_stages.h.
 */
#include "daemon/job/job_stages.h"

#include <math.h>

#include "daemon/base/clock.h"
#include "daemon/base/fields.h"

const char *const apsp_stage_names[] = {
	[APSP_STAGE_STORE] = "store",
	[APSP_STAGE_QUEUED] = "queued",
	[APSP_STAGE_TRIED] = "tried",
	[APSP_STAGE_GRAPH_FILE] = "graph_file",
	[APSP_STAGE_OPEN] = "open",
	[APSP_STAGE_READ] = "read",
	[APSP_STAGE_LENGTHS] = "lengths",
	[APSP_STAGE_CLOSURE] = "closure",
	[APSP_STAGE_SELF_TEST] = "self_test",
	[APSP_STAGE_UPLOAD] = "upload",
	[APSP_STAGE_DISTANCE] = "distance",
	[APSP_STAGE_PREDECESSOR] = "predecessor",
	[APSP_STAGE_DOWNLOAD] = "download",
	[APSP_STAGE_WRITE] = "write",
	[APSP_STAGE_MEASURE] = "measure",
	[APSP_STAGE_SEAL] = "seal",
	[APSP_STAGE_PUBLISH] = "publish",
};

enum apsp_stage apsp_stage_phase(enum apsp_stage stage)
{
	switch (stage) {
	case APSP_STAGE_SELF_TEST:
	case APSP_STAGE_UPLOAD:
		return APSP_STAGE_DISTANCE;
	case APSP_STAGE_DOWNLOAD:
	case APSP_STAGE_WRITE:
		return APSP_STAGE_PREDECESSOR;
	case APSP_STAGE_PUBLISH:
		return APSP_STAGE_SEAL;
	default:
		return stage;
	}
}

const char *apsp_stage_phase_name(enum apsp_stage phase)
{
	return phase == APSP_STAGE_MEASURE ? "betweenness"
					   : apsp_stage_names[phase];
}

void apsp_job_stages_end(struct apsp_job_stages *stages, enum apsp_stage stage)
{
	double now_s = apsp_clock_s();

	if (stages->since_s > 0)
		stages->seconds[stage] += now_s - stages->since_s;
	stages->since_s = now_s;
}

void apsp_job_stages_solved(
	struct apsp_job_stages *stages, const struct apsp_job_stages *solver)
{
	apsp_job_stages_end(stages, APSP_STAGE_OPEN);
	for (int s = APSP_STAGE_READ; s <= APSP_STAGE_MEASURE; s++) {
		stages->seconds[s] += solver->seconds[s];
		stages->seconds[APSP_STAGE_OPEN] -= solver->seconds[s];
	}
	stages->seconds[APSP_STAGE_OPEN] =
		fmax(stages->seconds[APSP_STAGE_OPEN], 0);
}

void apsp_job_stages_format(const struct apsp_job_stages *stages,
	char out[APSP_JOB_STAGES_TEXT_SIZE])
{
	out[0] = '\0';
	for (int s = 0; s < APSP_N_STAGES; s++)
		if (stages->seconds[s] > 0)
			apsp_fields_add(out, APSP_JOB_STAGES_TEXT_SIZE,
				apsp_stage_names[s], "%.6f",
				stages->seconds[s]);
}

void apsp_job_stages_parse(const char *text, struct apsp_job_stages *out)
{
	*out = (struct apsp_job_stages){0};
	for (int s = 0; s < APSP_N_STAGES; s++)
		if (!apsp_fields_get_real(
			    text, apsp_stage_names[s], &out->seconds[s]) ||
			out->seconds[s] < 0)
			out->seconds[s] = 0;
}
