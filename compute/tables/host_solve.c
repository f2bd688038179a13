/*
 * Dijkstra's rows as elements of V; see host_solve.h.
 */
#include "compute/tables/host_solve.h"

#include <stdlib.h>

#include "compute/graph/integers.h"
#include "compute/graph/v_element.h"
#include "compute/plan/footprint.h"
#include "compute/tables/reference.h"
#include "compute/tables/sums.h"
#include "daemon/base/auto.h"

struct row {
	int64_t *v;
	uint32_t *tails;
	void *elements; /* v as the element, or the sums instead */
	void *vertices; /* tails as the predecessor's element */
};

APSP_AUTO_DEFINE(reference_auto, struct apsp_reference, apsp_reference_free);
APSP_AUTO_DEFINE(sums_auto, struct apsp_sums, apsp_sums_free);

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

/* Whether the row fits the width and scale of this attempt. */
static bool row_fits(const struct row *row, uint32_t source, uint32_t n,
	const struct apsp_integers *integers, enum apsp_element element)
{
	bool scaled =
		integers->kind == APSP_DISTANCE_SCALED && !integers->potentials;
	int64_t infinity = apsp_v_element_infinity(element);

	for (uint32_t j = 0; j < n; j++) {
		if (row->v[j] == APSP_REFERENCE_INFINITY)
			continue;
		if (row->v[j] >= infinity)
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

	apsp_v_element_store(element, row->v, n, row->elements);
	for (uint32_t j = 0; j < n; j++) {
		if (narrow)
			((uint16_t *)row->vertices)[j] =
				(uint16_t)row->tails[j];
		else
			((uint32_t *)row->vertices)[j] = row->tails[j];
	}
}

int apsp_host_solve_run(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_progress *progress, struct apsp_table_rows *rows,
	struct apsp_err *err)
{
	APSP_AUTO(reference_auto) struct apsp_reference *reference = NULL;
	APSP_AUTO(sums_auto) struct apsp_sums *sums = NULL;
	APSP_AUTO(row_done) struct row row = {0};
	uint32_t n = lengths->n_vertices;
	int r;

	r = apsp_reference_new(lengths, integers, &reference, err);
	if (r >= 0)
		r = row_init(&row, n, err);
	if (r >= 0 && apsp_table_rows_lengths(rows))
		r = apsp_sums_open(lengths, NULL, apsp_table_rows_element(rows),
			apsp_table_rows_team(rows), &sums, err);
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		apsp_progress_stage(progress, APSP_STAGE_DISTANCE);
		apsp_reference_row(reference, i, row.v, row.tails);
		if (!row_fits(&row, i, n, integers, element))
			return APSP_VERDICT_TOO_NARROW;
		row_convert(&row, n, element);
		apsp_progress_stage(progress, APSP_STAGE_WRITE);
		if (sums)
			r = apsp_sums_rows(sums, i, 1, row.vertices, NULL,
				row.elements, err);
		if (r == 0)
			r = apsp_table_rows_append(rows,
				&(struct apsp_row_strip){.first = i,
					.n_rows = 1,
					.distances = row.elements,
					.predecessors = row.vertices},
				err);
		if (r == 0)
			r = apsp_progress_step(
				progress, (double)(i + 1) / n, err);
	}
	return r;
}
