/* Finds numbers of arcs of walks; see walk_row.h. */
#include "storage/circuits/walk_row.h"

#include <stdlib.h>
#include <string.h>

int apsp_walk_row_init(const struct apsp_adjacency *arcs, bool backward,
	struct apsp_walk_row *out, struct apsp_err *err)
{
	*out = (struct apsp_walk_row){
		.backward = backward,
		.arcs = arcs,
		.walks = malloc(
			((size_t)arcs->n_vertices + 1) * sizeof(*out->walks)),
	};
	return out->walks
		       ? 0
		       : apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
}

void apsp_walk_row_done(struct apsp_walk_row *row)
{
	free(row->walks);
	memset(row, 0, sizeof(*row));
}

void apsp_walk_row_start(
	struct apsp_walk_row *row, uint32_t root, uint32_t max_arcs)
{
	memset(row->walks, 0, row->arcs->n_vertices * sizeof(*row->walks));
	row->walks[root] = 1;
	row->max_arcs = max_arcs;
	row->length = 0;
	row->next = 0;
}

/* Add each arc out of v to the walks of `length` arcs that end at v. If
   `backward` is true, add each arc into v to the walks that begin at v. */
static uint64_t grow(struct apsp_walk_row *row, uint32_t v)
{
	const struct apsp_adjacency *arcs = row->arcs;
	const uint64_t *offsets =
		row->backward ? arcs->in_offsets : arcs->out_offsets;
	const uint32_t *vertices = row->backward ? arcs->tails : arcs->heads;
	uint64_t longer = UINT64_C(2) << row->length;

	for (uint64_t i = offsets[v]; i < offsets[v + 1]; i++)
		row->walks[vertices[i]] |= longer;
	return offsets[v + 1] - offsets[v];
}

bool apsp_walk_row_step(
	struct apsp_walk_row *row, struct apsp_circuit_work *work)
{
	for (; row->length < row->max_arcs; row->length++) {
		for (; row->next < row->arcs->n_vertices; row->next++) {
			if (apsp_circuit_work_turn_over(work))
				return true;
			work->n_steps++;
			if (row->walks[row->next] >> row->length & 1)
				work->n_steps += grow(row, row->next);
		}
		row->next = 0;
	}
	return false;
}
