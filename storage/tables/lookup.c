/*
 * Looks up paths and single bits; see lookup.h. The predecessors in the row of
 * `from` lead from `to` back to `from`.
 */
#include "storage/tables/lookup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

void apsp_path_done(struct apsp_path *path)
{
	free(path->vertices);
	free(path->weights);
	free(path->lengths);
	memset(path, 0, sizeof(*path));
}

/*
 * Walk back from `to` along the predecessors, then look up the arcs of the
 * path.
 */
static int walk(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *path, struct apsp_err *err)
{
	static const struct apsp_array_growth growth = {
		sizeof(*path->vertices), 16, "a path", NULL};
	size_t capacity = 0, n;
	uint32_t v = to;
	int r;

	for (;; path->hops++) {
		r = apsp_array_reserve(&path->vertices, path->hops + 1,
			&capacity, &growth, err);
		if (r < 0)
			return r;
		path->vertices[path->hops] = v;
		if (v == from)
			break;
		if ((uint64_t)path->hops + 1 >= tables->header.n_vertices)
			return apsp_tables_condemn(tables,
				"predecessors go round in a circle", err);
		r = apsp_table_read_predecessor(tables, from, v, &v, err);
		if (r < 0)
			return r;
		if (v == APSP_NO_PREDECESSOR)
			return apsp_tables_condemn(tables,
				"a path does not begin at its source", err);
	}
	for (uint32_t i = 0, last = path->hops; i < last; i++, last--) {
		v = path->vertices[i];
		path->vertices[i] = path->vertices[last];
		path->vertices[last] = v;
	}
	/* Allocate one element more than the path has arcs. Otherwise malloc()
	   may return NULL for a path without arcs, as if memory were short. */
	n = (size_t)path->hops + 1;
	path->weights = malloc(n * sizeof(*path->weights));
	path->lengths = malloc(n * sizeof(*path->lengths));
	if (!path->weights || !path->lengths)
		return apsp_fail_errno(err, ENOMEM, "a path");
	for (uint32_t i = 0; i < path->hops && r == 0; i++)
		r = apsp_table_read_last_arc(tables, from, path->vertices[i],
			path->vertices[i + 1], &path->weights[i],
			&path->lengths[i], err);
	return r;
}

/* Add the lengths of the path's arcs, from the source on. */
static double path_sum(const struct apsp_path *path)
{
	double sum = 0;

	for (uint32_t i = 0; i < path->hops; i++)
		sum += path->lengths[i];
	return sum;
}

/*
 * Check that the lengths of the path's arcs add up to the distance in the
 * table. If lengths are whole numbers, the sum is exact. Real lengths are added
 * in float64 from the source on, and the table holds this sum or the sum
 * rounded to float32.
 */
static int check_sum(struct apsp_tables *tables, const struct apsp_cell *cell,
	struct apsp_path *path, struct apsp_err *err)
{
	double sum = path_sum(path);
	bool agrees;

	if (tables->header.distance_kind == APSP_DISTANCE_SUM)
		agrees = apsp_table_read_holds(
			&tables->header, cell->distance, sum);
	else
		agrees = sum == cell->distance && cell->hops == path->hops;
	if (!agrees)
		return apsp_tables_condemn(
			tables, "a path does not add up to its distance", err);
	path->distance = sum;
	return 0;
}

int apsp_lookup_along(struct apsp_tables *tables, const uint32_t *vertices,
	uint32_t n_arcs, struct apsp_path *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done)
	struct apsp_path path = {.reachable = true, .hops = n_arcs};
	size_t n = (size_t)n_arcs + 1;
	int r = 0;

	path.vertices = malloc(n * sizeof(*path.vertices));
	path.weights = malloc(n * sizeof(*path.weights));
	path.lengths = malloc(n * sizeof(*path.lengths));
	if (!path.vertices || !path.weights || !path.lengths)
		return apsp_fail_errno(err, ENOMEM, "a path");
	memcpy(path.vertices, vertices, n * sizeof(*vertices));
	path.is_widest = apsp_table_has_widths(&tables->header);
	path.width = path.is_widest ? (double)INFINITY : 0;
	for (uint32_t i = 0; i < n_arcs && r == 0; i++) {
		r = apsp_table_read_arc(tables, vertices[i], vertices[i + 1],
			&path.weights[i], &path.lengths[i], err);
		if (r == 0 && path.is_widest)
			r = apsp_pair_width_of_rank(
				tables, path.lengths[i], &path.lengths[i], err);
		if (path.is_widest)
			path.width = fmin(path.width, path.lengths[i]);
	}
	if (r < 0)
		return r;
	if (!path.is_widest)
		path.distance = path_sum(&path);
	*out = APSP_TAKE(path);
	return 0;
}

int apsp_lookup_by_component(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_err *err)
{
	uint32_t components[2];
	const uint32_t vertices[2] = {from, to};
	int r = 0;

	for (int i = 0; r == 0 && i < 2; i++)
		r = apsp_table_read_copy(tables, APSP_SECTION_COMPONENT,
			vertices[i] * sizeof(uint32_t), sizeof(uint32_t),
			&components[i], err);
	if (r < 0)
		return r;
	return components[0] == components[1]  ? APSP_REACHABLE
	       : components[0] > components[1] ? APSP_UNREACHABLE
					       : APSP_UNDECIDED;
}

/* Find out whether there is a path from → to, in a file that holds no
   distances. */
static int path_exists(struct apsp_tables *tables, uint32_t from, uint32_t to,
	bool *out, struct apsp_err *err)
{
	uint32_t before = from;
	int r = from != to && apsp_table_on_demand(&tables->header)
			? apsp_lookup_by_component(tables, from, to, err)
			: 0;

	if (r == APSP_UNREACHABLE) {
		*out = false;
		return 0;
	}
	if (r >= 0 && from != to)
		r = apsp_table_read_predecessor(tables, from, to, &before, err);
	*out = before != APSP_NO_PREDECESSOR;
	return r;
}

int apsp_lookup_path(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	bool held = apsp_table_holds(&tables->header, APSP_SECTION_DISTANCE);
	struct apsp_cell cell = {0};
	int r;

	if (held)
		r = apsp_table_read_cell(tables, from, to, &cell, err);
	else
		r = path_exists(tables, from, to, &cell.reachable, err);
	if (r < 0)
		return r;
	path.reachable = cell.reachable;
	if (path.reachable)
		r = walk(tables, from, to, &path, err);
	/* check for damage before the sum: where the file cannot be read,
	   the mapping has zeros, which would make the sum wrong */
	if (r == 0)
		r = apsp_tables_trust(tables, err);
	if (r == 0 && path.reachable && held)
		r = check_sum(tables, &cell, &path, err);
	else if (r == 0)
		path.distance = path_sum(&path);
	if (r < 0)
		return r;
	*out = APSP_TAKE(path);
	return 0;
}

int apsp_lookup_cell(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_cell *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	bool sums = tables->header.distance_kind == APSP_DISTANCE_SUM;
	int r;

	if (apsp_table_holds(&tables->header, APSP_SECTION_DISTANCE))
		return apsp_table_read_cell(tables, from, to, out, err);
	r = apsp_lookup_path(tables, from, to, &path, err);
	*out = (struct apsp_cell){.reachable = path.reachable,
		.distance =
			apsp_table_read_rounded(&tables->header, path.distance),
		.hops = sums && from != to ? -1 : (int64_t)path.hops};
	return r;
}

static int read_bit(struct apsp_tables *tables, enum apsp_section section,
	uint32_t row, uint32_t column, bool *out, struct apsp_err *err)
{
	uint64_t word;
	int r;

	r = apsp_table_read_bits(tables, section, row, column / 64, &word, err);
	if (r == 0)
		r = apsp_tables_trust(tables, err);
	if (r < 0)
		return r;
	*out = word >> column % 64 & 1;
	return 0;
}

int apsp_lookup_reachable(struct apsp_tables *tables, uint32_t from,
	uint32_t to, bool *out, struct apsp_err *err)
{
	if (apsp_table_on_demand(&tables->header)) {
		int r = apsp_lookup_by_component(tables, from, to, err);

		*out = r == APSP_REACHABLE;
		if (r != APSP_UNDECIDED)
			return r < 0 ? r : 0;
	}
	return read_bit(tables, APSP_SECTION_CLOSURE, from, to, out, err);
}

int apsp_lookup_on_cycle(
	struct apsp_tables *tables, uint32_t v, bool *out, struct apsp_err *err)
{
	return read_bit(tables, APSP_SECTION_ON_CYCLE, 0, v, out, err);
}

int apsp_lookup_neighbourhood(struct apsp_tables *tables, uint32_t v,
	struct apsp_neighbourhood *out, struct apsp_err *err)
{
	uint32_t n = (uint32_t)tables->header.n_vertices;
	struct apsp_neighbourhood found = {.first = v};
	uint64_t row, column;
	int r = 0;

	for (uint32_t w = 0; w < (n + 63) / 64; w++) {
		r = apsp_table_read_bits(
			tables, APSP_SECTION_CLOSURE, v, w, &row, err);
		if (r == 0)
			r = apsp_table_read_bits(tables,
				APSP_SECTION_CLOSURE_TRANSPOSED, v, w, &column,
				err);
		if (r < 0)
			return r;
		if (found.n_component == 0 && (row & column))
			found.first = w * 64 +
				      (uint32_t)__builtin_ctzll(row & column);
		found.n_reached += (uint32_t)__builtin_popcountll(row);
		found.n_reaching += (uint32_t)__builtin_popcountll(column);
		found.n_component +=
			(uint32_t)__builtin_popcountll(row & column);
	}
	r = apsp_tables_trust(tables, err);
	if (r == 0 && found.first >= n)
		return apsp_tables_condemn(
			tables, "a closure row has a bit past its end", err);
	if (r == 0)
		*out = found;
	return r;
}
