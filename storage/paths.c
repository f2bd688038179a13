/*
 * Shortest paths out of the predecessor table; see tables.h.
 *
 *	predecessor row of `from`:  to → … → from, then written the right way
 *round
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/table_read.h"
#include "storage/table_verify.h"

void apsp_path_done(struct apsp_path *path)
{
	free(path->vertices);
	free(path->weights);
	free(path->lengths);
	memset(path, 0, sizeof(*path));
}

static int allocate(struct apsp_path *path, uint32_t hops, struct apsp_err *err)
{
	/* one more of each: an empty path has arrays too */
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
	return apsp_tables_condemn(
		tables, "a path changed while it was walked", err);
}

/* Walk back from `to` once more, arc by arc, into the arrays' ends. */
static int fill(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *path, struct apsp_err *err)
{
	uint32_t v = to;

	path->vertices[path->hops] = to;
	for (uint32_t i = path->hops; i > 0; i--) {
		uint32_t before;
		int r;

		r = apsp_tables_read_predecessor(tables, from, v, &before, err);
		if (r < 0)
			return r;
		r = before == APSP_NO_PREDECESSOR
			    ? fail_changed(tables, err)
			    : apsp_tables_read_arc(tables, before, v,
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
 * The path's arcs must say what the distance table says. Whole lengths add up
 * exactly. Real ones are summed here, in float64 from the source on; what is
 * stored is that sum in its own precision.
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
		return apsp_tables_condemn(
			tables, "a path does not add up to its distance", err);
	path->distance = sum;
	return 0;
}

int apsp_tables_path(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	struct apsp_cell cell;
	uint32_t hops = 0;
	int r;

	r = apsp_tables_cell(tables, from, to, &cell, err);
	if (r < 0)
		return r;
	if (cell.reachable) {
		path.reachable = true;
		r = apsp_tables_read_hops(
			tables, from, to, UINT32_MAX, &hops, err);
		if (r == 0)
			r = allocate(&path, hops, err);
		if (r == 0)
			r = fill(tables, from, to, &path, err);
		/* zeros of a fault must not be blamed on what is added up */
		if (r == 0)
			r = apsp_tables_trust(tables, err);
		if (r == 0)
			r = check_sum(tables, &cell, &path, err);
		if (r < 0)
			return r;
	}
	*out = APSP_TAKE(path);
	return 0;
}
