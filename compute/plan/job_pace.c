/*
 * Corrects estimates by the ratios of measured to estimated seconds in earlier
 * jobs; see job_pace.h.
 */
#include "compute/plan/job_pace.h"

#include <math.h>
#include <string.h>

#include "compute/plan/rates.h"

enum {
	/* An estimate is corrected by a ratio of measured to planned seconds.
	   The ratio is the median of at most this number of ratios: one of them
	   is 1, and the others come from earlier jobs. */
	SAMPLES = 5,
	/*
	 * A phase is a group of a job's stages. A phase of an earlier job
	 * corrects the same phase of a new job only if both have similar
	 * planned seconds: the quotient of the two is at most ALIKE and at
	 * least 1/ALIKE. The time of a short phase depends little on the graph,
	 * so it says little about a long phase.
	 */
	ALIKE = 4,
};

#define FACTOR_MOST 2.0

/* Add up the seconds of a phase's stages, and return the sum. */
static double phase_seconds(
	const struct apsp_job_cost *cost, enum apsp_stage phase)
{
	double sum = 0;

	for (int s = 0; s < APSP_N_STAGES; s++)
		if (apsp_stage_phase((enum apsp_stage)s) == phase)
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

static double factor_of(const struct apsp_job_pace *pace, enum apsp_stage phase,
	int rate, enum apsp_element element, double said_s)
{
	double values[SAMPLES] = {1};
	size_t n = 1, known = apsp_job_pace_jobs(pace);

	for (size_t i = 1; i <= known && n < SAMPLES; i++) {
		const struct apsp_paced_job *job =
			&pace->jobs[(pace->n - i) % APSP_JOB_PACE_JOBS];
		double said = phase_seconds(&job->said, phase);
		double took = phase_seconds(&job->took, phase);

		if (said <= 0 || took <= 0 || said > ALIKE * said_s ||
			said * ALIKE < said_s ||
			(phase == APSP_STAGE_DISTANCE &&
				(job->rate != rate || job->element != element)))
			continue;
		values[n++] = took / said;
	}
	return fmax(fmin(median(values, n), FACTOR_MOST), 1 / FACTOR_MOST);
}

void apsp_job_pace_apply(const struct apsp_job_pace *pace, int rate,
	enum apsp_element element, struct apsp_job_cost *cost)
{
	double factors[APSP_N_STAGES];

	for (int p = 0; p < APSP_N_STAGES; p++)
		factors[p] = factor_of(pace, (enum apsp_stage)p, rate, element,
			phase_seconds(cost, (enum apsp_stage)p));
	/* the stage in which the device opens is not corrected, because it
	   overlaps other stages */
	factors[APSP_STAGE_OPEN] = 1;
	for (int s = 0; s < APSP_N_STAGES; s++)
		cost->seconds[s] *=
			factors[apsp_stage_phase((enum apsp_stage)s)];
}

void apsp_job_pace_format(int rate, enum apsp_element element,
	const struct apsp_job_cost *said, char out[APSP_JOB_PACE_TEXT_SIZE])
{
	struct apsp_job_stages stages = {.since_s = 0};
	const char *name = apsp_rates_name(rate);

	memcpy(stages.seconds, said->seconds, sizeof(stages.seconds));
	apsp_job_stages_format(&stages, out);
	if (!name)
		return;
	apsp_fields_add(out, APSP_JOB_PACE_TEXT_SIZE, "rate", "%s", name);
	apsp_fields_add(out, APSP_JOB_PACE_TEXT_SIZE, "element", "%s",
		apsp_element_name(element));
}

void apsp_job_pace_parse(const char *text, struct apsp_paced_job *job)
{
	char rate[APSP_FIELD_NAME_SIZE], element[8];
	struct apsp_job_stages stages;
	int row = 0, e = 0;

	if (!apsp_fields_get(text, "rate", rate, sizeof(rate)) ||
		!apsp_fields_get(text, "element", element, sizeof(element)))
		return;
	while (row < APSP_RATE_ROWS &&
		(!apsp_rates_name(row) ||
			strcmp(apsp_rates_name(row), rate) != 0))
		row++;
	while (e < APSP_RATE_ELEMENTS &&
		strcmp(apsp_element_name(apsp_rates_element(e)), element) != 0)
		e++;
	if (row == APSP_RATE_ROWS || e == APSP_RATE_ELEMENTS)
		return;
	apsp_job_stages_parse(text, &stages);
	job->rate = row;
	job->element = apsp_rates_element(e);
	memcpy(job->said.seconds, stages.seconds, sizeof(job->said.seconds));
	job->n_told++;
}
