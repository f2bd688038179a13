/*
 * From rows of V to the table file; see result.h.
 */
#include "compute/result.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/parallel.h"
#include "compute/sums.h"
#include "daemon/base/auto.h"

struct apsp_result {
	struct apsp_result_config config;
	struct apsp_table_writer *writer;
	unsigned int width;
	struct apsp_sums
		*sums[APSP_PARALLEL_MAX]; /* of SUM distances, by thread */
	double *row[APSP_PARALLEL_MAX];
	uint32_t *tails[APSP_PARALLEL_MAX];
};

/* One call's rows, for the threads. */
struct batch {
	struct apsp_result *result;
	uint32_t first;
	char *distances; /* in the file's element */
	const void *predecessors;
	const uint32_t *summed; /* as apsp_result_rows() has it */
	uint32_t again;		/* the row that is compared, or NONE */
	atomic_bool failed;	/* predecessors of some row are no tree */
	atomic_bool differs;
};

#define NONE UINT32_MAX

APSP_AUTO_DEFINE(result_free, struct apsp_result, apsp_result_free);

static enum apsp_element distance_element(
	const struct apsp_result_config *config)
{
	if (config->integers->kind != APSP_DISTANCE_SUM)
		return config->element;
	return config->precision == APSP_PRECISION_FLOAT64 ? APSP_ELEMENT_F64
							   : APSP_ELEMENT_F32;
}

enum apsp_element apsp_result_element(const struct apsp_result *result)
{
	return distance_element(&result->config);
}

const struct apsp_lengths *apsp_result_lengths(const struct apsp_result *result)
{
	return result->config.integers->kind == APSP_DISTANCE_SUM
		       ? result->config.lengths
		       : NULL;
}

static int sums_prepare(struct apsp_result *result, struct apsp_err *err)
{
	size_t n = result->config.lengths->n_vertices;

	for (unsigned int t = 0; t < result->width; t++) {
		int r = apsp_sums_new(
			result->config.lengths, &result->sums[t], err);

		if (r < 0)
			return r;
		result->row[t] = malloc(n * sizeof(**result->row) + 1);
		result->tails[t] = malloc(n * sizeof(**result->tails) + 1);
		if (!result->row[t] || !result->tails[t])
			return apsp_fail(err, APSP_ENOMEM, "sum path lengths");
	}
	return 0;
}

int apsp_result_open(const struct apsp_result_config *config,
	struct apsp_result **out, struct apsp_err *err)
{
	APSP_AUTO(result_free) struct apsp_result *result = NULL;
	struct apsp_table_header header = {
		.n_vertices = config->lengths->n_vertices,
		.n_arcs = config->lengths->n_arcs,
		.distance_kind = config->integers->kind,
		.scale = config->integers->kind == APSP_DISTANCE_SCALED
				 ? config->integers->scale
				 : 1,
	};
	int r;

	result = calloc(1, sizeof(*result));
	if (!result)
		return apsp_fail(err, APSP_ENOMEM, "write tables");
	result->config = *config;
	result->width = apsp_parallel_width();
	strncpy(header.algorithm, config->algorithm,
		sizeof(header.algorithm) - 1);
	r = apsp_table_header_layout(&header, distance_element(config), err);
	if (r >= 0)
		r = apsp_table_writer_open(
			config->path, &header, &result->writer, err);
	if (r >= 0 && config->integers->kind == APSP_DISTANCE_SUM)
		r = sums_prepare(result, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(result);
	return 0;
}

void apsp_result_free(struct apsp_result *result)
{
	if (!result)
		return;
	for (unsigned int t = 0; t < result->width; t++) {
		apsp_sums_free(result->sums[t]);
		free(result->row[t]);
		free(result->tails[t]);
	}
	apsp_table_writer_free(result->writer);
	free(result);
}

/* Row i as the host sums it, in the file's element, in the thread's own row. */
static bool row_make(const struct batch *batch, unsigned int thread, size_t i)
{
	const struct apsp_result *result = batch->result;
	size_t n = result->config.lengths->n_vertices;
	double *row = result->row[thread];
	uint32_t *tails = result->tails[thread];

	if (apsp_predecessor_element((uint32_t)n) == APSP_ELEMENT_U16) {
		const uint16_t *from =
			(const uint16_t *)batch->predecessors + i * n;

		for (size_t j = 0; j < n; j++)
			tails[j] = from[j] == UINT16_MAX ? UINT32_MAX : from[j];
	} else {
		memcpy(tails, (const uint32_t *)batch->predecessors + i * n,
			n * sizeof(*tails));
	}
	if (!apsp_sums_row(result->sums[thread], batch->first + (uint32_t)i,
		    tails, row))
		return false;
	if (apsp_result_element(result) == APSP_ELEMENT_F32) {
		/* each float lies at or before the double that it comes from */
		for (size_t j = 0; j < n; j++) {
			float rounded = (float)row[j];

			memcpy((char *)row + j * sizeof(rounded), &rounded,
				sizeof(rounded));
		}
	}
	return true;
}

static void row_sum(void *ctx, unsigned int thread, size_t i)
{
	struct batch *batch = ctx;
	const struct apsp_result *result = batch->result;
	size_t size = result->config.lengths->n_vertices *
		      apsp_element_size(apsp_result_element(result));
	char *there = batch->distances + i * size;
	bool summed = batch->summed && batch->summed[i];

	if (summed && i != batch->again)
		return;
	if (!row_make(batch, thread, i))
		atomic_store(&batch->failed, true);
	else if (!summed)
		memcpy(there, result->row[thread], size);
	else if (memcmp(there, result->row[thread], size) != 0)
		atomic_store(&batch->differs, true);
}

/* Make the SUM distances that are not there, and one of those that are. */
static int rows_sum(struct apsp_result *result, uint32_t first, uint32_t n_rows,
	void *distances, const void *predecessors, const uint32_t *summed,
	struct apsp_err *err)
{
	struct batch batch = {.result = result,
		.first = first,
		.distances = distances,
		.predecessors = predecessors,
		.summed = summed,
		.again = NONE};

	for (uint32_t i = 0; summed && batch.again == NONE && i < n_rows; i++)
		if (summed[i])
			batch.again = i;
	apsp_parallel_for(n_rows, result->width, row_sum, &batch);
	if (atomic_load(&batch.failed))
		return apsp_fail(err, APSP_EPROOF,
			"the predecessors from the sources %u to %u are no "
			"trees of arcs",
			first, first + n_rows - 1);
	if (atomic_load(&batch.differs))
		return apsp_fail(err, APSP_EPROOF,
			"the path lengths from the source %u are not the sums "
			"of their arcs: the device computed them wrongly",
			first + batch.again);
	return 0;
}

/* V' = V'' - h(i) + h(j). False if one does not fit the element. */
static bool potentials_undo(const struct apsp_result *result, uint32_t first,
	uint32_t n_rows, void *v)
{
	const int64_t *h = result->config.integers->potentials;
	uint32_t n = result->config.lengths->n_vertices;
	bool fits = true;

	for (uint32_t r = 0; r < n_rows; r++) {
		int32_t *i32 = (int32_t *)v + (size_t)r * n;
		double *f64 = (double *)v + (size_t)r * n;
		int64_t from = h[first + r];

		for (uint32_t j = 0; j < n; j++)
			if (result->config.element == APSP_ELEMENT_F64) {
				f64[j] += (double)(h[j] - from);
			} else if (i32[j] < APSP_V_INFINITY_I32) {
				int64_t undone = i32[j] + h[j] - from;

				fits = fits && undone < APSP_V_INFINITY_I32 &&
				       undone > -APSP_V_INFINITY_I32;
				i32[j] = (int32_t)undone;
			}
	}
	return fits;
}

int apsp_result_rows(struct apsp_result *result, uint32_t first,
	uint32_t n_rows, void *distances, const void *predecessors,
	const uint32_t *summed, struct apsp_err *err)
{
	const struct apsp_integers *integers = result->config.integers;
	size_t n = result->config.lengths->n_vertices, cells = n_rows * n;
	int r = 0;

	if (integers->kind == APSP_DISTANCE_SUM)
		r = rows_sum(result, first, n_rows, distances, predecessors,
			summed, err);
	else if (integers->potentials &&
		 !potentials_undo(result, first, n_rows, distances))
		r = 1;
	if (r != 0)
		return r;
	r = apsp_table_writer_append(result->writer, APSP_SECTION_DISTANCE,
		distances,
		cells * apsp_element_size(apsp_result_element(result)), err);
	if (r < 0)
		return r;
	return apsp_table_writer_append(result->writer,
		APSP_SECTION_PREDECESSOR, predecessors,
		cells * apsp_element_size(
				apsp_predecessor_element((uint32_t)n)),
		err);
}

static int bits_write(struct apsp_result *result, enum apsp_section section,
	const struct apsp_bits *bits, struct apsp_err *err)
{
	return apsp_table_writer_append(result->writer, section, bits->words,
		bits->n_rows * bits->row_words * sizeof(*bits->words), err);
}

static int arcs_write(struct apsp_result *result, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = result->config.lengths;
	struct apsp_table_writer *writer = result->writer;
	size_t m = lengths->n_arcs;
	int r = apsp_table_writer_append(writer, APSP_SECTION_ARC_OFFSETS,
		lengths->offsets,
		((size_t)lengths->n_vertices + 1) * sizeof(*lengths->offsets),
		err);

	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_HEADS,
			lengths->heads, m * sizeof(*lengths->heads), err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_WEIGHTS,
			lengths->weights, m * sizeof(*lengths->weights), err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_LENGTHS,
			lengths->lengths, m * sizeof(*lengths->lengths), err);
	return r;
}

int apsp_result_finish(struct apsp_result *result,
	const struct apsp_bits *closure, const struct apsp_bits *on_cycle,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits transposed = {0};
	int r;

	r = bits_write(result, APSP_SECTION_CLOSURE, closure, err);
	if (r >= 0)
		r = apsp_bits_transpose(closure, &transposed, err);
	if (r >= 0)
		r = bits_write(result, APSP_SECTION_CLOSURE_TRANSPOSED,
			&transposed, err);
	if (r >= 0)
		r = bits_write(result, APSP_SECTION_ON_CYCLE, on_cycle, err);
	if (r >= 0)
		r = arcs_write(result, err);
	if (r >= 0)
		r = apsp_table_writer_finish(result->writer, err);
	return r;
}
