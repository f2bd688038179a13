/*
 * Distances between groups; see group_distances.h. The table is read row by
 * row, in the order of the file. Rows of vertices without a group are skipped.
 */
#include "storage/tables/group_distances.h"

#include <stdlib.h>
#include <string.h>

#include "storage/tables/table_read.h"
#include "storage/tables/table_verify.h"

enum {
	STEP_CELLS = 65536,
};

static uint32_t n_of(const struct apsp_group_distances *self)
{
	return (uint32_t)apsp_tables_header(self->tables)->n_vertices;
}

uint64_t apsp_group_distances_bytes(const struct apsp_tables *tables,
	uint32_t n_sources, uint32_t n_targets)
{
	uint64_t n_vertices = apsp_tables_header(tables)->n_vertices;
	uint64_t n_pairs = (uint64_t)n_sources * n_targets;

	return 2 * n_vertices * sizeof(uint32_t) +
	       ((uint64_t)n_sources + n_targets) * sizeof(uint64_t) +
	       n_pairs * (sizeof(uint64_t) + sizeof(struct apsp_group_pair));
}

static void sizes_count(struct apsp_group_distances *self)
{
	for (uint32_t v = 0; v < n_of(self); v++) {
		uint32_t s = self->sources[v], t = self->targets[v];

		if (s != APSP_NO_GROUP)
			self->source_sizes[s]++;
		if (t != APSP_NO_GROUP)
			self->target_sizes[t]++;
		if (s != APSP_NO_GROUP && t != APSP_NO_GROUP)
			self->both[(size_t)s * self->n_targets + t]++;
	}
}

int apsp_group_distances_begin(struct apsp_tables *tables, uint32_t *sources,
	uint32_t n_sources, uint32_t *targets, uint32_t n_targets,
	struct apsp_group_distances *out, struct apsp_err *err)
{
	size_t n = (size_t)n_sources * n_targets;

	*out = (struct apsp_group_distances){
		.tables = tables,
		.sources = sources,
		.targets = targets,
		.n_sources = n_sources,
		.n_targets = n_targets,
		.source_sizes = calloc(n_sources + 1, sizeof(uint64_t)),
		.target_sizes = calloc(n_targets + 1, sizeof(uint64_t)),
		.both = calloc(n + 1, sizeof(uint64_t)),
		.pairs = calloc(n + 1, sizeof(struct apsp_group_pair)),
	};
	if (!out->source_sizes || !out->target_sizes || !out->both ||
		!out->pairs)
		return apsp_fail(err, APSP_ENOMEM, "no memory for groups");
	sizes_count(out);
	return 0;
}

void apsp_group_distances_done(struct apsp_group_distances *self)
{
	free(self->sources);
	free(self->targets);
	free(self->source_sizes);
	free(self->target_sizes);
	free(self->both);
	free(self->pairs);
	memset(self, 0, sizeof(*self));
}

static void pair_add(struct apsp_group_pair *pair, uint32_t from, uint32_t to,
	double distance)
{
	if (pair->n_reachable == 0 || distance < pair->least) {
		pair->least = distance;
		pair->from = from;
		pair->to = to;
	}
	pair->n_reachable++;
	pair->sum += distance;
}

static int row_read(
	struct apsp_group_distances *self, uint32_t from, struct apsp_err *err)
{
	struct apsp_group_pair *pairs =
		self->pairs + (size_t)self->sources[from] * self->n_targets;
	struct apsp_cell cell;
	int r;

	for (uint32_t to = 0; to < n_of(self); to++) {
		if (to == from || self->targets[to] == APSP_NO_GROUP)
			continue;
		r = apsp_table_read_cell(self->tables, from, to, &cell, err);
		if (r < 0)
			return r;
		if (cell.reachable)
			pair_add(&pairs[self->targets[to]], from, to,
				cell.distance);
	}
	return 0;
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
		r = apsp_table_verify_trust(self->tables, err);
	return r < 0 ? r : self->row < n_of(self);
}

uint64_t apsp_group_distances_count(const struct apsp_group_distances *self,
	uint32_t source, uint32_t target)
{
	return self->source_sizes[source] * self->target_sizes[target] -
	       self->both[(size_t)source * self->n_targets + target];
}
