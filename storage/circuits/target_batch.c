/* Walks from all vertices to some targets; see target_batch.h. */
#include "storage/circuits/target_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

enum {
	LANES = APSP_TARGET_LANES,
};

/* Round a number of targets up to a multiple of LANES. */
static uint64_t stride_of(uint64_t n_targets)
{
	return (n_targets + LANES - 1) / LANES * LANES;
}

uint64_t apsp_target_batch_bytes(
	enum apsp_row_kind kind, uint64_t n_vertices, uint64_t n_targets)
{
	uint64_t cell =
		sizeof(double) +
		(kind == APSP_ROW_KIND_EXACT ? sizeof(apsp_path_cost) : 0);

	return stride_of(n_targets) * (n_vertices + 1) * cell;
}

int apsp_target_batch_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *arcs, enum apsp_row_kind kind,
	const uint32_t *targets, uint32_t n, struct apsp_target_batch *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_target_batch_done)
	struct apsp_target_batch batch = {
		.question = question,
		.arcs = arcs,
		.unit = apsp_path_cost_unit_of(arcs->unit.exponent, 0),
		.targets = targets,
		.n = n,
		.stride = (uint32_t)stride_of(n),
	};
	size_t cells = (size_t)arcs->n_vertices * batch.stride;
	bool good = true;

	if (kind == APSP_ROW_KIND_WALKS)
		good &= !!(batch.walks = calloc(cells, sizeof(*batch.walks)));
	else
		good &= !!(
			batch.values = malloc(cells * sizeof(*batch.values)));
	if (kind == APSP_ROW_KIND_EXACT)
		good &= !!(batch.exact = malloc(cells * sizeof(*batch.exact)));
	if (!good)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
	for (size_t i = 0; batch.values && i < cells; i++)
		batch.values[i] = INFINITY;
	*out = APSP_TAKE(batch);
	return 0;
}

void apsp_target_batch_done(struct apsp_target_batch *batch)
{
	free(batch->values);
	free(batch->exact);
	free(batch->walks);
	memset(batch, 0, sizeof(*batch));
}

/* Reverse a set of numbers of arcs: bit k becomes bit n − k. A walk of n arcs
   through a vertex has n − k arcs before the vertex and k arcs after it. So one
   AND of the set of the numbers before and the reversed set of the numbers
   after shows whether there is such a walk. */
static uint64_t reversed(uint64_t walks, uint32_t n)
{
	uint64_t out = 0;

	for (uint32_t k = 0; k <= n; k++)
		out |= (walks >> k & 1) << (n - k);
	return out;
}

void apsp_target_batch_store(struct apsp_target_batch *batch, uint32_t j,
	const struct apsp_exact_row *row)
{
	for (uint32_t v = 0; v < batch->arcs->n_vertices; v++) {
		size_t cell = (size_t)v * batch->stride + j;

		if (batch->walks)
			batch->walks[cell] = reversed(
				row->walks[v], batch->question->n_arcs);
		else
			batch->values[cell] = row->value[v];
		if (batch->exact)
			batch->exact[cell] = row->exact[v];
	}
}
