/*
 * Dijkstra's rows as elements of V; see host_solve.h.
 */
#include "compute/host_solve.h"

#include <math.h>
#include <stdlib.h>

#include "compute/footprint.h"
#include "compute/readback.h"
#include "compute/reference.h"
#include "compute/sums.h"
#include "daemon/base/auto.h"

struct row {
	int64_t *v;
	uint32_t *tails;
	void *elements; /* v as the element, or the sums instead */
	void *vertices; /* tails as the predecessor's element */
};

APSP_AUTO_DEFINE(reference_free, struct apsp_reference, apsp_reference_free);
APSP_AUTO_DEFINE(sums_free, struct apsp_sums, apsp_sums_free);

static void row_done(struct row *row)
{
	free(row->v);
	free(row->tails);
	free(row->elements);
	free(row->vertices);
}

static int row_init(struct row *row, size_t n, struct apsp_err *err)
{
	row->v = malloc(n * sizeof(*row->v));
	row->tails = malloc(n * sizeof(*row->tails));
	row->elements = malloc(n * sizeof(double));
	row->vertices = malloc(n * sizeof(uint32_t));
	if (!row->v || !row->tails || !row->elements || !row->vertices)
		return apsp_fail(err, APSP_ENOMEM, "solve on the host");
	return 0;
}

static int64_t infinity_of(enum apsp_element element)
{
	if (element == APSP_ELEMENT_U16)
		return APSP_V_INFINITY_U16;
	if (element == APSP_ELEMENT_I32)
		return APSP_V_INFINITY_I32;
	return INT64_C(1) << 53;
}

/* Whether the row holds under the width and scale that are being tried. */
static bool row_fits(const struct row *row, uint32_t source, uint32_t n,
	const struct apsp_integers *integers, enum apsp_element element)
{
	bool scaled =
		integers->kind == APSP_DISTANCE_SCALED && !integers->potentials;

	for (uint32_t j = 0; j < n; j++) {
		if (row->v[j] == APSP_REFERENCE_INFINITY)
			continue;
		if (row->v[j] >= infinity_of(element))
			return false;
		if (scaled && j != source && row->v[j] % integers->scale == 0)
			return false;
	}
	return true;
}

static void row_convert(
	const struct row *row, uint32_t n, enum apsp_element element)
{
	bool narrow = apsp_predecessor_element(n) == APSP_ELEMENT_U16;

	apsp_element_store(element, row->v, n, row->elements);
	for (uint32_t j = 0; j < n; j++) {
		if (element == APSP_ELEMENT_F64 &&
			row->v[j] == APSP_REFERENCE_INFINITY)
			((double *)row->elements)[j] = INFINITY;
		if (narrow)
			((uint16_t *)row->vertices)[j] =
				(uint16_t)row->tails[j];
		else
			((uint32_t *)row->vertices)[j] = row->tails[j];
	}
}

int apsp_host_solve_run(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_err *err)
{
	APSP_AUTO(reference_free) struct apsp_reference *reference = NULL;
	APSP_AUTO(sums_free) struct apsp_sums *sums = NULL;
	APSP_AUTO(row_done) struct row row = {0};
	uint32_t n = lengths->n_vertices;
	int r;

	r = apsp_reference_new(lengths, integers, &reference, err);
	if (r >= 0)
		r = row_init(&row, n, err);
	if (r >= 0 && apsp_result_lengths(result))
		r = apsp_sums_open(
			lengths, NULL, apsp_result_element(result), &sums, err);
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		apsp_monitor_stage(monitor, APSP_STAGE_DISTANCE);
		apsp_reference_row(reference, i, row.v, row.tails);
		if (!row_fits(&row, i, n, integers, element))
			return APSP_VERDICT_TOO_NARROW;
		row_convert(&row, n, element);
		apsp_monitor_stage(monitor, APSP_STAGE_WRITE);
		if (sums)
			r = apsp_sums_rows(sums, i, 1, row.vertices, NULL,
				row.elements, err);
		if (r == 0)
			r = apsp_result_rows(
				result, i, 1, row.elements, row.vertices, err);
		if (r == 0)
			r = apsp_monitor_step(
				monitor, (double)(i + 1) / n, err);
	}
	return r;
}
