/*
 * Computes distances between groups; see group_distances.h. The table is read
 * row by row, in the order of the file. Rows of vertices that are in no group
 * of sources are skipped. If distances are rounded to float32, several pairs
 * may seem to have the least distance. The rows are then read again, and the
 * exact sums of these pairs alone are computed, because the sums of a whole row
 * take 20 times as long as its rounded distances.
 */
#include "storage/tables/group_distances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/tables.h"

enum {
	STEP_CELLS = 65536,
	/* computing one exact sum takes as long as reading this many cells */
	SUM_CELLS = 128,
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

	return 3 * n_vertices * sizeof(uint32_t) +
	       apsp_row_reader_bytes(tables, 0, false) +
	       apsp_row_reader_bytes(tables, n_vertices, true) +
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
	free(self->ties);
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
			pair->n_best = 0;
			pair->sum_of_best = INFINITY;
			pair->from = from;
			pair->to = to;
		}
		pair->n_best += value == pair->best;
		pair->n_reachable++;
		pair->sum += value;
	}
	return r;
}

static struct apsp_group_pair *pair_of(
	const struct apsp_group_distances *self, uint32_t from, uint32_t to)
{
	return self->pairs + (size_t)self->sources[from] * self->n_targets +
	       self->targets[to];
}

/* Read a row once more. If it has some of several pairs with the least
   distance, find the pairs whose exact sums are least. Add the cost of the sums
   to *cells. */
static int ties_settle(struct apsp_group_distances *self, uint32_t from,
	uint64_t *cells, struct apsp_err *err)
{
	APSP_AUTO(apsp_row_reader_end) struct apsp_row_reader *sums = NULL;
	const struct apsp_group_pair *pair;
	struct apsp_row row;
	size_t n_ties = 0;
	int r = apsp_row_reader_read(self->reader, from, &row, err);

	for (uint32_t to = 0; r == 0 && to < n_of(self); to++) {
		if (to == from || self->targets[to] == APSP_NO_GROUP)
			continue;
		pair = pair_of(self, from, to);
		if (pair->n_best > 1 && row.distance[to] == pair->best)
			self->ties[n_ties++] = to;
	}
	if (r < 0 || n_ties == 0)
		return r;
	*cells += n_ties < n_of(self) / 4
			  ? n_ties * SUM_CELLS
			  : (uint64_t)n_of(self) * (SUM_CELLS / 4);
	r = apsp_row_reader_new(self->tables, APSP_ROW_DISTANCE, self->ties,
		n_ties, &sums, err);
	if (r == 0)
		r = apsp_row_reader_read(sums, from, &row, err);
	for (size_t i = 0; r == 0 && i < n_ties; i++) {
		struct apsp_group_pair *best =
			pair_of(self, from, self->ties[i]);

		if (row.distance[i] >= best->sum_of_best)
			continue;
		best->sum_of_best = row.distance[i];
		best->from = from;
		best->to = self->ties[i];
	}
	return r;
}

/* All rows were read once. If distances are rounded, and several pairs of two
   groups have the least distance, prepare to read the rows again. */
static int ties_begin(struct apsp_group_distances *self, struct apsp_err *err)
{
	const struct apsp_table_header *header = &self->tables->header;
	size_t n_pairs = (size_t)self->n_sources * self->n_targets, i = 0;

	if (header->distance_kind != APSP_DISTANCE_SUM ||
		header->sections[APSP_SECTION_DISTANCE].element !=
			APSP_ELEMENT_F32)
		return 0;
	while (i < n_pairs && self->pairs[i].n_best <= 1)
		i++;
	if (i == n_pairs)
		return 0;
	self->ties = malloc(n_of(self) * sizeof(*self->ties));
	if (!self->ties)
		return apsp_fail(err, APSP_ENOMEM, "no memory for groups");
	self->row = 0;
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
		r = self->ties ? ties_settle(self, from, &cells, err)
			       : row_read(self, from, err);
		cells += n_of(self);
	}
	if (r == 0)
		r = apsp_tables_trust(self->tables, err);
	if (r == 0 && self->row == n_of(self) && !self->ties)
		r = ties_begin(self, err);
	return r < 0 ? r : self->row < n_of(self);
}
