/*
 * Medians of a few jobs; see job_pace.h.
 */
#include "compute/plan/job_pace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/plan/rates.h"

enum {
	SAMPLES = 5, /* jobs that a median is of, with one for the rates */
	/* Parts with fixed seconds and parts that grow are told apart by size.
	 */
	ALIKE = 4, /* said to take so many times as long at most, or its part */
};

#define FACTOR_MOST 2.0

/* Stages that are said and taken together; 0: the worker does not see them. */
enum part {
	PART_NONE,
	PART_STORE,
	PART_GRAPH_FILE,
	PART_READ,
	PART_TEST,
	PART_DISTANCE,
	PART_TABLES,
	PART_MEASURE,
	N_PARTS,
};

static const enum part parts[APSP_N_JOB_STAGES] = {
	[APSP_JOB_STAGE_STORE] = PART_STORE,
	[APSP_JOB_STAGE_GRAPH_FILE] = PART_GRAPH_FILE,
	[APSP_JOB_STAGE_READ] = PART_READ,
	[APSP_JOB_STAGE_CLOSURE] = PART_READ,
	[APSP_JOB_STAGE_SELF_TEST] = PART_TEST,
	[APSP_JOB_STAGE_UPLOAD] = PART_TEST,
	[APSP_JOB_STAGE_DISTANCE] = PART_DISTANCE,
	[APSP_JOB_STAGE_PREDECESSOR] = PART_TABLES,
	[APSP_JOB_STAGE_DOWNLOAD] = PART_TABLES,
	[APSP_JOB_STAGE_WRITE] = PART_TABLES,
	[APSP_JOB_STAGE_MEASURE] = PART_MEASURE,
};

static double part_seconds(const struct apsp_job_cost *cost, enum part part)
{
	double sum = 0;

	for (int s = 0; s < APSP_N_JOB_STAGES; s++)
		if (parts[s] == part)
			sum += cost->seconds[s];
	return sum;
}

void apsp_job_pace_add(
	struct apsp_job_pace *pace, const struct apsp_paced_job *job)
{
	pace->jobs[pace->n++ % APSP_JOB_PACE_JOBS] = *job;
}

size_t apsp_job_pace_jobs(const struct apsp_job_pace *pace)
{
	return pace->n < APSP_JOB_PACE_JOBS ? pace->n : APSP_JOB_PACE_JOBS;
}

bool apsp_job_pace_ran(const struct apsp_job_pace *pace, int rate, int element)
{
	for (size_t i = 0; i < apsp_job_pace_jobs(pace); i++)
		if (pace->jobs[i].rate == rate &&
			pace->jobs[i].element == element)
			return true;
	return false;
}

static double median(double values[], size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
			double value = values[j];

			values[j] = values[j - 1];
			values[j - 1] = value;
		}
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static double factor_of(const struct apsp_job_pace *pace, enum part part,
	int rate, int element, double said_s)
{
	double values[SAMPLES] = {1};
	size_t n = 1, known = apsp_job_pace_jobs(pace);

	for (size_t i = 1; i <= known && n < SAMPLES; i++) {
		const struct apsp_paced_job *job =
			&pace->jobs[(pace->n - i) % APSP_JOB_PACE_JOBS];
		double said = part_seconds(&job->said, part);
		double took = part_seconds(&job->took, part);

		if (said <= 0 || took <= 0 || said > ALIKE * said_s ||
			said * ALIKE < said_s ||
			(part == PART_DISTANCE &&
				(job->rate != rate || job->element != element)))
			continue;
		values[n++] = took / said;
	}
	return fmax(fmin(median(values, n), FACTOR_MOST), 1 / FACTOR_MOST);
}

void apsp_job_pace_apply(const struct apsp_job_pace *pace, int rate,
	int element, struct apsp_job_cost *cost)
{
	double factors[N_PARTS] = {[PART_NONE] = 1};

	for (int p = PART_NONE + 1; p < N_PARTS; p++)
		factors[p] = factor_of(pace, (enum part)p, rate, element,
			part_seconds(cost, (enum part)p));
	for (int s = 0; s < APSP_N_JOB_STAGES; s++)
		cost->seconds[s] *= factors[parts[s]];
}

static void rate_name(int rate, int element, char out[64])
{
	static const struct apsp_rates none;
	const char *name;

	apsp_rates_row(&none, rate, &name);
	snprintf(out, 64, "%s.%s", name,
		apsp_element_name(apsp_rates_element(element)));
}

void apsp_job_pace_format(int rate, int element,
	const struct apsp_job_cost *said, char out[APSP_JOB_PACE_TEXT_SIZE])
{
	struct apsp_job_stages stages = {.since_s = 0};
	char text[APSP_JOB_STAGES_TEXT_SIZE], name[64];

	memcpy(stages.seconds, said->seconds, sizeof(stages.seconds));
	apsp_job_stages_format(&stages, text);
	rate_name(rate, element, name);
	snprintf(out, APSP_JOB_PACE_TEXT_SIZE, "%s %s", name, text);
}

void apsp_job_pace_parse(const char *text, struct apsp_paced_job *job)
{
	size_t size = strcspn(text, " ");
	struct apsp_job_stages stages;
	char name[64];

	for (int i = 0; i < APSP_RATE_ROWS * APSP_RATE_ELEMENTS; i++) {
		rate_name(i / APSP_RATE_ELEMENTS, i % APSP_RATE_ELEMENTS, name);
		if (strlen(name) != size || memcmp(name, text, size) != 0)
			continue;
		apsp_job_stages_parse(text + size, &stages);
		job->rate = i / APSP_RATE_ELEMENTS;
		job->element = i % APSP_RATE_ELEMENTS;
		memcpy(job->said.seconds, stages.seconds,
			sizeof(job->said.seconds));
		job->n_told++;
	}
}
