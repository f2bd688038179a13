/*
 * From rows of V to the table file; see result.h.
 */
#include "compute/result.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/table_writer.h"
#include "daemon/base/auto.h"

enum {
	ONES = 512, /* lengths that are written at a time */
};

struct apsp_result {
	struct apsp_result_config config;
	struct apsp_table_writer *writer;
	bool may_overflow; /* sums, and with them the distances' element */
};

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

/* Whether as many of the longest arcs as a path can have are too much. */
static bool sums_may_overflow(const struct apsp_result_config *config)
{
	const struct apsp_lengths *lengths = config->lengths;
	double longest = 0;

	if (config->integers->kind != APSP_DISTANCE_SUM)
		return false;
	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		longest = fmax(longest, fabs(lengths->lengths[e]));
	return !(longest * lengths->n_vertices <=
		 (distance_element(config) == APSP_ELEMENT_F32 ? FLT_MAX
							       : DBL_MAX));
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
	result->may_overflow = sums_may_overflow(config);
	strncpy(header.algorithm, config->algorithm,
		sizeof(header.algorithm) - 1);
	r = apsp_table_header_layout(&header, distance_element(config), err);
	if (r >= 0)
		r = apsp_table_writer_open(
			config->path, &header, &result->writer, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(result);
	return 0;
}

void apsp_result_free(struct apsp_result *result)
{
	if (!result)
		return;
	apsp_table_writer_free(result->writer);
	free(result);
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

static bool is_infinite(
	enum apsp_element element, const void *distances, size_t cell)
{
	return element == APSP_ELEMENT_F32
		       ? isinf(((const float *)distances)[cell])
		       : isinf(((const double *)distances)[cell]);
}

/* A path whose sum is past all numbers would read as none. */
static int sums_check(const struct apsp_result *result, size_t cells,
	const void *distances, const void *predecessors, struct apsp_err *err)
{
	enum apsp_element element = apsp_result_element(result);
	bool narrow =
		apsp_predecessor_element(result->config.lengths->n_vertices) ==
		APSP_ELEMENT_U16;

	for (size_t c = 0; c < cells; c++) {
		bool path = narrow ? ((const uint16_t *)predecessors)[c] !=
					     UINT16_MAX
				   : ((const uint32_t *)predecessors)[c] !=
					     UINT32_MAX;

		if (path && is_infinite(element, distances, c))
			return apsp_fail(err, APSP_EOVERFLOW,
				"a distance is past what %s",
				element == APSP_ELEMENT_F32
					? "float32 holds; ask for "
					  "precision=float64"
					: "float64 holds; scale the weights "
					  "down");
	}
	return 0;
}

int apsp_result_rows(struct apsp_result *result, uint32_t first,
	uint32_t n_rows, void *distances, const void *predecessors,
	struct apsp_err *err)
{
	const struct apsp_integers *integers = result->config.integers;
	size_t n = result->config.lengths->n_vertices, cells = n_rows * n;
	int r = 0;

	if (integers->kind != APSP_DISTANCE_SUM && integers->potentials &&
		!potentials_undo(result, first, n_rows, distances))
		return 1;
	if (result->may_overflow)
		r = sums_check(result, cells, distances, predecessors, err);
	if (r < 0)
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

/* Lengths that are all 1 are nowhere in memory. */
static int ones_write(
	struct apsp_table_writer *writer, uint64_t n, struct apsp_err *err)
{
	double ones[ONES];
	int r = 0;

	for (int i = 0; i < ONES; i++)
		ones[i] = 1;
	while (r >= 0 && n > 0) {
		uint64_t step = n < ONES ? n : ONES;

		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_LENGTHS,
			ones, step * sizeof(*ones), err);
		n -= step;
	}
	return r;
}

int apsp_result_arcs(struct apsp_result *result, struct apsp_err *err)
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
	if (r < 0)
		return r;
	if (!lengths->lengths)
		return ones_write(writer, m, err);
	return apsp_table_writer_append(writer, APSP_SECTION_ARC_LENGTHS,
		lengths->lengths, m * sizeof(*lengths->lengths), err);
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
		r = apsp_table_writer_finish(result->writer, err);
	return r;
}
