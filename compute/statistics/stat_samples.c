/*
 * Computes statistics of some vertices, which are called samples; see
 * stat_samples.h. Paths to a sample are read from the sample's column, which
 * has one value in every row. Paths from a sample are read from the sample's
 * own row.
 */
#include "compute/statistics/stat_samples.h"

#include <math.h>
#include <stdlib.h>

#include "compute/sample_vertex.h"
#include "compute/source_block.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/job/stats_sections.h"

enum {
	/* in a large graph, one vertex out of every 256 is a sample */
	STEP = 256,
	LEAST = 32,   /* the least number of samples */
	COLUMNS = 16, /* number of samples whose columns one task reads */
};

int apsp_stat_samples_init(uint32_t n_vertices,
	const struct apsp_integers *integers, enum apsp_element element,
	bool shared, struct apsp_stat_samples *out, struct apsp_err *err)
{
	uint32_t step = apsp_sample_step(n_vertices, LEAST, STEP);

	*out = (struct apsp_stat_samples){.integers = integers,
		.element = element,
		.n_vertices = n_vertices,
		.step = step,
		.n = (n_vertices + step - 1) / step};
	out->n_column_tasks = (out->n + COLUMNS - 1) / COLUMNS;
	out->in = calloc(out->n + 1, sizeof(*out->in));
	out->out = calloc(out->n + 1, sizeof(*out->out));
	if (shared)
		out->blocks =
			calloc((size_t)out->n * apsp_source_blocks(n_vertices),
				sizeof(*out->blocks));
	if (!out->in || !out->out || (shared && !out->blocks))
		return apsp_fail(err, APSP_ENOMEM, "no memory for statistics");
	for (uint32_t i = 0; i < out->n; i++)
		out->in[i].most = out->out[i].most = -INFINITY;
	return 0;
}

void apsp_stat_samples_done(struct apsp_stat_samples *samples)
{
	free(samples->in);
	free(samples->out);
	free(samples->blocks);
	samples->in = samples->out = NULL;
	samples->blocks = NULL;
}

static uint32_t vertex_of(const struct apsp_stat_samples *samples, uint32_t i)
{
	return apsp_sample_vertex(samples->n_vertices, samples->step, i);
}

/* Return the distance in a cell; INFINITY: no path. */
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

		/* round down even if v is negative */
		v = v / scale - (v % scale < 0);
	}
	return (double)v;
}

static void sample_add(struct apsp_stat_sample *sample, double distance)
{
	if (isinf(distance))
		return;
	sample->count++;
	sample->block.sum += distance;
	sample->block.harmonic += 1 / distance;
	sample->absolute += fabs(distance);
	sample->absolute_harmonic += fabs(1 / distance);
	sample->most = fmax(sample->most, distance);
}

/* Call this when a source block (a range of sources) has ended. If `kept` is
   NULL, add the block's sums to the sums of earlier source blocks. Otherwise
   only store the block's sums in *kept. The sample's own row counts as one
   source block. */
static void block_end(
	struct apsp_stat_sample *sample, struct apsp_stat_block_sums *kept)
{
	if (kept) {
		*kept = sample->block;
	} else {
		sample->sum += sample->block.sum;
		sample->harmonic += sample->block.harmonic;
	}
	sample->block = (struct apsp_stat_block_sums){0};
}

/* If processes share the rows, each sample has sums over each source block (a
   range of sources). Return the address of the sums of sample s over the block
   that contains `source`. NULL: rows are not shared. */
static struct apsp_stat_block_sums *block_of(
	const struct apsp_stat_samples *samples, uint32_t source, uint32_t s)
{
	uint32_t rows = apsp_source_block_rows(samples->n_vertices);

	return samples->blocks
		       ? samples->blocks +
				 (size_t)(source / rows) * samples->n + s
		       : NULL;
}

/* Task i reads rows of the strip (samples->strip). Each of the first
   n_column_tasks tasks reads the columns of some samples in all rows. Each
   later task reads the row of one sample. */
static void part_read(void *ctx, unsigned int thread, size_t i)
{
	const struct apsp_stat_samples *samples = ctx;
	const struct apsp_row_strip *strip = samples->strip;
	size_t n = samples->n_vertices,
	       n_column_tasks = samples->n_column_tasks;
	uint32_t sample = samples->first + (uint32_t)(i - n_column_tasks);
	uint32_t first = (uint32_t)i * COLUMNS, end = first + COLUMNS, v;
	uint32_t source;

	(void)thread;
	if (i >= n_column_tasks) {
		source = vertex_of(samples, sample);
		for (v = 0; v < n; v++)
			if (v != source)
				sample_add(&samples->out[sample],
					distance_at(samples, strip->distances,
						(source - strip->first) * n +
							v));
		block_end(&samples->out[sample], NULL);
		return;
	}
	if (end > samples->n)
		end = samples->n;
	for (uint32_t r = 0; r < strip->n_rows; r++) {
		source = strip->first + r;
		for (uint32_t s = first; s < end; s++) {
			v = vertex_of(samples, s);
			if (source != v)
				sample_add(&samples->in[s],
					distance_at(samples, strip->distances,
						r * n + v));
		}
		if (source + 1 ==
			apsp_source_block_end(samples->n_vertices, source))
			for (uint32_t s = first; s < end; s++)
				block_end(&samples->in[s],
					block_of(samples, source, s));
	}
}

void apsp_stat_samples_begin(struct apsp_stat_samples *samples,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out)
{
	uint32_t n_rows = 0;

	samples->strip = strip;
	for (uint32_t i = strip->first / samples->step; i < samples->n; i++) {
		uint32_t v = vertex_of(samples, i);

		if (v >= strip->first + strip->n_rows)
			break;
		if (v < strip->first)
			continue;
		if (n_rows++ == 0)
			samples->first = i;
	}
	*out = (struct apsp_parallel_part){
		samples->n_column_tasks + n_rows, part_read, samples};
}

void apsp_stat_samples_pack(
	const struct apsp_stat_samples *samples, struct apsp_message *message)
{
	size_t n = samples->n;

	apsp_message_put(message, samples->in, n * sizeof(*samples->in));
	apsp_message_put(message, samples->out, n * sizeof(*samples->out));
	apsp_message_put(message, samples->blocks,
		n * apsp_source_blocks(samples->n_vertices) *
			sizeof(*samples->blocks));
}

/* Add `other` to *to. Both are statistics of the same sample, but another
   process has computed `other` from its own rows. */
static void sample_merge(
	struct apsp_stat_sample *to, const struct apsp_stat_sample *other)
{
	to->count += other->count;
	to->sum += other->sum;
	to->harmonic += other->harmonic;
	to->most = fmax(to->most, other->most);
	to->absolute += other->absolute;
	to->absolute_harmonic += other->absolute_harmonic;
}

void apsp_stat_samples_unpack(
	struct apsp_stat_samples *samples, struct apsp_message *message)
{
	size_t n = samples->n;

	for (int side = 0; side < 2; side++)
		for (size_t s = 0; s < n; s++) {
			struct apsp_stat_sample other;

			apsp_message_get(message, &other, sizeof(other));
			sample_merge(
				side == 0 ? &samples->in[s] : &samples->out[s],
				&other);
		}
	/* Only one process has the sums of a source block; the other processes
	   have zeros. So the addition below changes no bits of the sums. */
	for (size_t i = 0; i < n * apsp_source_blocks(samples->n_vertices);
		i++) {
		struct apsp_stat_block_sums other;

		apsp_message_get(message, &other, sizeof(other));
		samples->blocks[i].sum += other.sum;
		samples->blocks[i].harmonic += other.harmonic;
	}
}

/*
 * Whether two sums of the same values agree. `amount` is the sum of the
 * absolute values. The sums may differ by slack · amount. `slack` must be 0 if
 * the order of addition cannot change the sum, or if both sums were added in
 * the same order.
 */
static bool sums_agree(double a, double b, double amount, double slack)
{
	/* If `amount` is infinite, one order of addition can give NaN, and
	   another order an infinity. So two sums count as equal if neither of
	   them is finite. */
	if (isinf(amount))
		return a == b || (!isfinite(a) && !isfinite(b));
	return a == b || fabs(a - b) <= slack * amount;
}

static bool sample_agrees(const struct apsp_stat_sample *sample,
	const double *at, size_t n, bool in, bool whole)
{
	double most = at[(APSP_STAT_FARTHEST_OUT + in) * n];
	double slack = in ? 0 : apsp_sum_slack((uint32_t)n);

	return at[(APSP_STAT_REACHES + in) * n] == sample->count &&
	       (sample->count == 0 ? isnan(most) : most == sample->most) &&
	       sums_agree(at[(APSP_STAT_DISTANCE_OUT + in) * n], sample->sum,
		       sample->absolute,
		       whole && sample->absolute < 0x1p53 ? 0 : slack) &&
	       sums_agree(at[(APSP_STAT_HARMONIC_OUT + in) * n],
		       sample->harmonic, sample->absolute_harmonic, slack);
}

int apsp_stat_samples_check(struct apsp_stat_samples *samples,
	const double *vertices, struct apsp_err *err)
{
	bool whole = samples->integers->kind != APSP_DISTANCE_SUM;

	for (uint32_t b = 0;
		samples->blocks && b < apsp_source_blocks(samples->n_vertices);
		b++)
		for (uint32_t s = 0; s < samples->n; s++) {
			const struct apsp_stat_block_sums *block =
				&samples->blocks[(size_t)b * samples->n + s];

			samples->in[s].sum += block->sum;
			samples->in[s].harmonic += block->harmonic;
		}

	for (uint32_t i = 0; i < samples->n; i++) {
		uint32_t v = vertex_of(samples, i);
		bool out = sample_agrees(&samples->out[i], vertices + v,
			samples->n_vertices, false, whole);

		if (!out || !sample_agrees(&samples->in[i], vertices + v,
				    samples->n_vertices, true, whole))
			return apsp_fail(err, APSP_EPROOF,
				"the statistics of paths %s vertex %u are not "
				"the statistics of these paths' distances",
				out ? "to" : "from", v);
	}
	return 0;
}
