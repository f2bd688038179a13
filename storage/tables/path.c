/*
 * Shortest paths; see path.h. The row of `from` in the predecessor table leads
 * from `to` back to `from`; the arrays are filled from their ends.
 */
#include "storage/tables/path.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"
#include "storage/tables/table_read.h"
#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

void apsp_path_done(struct apsp_path *path)
{
	free(path->vertices);
	free(path->weights);
	free(path->lengths);
	memset(path, 0, sizeof(*path));
}

static int allocate(struct apsp_path *path, uint32_t hops, struct apsp_err *err)
{
	/* one more element each, so that an empty path has arrays too */
	size_t n = (size_t)hops + 1;

	path->vertices = calloc(n, sizeof(*path->vertices));
	path->weights = calloc(n, sizeof(*path->weights));
	path->lengths = calloc(n, sizeof(*path->lengths));
	path->hops = hops;
	if (!path->vertices || !path->weights || !path->lengths)
		return apsp_fail_errno(err, ENOMEM, "a path");
	return 0;
}

static int fail_changed(struct apsp_tables *tables, struct apsp_err *err)
{
	return apsp_table_verify_condemn(
		tables, "a path changed while it was walked", err);
}

/* Walk back from `to` arc by arc, filling the arrays from their ends. */
static int fill(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *path, struct apsp_err *err)
{
	uint32_t v = to;

	path->vertices[path->hops] = to;
	for (uint32_t i = path->hops; i > 0; i--) {
		uint32_t before;
		int r;

		r = apsp_table_read_predecessor(tables, from, v, &before, err);
		if (r < 0)
			return r;
		r = before == APSP_NO_PREDECESSOR
			    ? fail_changed(tables, err)
			    : apsp_table_read_arc(tables, before, v,
				      &path->weights[i - 1],
				      &path->lengths[i - 1], err);
		if (r < 0)
			return r;
		v = before;
		path->vertices[i - 1] = v;
	}
	return v == from ? 0 : fail_changed(tables, err);
}

/*
 * The lengths of the path's arcs must add up to the distance in the table.
 * Whole lengths do so exactly. Real lengths are summed in float64 from the
 * source on; the table holds this sum, perhaps rounded to float32.
 */
static int check_sum(struct apsp_tables *tables, const struct apsp_cell *cell,
	struct apsp_path *path, struct apsp_err *err)
{
	double sum = 0, magnitude = 0;
	bool agrees;

	for (uint32_t i = 0; i < path->hops; i++) {
		sum += path->lengths[i];
		magnitude += fabs(path->lengths[i]);
	}
	if (tables->header.distance_kind == APSP_DISTANCE_SUM)
		agrees = fabs(sum - cell->distance) <=
			 magnitude * 1e-6 + (double)FLT_MIN;
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
	uint32_t hops = 0;
	int r;

	r = apsp_lookup_cell(tables, from, to, &cell, err);
	if (r < 0)
		return r;
	if (cell.reachable) {
		path.reachable = true;
		r = apsp_table_read_hops(
			tables, from, to, UINT32_MAX, &hops, err);
		if (r == 0)
			r = allocate(&path, hops, err);
		if (r == 0)
			r = fill(tables, from, to, &path, err);
		/* first: zeros of a fault would make a wrong sum */
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
