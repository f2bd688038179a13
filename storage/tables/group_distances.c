/*
 * Computes distances between groups; see group_distances.h. The table is read
 * row by row, in the order of the file. Rows of vertices that are in no group
 * of sources are skipped.
 */
#include "storage/tables/group_distances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/tables.h"

enum {
	STEP_CELLS = 65536,
};

static uint32_t n_of(const struct apsp_group_distances *self)
{
	return (uint32_t)self->tables->header.n_vertices;
}

uint64_t apsp_group_distances_bytes(const struct apsp_tables *tables,
	uint32_t n_sources, uint32_t n_targets)
{
	uint64_t n_vertices = tables->header.n_vertices;
	uint64_t n_pairs = (uint64_t)n_sources * n_targets;

	return 2 * n_vertices * sizeof(uint32_t) +
	       apsp_row_reader_bytes(tables, 0, false) +
	       ((uint64_t)n_sources + n_targets) * sizeof(uint64_t) +
	       n_pairs * sizeof(struct apsp_group_pair);
}

/* For each pair of a group of sources and a group of targets, set n_pairs to
   the number of pairs of a source and a different target. */
static int pairs_count(struct apsp_group_distances *self, struct apsp_err *err)
{
	/* number of vertices of each group of sources, and after these the
	   number of vertices of each group of targets */
	APSP_AUTO(apsp_free) uint64_t *sizes = NULL;
	uint64_t *target_sizes; /* the elements of `sizes` for the groups of
				   targets */
	struct apsp_group_pair *pair = self->pairs;

	sizes = calloc(
		(size_t)self->n_sources + self->n_targets + 1, sizeof(*sizes));
	if (!sizes)
		return apsp_fail(err, APSP_ENOMEM, "no memory for groups");
	target_sizes = sizes + self->n_sources;
	for (uint32_t v = 0; v < n_of(self); v++) {
		uint32_t s = self->sources[v], t = self->targets[v];

		if (s != APSP_NO_GROUP)
			sizes[s]++;
		if (t != APSP_NO_GROUP)
			target_sizes[t]++;
		/* Subtract the pair (v, v), because a vertex does not form a
		   pair with itself. n_pairs is unsigned, so it may wrap around
		   until the products of sizes are added. */
		if (s != APSP_NO_GROUP && t != APSP_NO_GROUP)
			pair[(size_t)s * self->n_targets + t].n_pairs--;
	}
	for (uint32_t s = 0; s < self->n_sources; s++)
		for (uint32_t t = 0; t < self->n_targets; t++)
			(pair++)->n_pairs += sizes[s] * target_sizes[t];
	return 0;
}

int apsp_group_distances_begin(struct apsp_tables *tables, uint32_t *sources,
	uint32_t n_sources, uint32_t *targets, uint32_t n_targets,
	struct apsp_group_distances *out, struct apsp_err *err)
{
	int r;

	*out = (struct apsp_group_distances){
		.tables = tables,
		.sources = sources,
		.targets = targets,
		.n_sources = n_sources,
		.n_targets = n_targets,
		.pairs = calloc((size_t)n_sources * n_targets + 1,
			sizeof(struct apsp_group_pair)),
	};
	if (!out->pairs)
		return apsp_fail(err, APSP_ENOMEM, "no memory for groups");
	r = apsp_row_reader_new(tables,
		apsp_table_has_widths(&tables->header)
			? APSP_ROW_WIDTH
			: APSP_ROW_DISTANCE | APSP_ROW_ROUNDED,
		NULL, 0, &out->reader, err);
	return r < 0 ? r : pairs_count(out, err);
}

void apsp_group_distances_done(struct apsp_group_distances *self)
{
	free(self->sources);
	free(self->targets);
	free(self->pairs);
	apsp_row_reader_free(self->reader);
	memset(self, 0, sizeof(*self));
}

static int row_read(
	struct apsp_group_distances *self, uint32_t from, struct apsp_err *err)
{
	struct apsp_group_pair *pairs =
		self->pairs + (size_t)self->sources[from] * self->n_targets;
	struct apsp_group_pair *pair;
	struct apsp_row row;
	int r = apsp_row_reader_read(self->reader, from, &row, err);

	for (uint32_t to = 0; r == 0 && to < n_of(self); to++) {
		double value = row.width ? row.width[to] : row.distance[to];

		if (to == from || self->targets[to] == APSP_NO_GROUP ||
			value == (row.width ? 0 : (double)INFINITY))
			continue;
		pair = &pairs[self->targets[to]];
		if (pair->n_reachable == 0 ||
			(row.width ? value > pair->best : value < pair->best)) {
			pair->best = value;
			pair->from = from;
			pair->to = to;
		}
		pair->n_reachable++;
		pair->sum += value;
	}
	return r;
}

int apsp_group_distances_step(
	struct apsp_group_distances *self, struct apsp_err *err)
{
	uint64_t cells = 0;
	int r = 0;

	while (r == 0 && self->row < n_of(self) && cells < STEP_CELLS) {
		uint32_t from = self->row++;

		if (self->sources[from] == APSP_NO_GROUP) {
			cells += 64;
			continue;
		}
		r = row_read(self, from, err);
		cells += n_of(self);
	}
	if (r == 0)
		r = apsp_tables_trust(self->tables, err);
	return r < 0 ? r : self->row < n_of(self);
}
