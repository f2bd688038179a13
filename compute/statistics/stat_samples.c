/*
 * Statistics of some vertices; see stat_samples.h. A vertex' column is read
 * value by value, a value a row; of its row every value is read once.
 */
#include "compute/statistics/stat_samples.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/base/stats_sections.h"

enum {
	STEP = 256,	 /* vertices of which one is looked at */
	LEAST = 32,	 /* are looked at in small graphs */
	SHIFT = 37,	 /* where in each step, so that no column of a block is
			    always left out */
	COLUMNS = 16,	 /* of a task */
	ALONE = 1 << 14, /* cells that are not worth waking threads for */
};

/* What sums of the same numbers in another order may differ by, of the sum of
   their amounts: 2^22 additions round by 2^-53 each. */
#define SUM_SLACK 0x1p-30

int apsp_stat_samples_init(uint32_t n_vertices,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_team *team, struct apsp_stat_samples *out,
	struct apsp_err *err)
{
	uint32_t step = n_vertices / LEAST;

	step = step > STEP ? STEP : step > 0 ? step : 1;
	*out = (struct apsp_stat_samples){.integers = integers,
		.team = team,
		.element = element,
		.n_vertices = n_vertices,
		.step = step,
		.n = (n_vertices + step - 1) / step};
	out->in = calloc(out->n + 1, sizeof(*out->in));
	out->out = calloc(out->n + 1, sizeof(*out->out));
	if (!out->in || !out->out)
		return apsp_fail(err, APSP_ENOMEM, "no memory for statistics");
	for (uint32_t i = 0; i < out->n; i++)
		out->in[i].most = out->out[i].most = -INFINITY;
	return 0;
}

void apsp_stat_samples_done(struct apsp_stat_samples *samples)
{
	free(samples->in);
	free(samples->out);
	samples->in = samples->out = NULL;
}

/* The vertex of sample i, one in each step. */
static uint32_t vertex_of(const struct apsp_stat_samples *samples, uint32_t i)
{
	uint32_t first = i * samples->step, last = samples->n_vertices - 1;
	uint32_t v = first + (uint32_t)((uint64_t)i * SHIFT % samples->step);

	return v < last ? v : last;
}

/* The distance in a cell; INFINITY: no path. */
static double distance_at(
	const struct apsp_stat_samples *samples, const void *rows, size_t cell)
{
	int64_t v;

	if (samples->element == APSP_ELEMENT_U16) {
		v = ((const uint16_t *)rows)[cell];
		if (v == APSP_V_INFINITY_U16)
			return INFINITY;
	} else if (samples->element == APSP_ELEMENT_I32) {
		v = ((const int32_t *)rows)[cell];
		if (v >= APSP_V_INFINITY_I32)
			return INFINITY;
	} else if (samples->element == APSP_ELEMENT_F32) {
		return ((const float *)rows)[cell];
	} else {
		double real = ((const double *)rows)[cell];

		if (samples->integers->kind == APSP_DISTANCE_SUM || isinf(real))
			return real;
		v = (int64_t)real;
	}
	if (samples->integers->kind == APSP_DISTANCE_SCALED) {
		int64_t scale = samples->integers->scale;

		/* towards less, also below 0 */
		v = v / scale - (v % scale < 0);
	}
	return (double)v;
}

static void sample_add(struct apsp_stat_sample *sample, double distance)
{
	if (isinf(distance))
		return;
	sample->count++;
	sample->sum += distance;
	sample->harmonic += 1 / distance;
	sample->absolute += fabs(distance);
	sample->absolute_harmonic += fabs(1 / distance);
	sample->most = fmax(sample->most, distance);
}

/* A strip, for the threads. */
struct reading {
	const struct apsp_stat_samples *samples;
	const struct apsp_row_strip *strip;
	uint32_t first; /* sample whose row is in the strip */
	size_t n_column_tasks;
};

static void columns_read(const struct reading *reading, size_t task)
{
	const struct apsp_stat_samples *samples = reading->samples;
	const struct apsp_row_strip *strip = reading->strip;
	uint32_t first = (uint32_t)task * COLUMNS, end = first + COLUMNS;

	if (end > samples->n)
		end = samples->n;
	for (uint32_t r = 0; r < strip->n_rows; r++)
		for (uint32_t i = first; i < end; i++) {
			uint32_t v = vertex_of(samples, i);

			if (strip->first + r == v)
				continue;
			sample_add(&samples->in[i],
				distance_at(samples, strip->distances,
					(size_t)r * samples->n_vertices + v));
		}
}

static void row_read(const struct reading *reading, uint32_t i)
{
	const struct apsp_stat_samples *samples = reading->samples;
	uint32_t source = vertex_of(samples, i);
	size_t row =
		(size_t)(source - reading->strip->first) * samples->n_vertices;

	for (uint32_t v = 0; v < samples->n_vertices; v++)
		if (v != source)
			sample_add(&samples->out[i],
				distance_at(samples, reading->strip->distances,
					row + v));
}

static void part_read(void *ctx, unsigned int thread, size_t i)
{
	const struct reading *reading = ctx;

	(void)thread;
	if (i < reading->n_column_tasks)
		columns_read(reading, i);
	else
		row_read(reading,
			reading->first +
				(uint32_t)(i - reading->n_column_tasks));
}

void apsp_stat_samples_rows(const struct apsp_stat_samples *samples,
	const struct apsp_row_strip *strip)
{
	struct reading reading = {.samples = samples,
		.strip = strip,
		.n_column_tasks = (samples->n + COLUMNS - 1) / COLUMNS};
	uint32_t n_rows = 0;
	uint64_t n_cells;

	for (uint32_t i = strip->first / samples->step; i < samples->n; i++) {
		uint32_t v = vertex_of(samples, i);

		if (v >= strip->first + strip->n_rows)
			break;
		if (v < strip->first)
			continue;
		if (n_rows++ == 0)
			reading.first = i;
	}
	n_cells = (uint64_t)n_rows * samples->n_vertices +
		  (uint64_t)strip->n_rows * samples->n;
	apsp_team_for(n_cells < ALONE ? NULL : samples->team,
		reading.n_column_tasks + n_rows, part_read, &reading);
}

/* exact: the same numbers were added in the same order. */
static bool sums_agree(double a, double b, double amount, bool exact)
{
	if (isinf(amount)) /* by an order of its own it may be no number, too */
		return a == b || (!isfinite(a) && !isfinite(b));
	return a == b || (!exact && fabs(a - b) <= SUM_SLACK * amount);
}

static bool sample_agrees(const struct apsp_stat_sample *sample,
	const double *at, size_t n, bool in, bool whole)
{
	double most = at[(APSP_STAT_FARTHEST_OUT + in) * n];

	return at[(APSP_STAT_REACHES + in) * n] == sample->count &&
	       (sample->count == 0 ? isnan(most) : most == sample->most) &&
	       sums_agree(at[(APSP_STAT_DISTANCE_OUT + in) * n], sample->sum,
		       sample->absolute,
		       in || (whole && sample->absolute < 0x1p53)) &&
	       sums_agree(at[(APSP_STAT_HARMONIC_OUT + in) * n],
		       sample->harmonic, sample->absolute_harmonic, in);
}

int apsp_stat_samples_check(const struct apsp_stat_samples *samples,
	const double *vertices, struct apsp_err *err)
{
	bool whole = samples->integers->kind != APSP_DISTANCE_SUM;

	for (uint32_t i = 0; i < samples->n; i++) {
		uint32_t v = vertex_of(samples, i);
		bool out = sample_agrees(&samples->out[i], vertices + v,
			samples->n_vertices, false, whole);

		if (!out || !sample_agrees(&samples->in[i], vertices + v,
				    samples->n_vertices, true, whole))
			return apsp_fail(err, APSP_EPROOF,
				"the statistics of paths %s vertex %u are not "
				"those of its distances",
				out ? "to" : "from", v);
	}
	return 0;
}
