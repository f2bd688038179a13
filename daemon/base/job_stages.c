/*
 * A job's timeline; see job_stages.h.
 */
#include "daemon/base/job_stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/clock.h"

static const char *const names[] = {
	[APSP_JOB_STAGE_STORE] = "store",
	[APSP_JOB_STAGE_QUEUED] = "queued",
	[APSP_JOB_STAGE_TRIED] = "tried",
	[APSP_JOB_STAGE_GRAPH_FILE] = "graph_file",
	[APSP_JOB_STAGE_OPEN] = "open",
	[APSP_JOB_STAGE_READ] = "read",
	[APSP_JOB_STAGE_CLOSURE] = "closure",
	[APSP_JOB_STAGE_SELF_TEST] = "self_test",
	[APSP_JOB_STAGE_UPLOAD] = "upload",
	[APSP_JOB_STAGE_DISTANCE] = "distance",
	[APSP_JOB_STAGE_PREDECESSOR] = "predecessor",
	[APSP_JOB_STAGE_DOWNLOAD] = "download",
	[APSP_JOB_STAGE_WRITE] = "write",
	[APSP_JOB_STAGE_MEASURE] = "measure",
	[APSP_JOB_STAGE_SEAL] = "seal",
	[APSP_JOB_STAGE_PUBLISH] = "publish",
};

const char *apsp_job_stage_name(enum apsp_job_stage stage)
{
	return names[stage];
}

void apsp_job_stages_end(
	struct apsp_job_stages *stages, enum apsp_job_stage stage)
{
	double now_s = apsp_clock_s();

	if (stages->since_s > 0)
		stages->seconds[stage] += now_s - stages->since_s;
	stages->since_s = now_s;
}

void apsp_job_stages_solved(
	struct apsp_job_stages *stages, const struct apsp_job_stages *told)
{
	apsp_job_stages_end(stages, APSP_JOB_STAGE_OPEN);
	for (int s = APSP_JOB_STAGE_READ; s <= APSP_JOB_STAGE_MEASURE; s++) {
		stages->seconds[s] += told->seconds[s];
		stages->seconds[APSP_JOB_STAGE_OPEN] -= told->seconds[s];
	}
	stages->seconds[APSP_JOB_STAGE_OPEN] =
		fmax(stages->seconds[APSP_JOB_STAGE_OPEN], 0);
}

void apsp_job_stages_format(const struct apsp_job_stages *stages,
	char out[APSP_JOB_STAGES_TEXT_SIZE])
{
	size_t used = 0;

	out[0] = '\0';
	for (int s = 0; s < APSP_N_JOB_STAGES; s++) {
		char piece[APSP_JOB_STAGES_TEXT_SIZE / APSP_N_JOB_STAGES];
		int size = snprintf(piece, sizeof(piece), "%s%s %.6f",
			used > 0 ? " " : "", names[s], stages->seconds[s]);

		if (stages->seconds[s] <= 0 || size >= (int)sizeof(piece))
			continue;
		memcpy(out + used, piece, (size_t)size + 1);
		used += (size_t)size;
	}
}

void apsp_job_stages_parse(const char *text, struct apsp_job_stages *out)
{
	char name[16];
	double seconds;
	int size;

	*out = (struct apsp_job_stages){0};
	while (sscanf(text, "%15s %lf%n", name, &seconds, &size) == 2) {
		for (int s = 0; s < APSP_N_JOB_STAGES; s++)
			if (strcmp(names[s], name) == 0 && isfinite(seconds) &&
				seconds >= 0)
				out->seconds[s] = seconds;
		text += size;
	}
}
