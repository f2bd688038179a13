/*
 * Shortest paths; see path.h. The row of `from` in the predecessor table leads
 * from `to` back to `from`. The arrays are filled in this order, then reversed.
 */
#include "storage/tables/path.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"
#include "storage/tables/table_read.h"
#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

enum {
	FIRST_ROOM = 16, /* more arcs than most paths have */
};

void apsp_path_done(struct apsp_path *path)
{
	free(path->vertices);
	free(path->weights);
	free(path->lengths);
	memset(path, 0, sizeof(*path));
}

/* Allocate arrays for so many arcs. */
static int make_room(struct apsp_path *path, size_t hops, struct apsp_err *err)
{
	/* one more element each, so that an empty path has arrays, too */
	size_t n = hops + 1;
	uint32_t *vertices = realloc(path->vertices, n * sizeof(*vertices));
	double *weights, *lengths;

	if (vertices)
		path->vertices = vertices;
	weights = realloc(path->weights, n * sizeof(*weights));
	if (weights)
		path->weights = weights;
	lengths = realloc(path->lengths, n * sizeof(*lengths));
	if (lengths)
		path->lengths = lengths;
	if (!vertices || !weights || !lengths)
		return apsp_fail_errno(err, ENOMEM, "a path");
	return 0;
}

/* Append the vertex before v on the path. */
static int step(struct apsp_tables *tables, uint32_t from, uint32_t v,
	struct apsp_path *path, struct apsp_err *err)
{
	uint32_t tail, at = path->hops;
	int r;

	if ((uint64_t)at + 1 >= tables->header.n_vertices)
		return apsp_table_verify_condemn(
			tables, "predecessors go round in a circle", err);
	r = apsp_table_read_predecessor(tables, from, v, &tail, err);
	if (r < 0)
		return r;
	if (tail == APSP_NO_PREDECESSOR)
		return apsp_table_verify_condemn(
			tables, "a path does not begin at its source", err);
	apsp_table_read_fetch_arcs(tables, tail);
	path->vertices[at + 1] = tail;
	path->hops = at + 1;
	return 0;
}

static void reverse_numbers(double *numbers, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		double kept = numbers[i];

		numbers[i] = numbers[n - 1 - i];
		numbers[n - 1 - i] = kept;
	}
}

/* The path was walked from its end. */
static void reverse(struct apsp_path *path)
{
	uint32_t last = path->hops;

	for (uint32_t i = 0; i < (last + 1) / 2; i++) {
		uint32_t kept = path->vertices[i];

		path->vertices[i] = path->vertices[last - i];
		path->vertices[last - i] = kept;
	}
	reverse_numbers(path->weights, last);
	reverse_numbers(path->lengths, last);
}

/*
 * Walk back from `to`, then look up the arcs. The processor fetches the memory
 * of all of them during the walk.
 */
static int walk(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *path, struct apsp_err *err)
{
	size_t room = FIRST_ROOM;
	int r = make_room(path, room, err);

	if (r == 0)
		path->vertices[0] = to;
	while (r == 0 && path->vertices[path->hops] != from) {
		if (path->hops == room) {
			room *= 2;
			r = make_room(path, room, err);
		}
		if (r == 0)
			r = step(tables, from, path->vertices[path->hops], path,
				err);
	}
	for (uint32_t i = 0; i < path->hops && r == 0; i++)
		r = apsp_table_read_arc(tables, path->vertices[i + 1],
			path->vertices[i], &path->weights[i], &path->lengths[i],
			err);
	if (r == 0)
		reverse(path);
	return r;
}

/*
 * Check that the lengths of the path's arcs add up to the distance in the
 * table. For whole lengths the sum is exact. Real lengths are summed in float64
 * from the source on, and the table holds this sum, perhaps rounded to float32.
 */
static int check_sum(struct apsp_tables *tables, const struct apsp_cell *cell,
	struct apsp_path *path, struct apsp_err *err)
{
	double sum = 0;
	bool agrees;

	for (uint32_t i = 0; i < path->hops; i++)
		sum += path->lengths[i];
	if (tables->header.distance_kind == APSP_DISTANCE_SUM)
		agrees = apsp_table_read_holds(
			&tables->header, cell->distance, sum);
	else
		agrees = sum == cell->distance && cell->hops == path->hops;
	if (!agrees)
		return apsp_table_verify_condemn(
			tables, "a path does not add up to its distance", err);
	path->distance = sum;
	return 0;
}

int apsp_path_find(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	struct apsp_cell cell;
	int r;

	apsp_table_read_fetch(tables, from, to);
	r = apsp_lookup_cell(tables, from, to, &cell, err);
	if (r < 0)
		return r;
	if (cell.reachable) {
		path.reachable = true;
		r = walk(tables, from, to, &path, err);
		/* before the sum, which is wrong if a fault put zeros into
		   the mapping */
		if (r == 0)
			r = apsp_table_verify_trust(tables, err);
		if (r == 0)
			r = check_sum(tables, &cell, &path, err);
		if (r < 0)
			return r;
	}
	*out = APSP_TAKE(path);
	return 0;
}
