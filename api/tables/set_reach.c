/*
 * Find the vertices that a set of vertices reaches; see set_reach.h.
 */
#include "api/tables/set_reach.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/bit_set.h"

void apsp_set_reach_done(struct apsp_set_reach *reach)
{
	apsp_vertex_set_done(&reach->starts);
	apsp_vertex_match_done(&reach->among);
	apsp_arc_range_done(&reach->range);
	apsp_row_reader_free(reach->rows);
	free(reach->vertices);
	free(reach->steps);
	free(reach->distance);
	free(reach->nearest);
	memset(reach, 0, sizeof(*reach));
}

int apsp_set_reach_begin(struct apsp_set_reach *reach,
	const struct apsp_adjacency *arcs, struct apsp_err *err)
{
	uint64_t bytes = apsp_arc_range_bytes(arcs->n_vertices);
	int r = apsp_share_grow(reach->share, bytes, "the search", err);

	if (r < 0)
		return r;
	r = apsp_arc_range_begin(arcs, reach->starts.vertices, reach->starts.n,
		reach->direction, reach->max_hops, &reach->range, err);
	if (r < 0)
		apsp_share_shrink(reach->share, bytes);
	return r;
}

/* Store the found vertices that are in `among`, in ascending order, with their
   steps. */
static int found_sort(struct apsp_set_reach *reach, struct apsp_err *err)
{
	struct apsp_arc_range *range = &reach->range;
	uint32_t n_vertices = range->arcs->n_vertices, *vertices, *steps;
	uint64_t bytes = (uint64_t)n_vertices * 2 * sizeof(uint32_t);
	size_t n = 0;
	int r = apsp_share_grow(reach->share, bytes, "the answer", err);

	if (r < 0)
		return r;
	vertices = malloc(((size_t)n_vertices + 1) * sizeof(*vertices));
	steps = malloc(((size_t)n_vertices + 1) * sizeof(*steps));
	if (!vertices || !steps) {
		free(vertices);
		free(steps);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a set");
	}
	for (uint32_t v = 0; v < n_vertices; v++) {
		if (!apsp_bit_set_has(range->within, v) ||
			!apsp_vertex_match_has(&reach->among, v))
			continue;
		vertices[n] = v;
		steps[n++] = range->away[v];
	}
	reach->vertices = vertices;
	reach->steps = steps;
	reach->n = n;
	apsp_arc_range_done(range);
	apsp_share_shrink(reach->share, apsp_arc_range_bytes(n_vertices));
	return 0;
}

int apsp_set_reach_search(struct apsp_set_reach *reach, struct apsp_err *err)
{
	if (apsp_arc_range_step(&reach->range) > 0)
		return 1;
	return found_sort(reach, err);
}

/* Whether distances are read from columns. If a graph has no tables, only
   columns give the distances from all vertices to a few vertices. */
static bool is_by_columns(
	const struct apsp_set_reach *reach, const struct apsp_reading *reading)
{
	return reach->direction == APSP_DIRECTION_IN &&
	       apsp_table_on_demand(&reading->tables->header);
}

int apsp_set_reach_distances(struct apsp_request *req,
	struct apsp_set_reach *reach, struct apsp_reading *reading,
	struct apsp_err *err)
{
	bool in = reach->direction == APSP_DIRECTION_IN;
	const uint32_t *targets = in ? reach->starts.vertices : reach->vertices;
	size_t n_targets = in ? reach->starts.n : reach->n;
	uint64_t cells = (uint64_t)reach->n * reach->starts.n, bytes;
	unsigned int values;
	int r;

	if (cells > APSP_REACH_CELLS_MAX)
		return apsp_fail(err, APSP_ETOOLARGE,
			"%zu vertices of the set and %zu vertices that were "
			"found make %" PRIu64
			" distances, but an answer reads %d at most; choose "
			"fewer vertices, or set max_hops, or ask without "
			"distances",
			reach->starts.n, reach->n, cells, APSP_REACH_CELLS_MAX);
	if (cells == 0)
		return 0;
	r = apsp_reading_rows(req, reading,
		is_by_columns(reach, reading) ? APSP_DEMAND_COLUMN
					      : APSP_DEMAND_FROM,
		reach->starts.vertices, reach->starts.n, err);
	if (r < 0)
		return r;
	bytes = reach->n * (sizeof(double) + sizeof(uint32_t)) +
		(is_by_columns(reach, reading)
				? apsp_row_reader_columns_bytes(
					  reading->tables, n_targets)
				: apsp_row_reader_bytes(
					  reading->tables, n_targets, false));
	r = apsp_request_wait_memory(req,
		apsp_share_grow(reach->share, bytes, "the distances", err));
	if (r < 0)
		return r;
	reach->distance = malloc(reach->n * sizeof(*reach->distance));
	reach->nearest = malloc(reach->n * sizeof(*reach->nearest));
	if (!reach->distance || !reach->nearest)
		return apsp_fail(err, APSP_ENOMEM, "no memory for distances");
	for (size_t i = 0; i < reach->n; i++)
		reach->distance[i] = reach->widest ? 0 : (double)INFINITY;
	values = reach->widest ? APSP_ROW_WIDTH : APSP_ROW_DISTANCE;
	if (is_by_columns(reach, reading))
		values |= APSP_ROW_BY_COLUMN;
	return apsp_row_reader_new(
		reading->tables, values, targets, n_targets, &reach->rows, err);
}

/* Keep the distance or width between vertex i of the answer and vertex j of the
   set, if this value is better than all earlier values of vertex i. */
static void keep(struct apsp_set_reach *reach, size_t i, size_t j, double value)
{
	if (!(reach->widest ? value > reach->distance[i]
			    : value < reach->distance[i]))
		return;
	reach->distance[i] = value;
	reach->nearest[i] = reach->starts.vertices[j];
}

int apsp_set_reach_step(struct apsp_set_reach *reach, struct apsp_err *err)
{
	bool in = reach->direction == APSP_DIRECTION_IN;
	size_t n_rows = in ? reach->n : reach->starts.n, at = reach->next,
	       n = 0;
	const double *values;
	struct apsp_row row;
	int r;

	/* after all distances were read, remove the vertices beyond the
	   bound */
	for (size_t i = 0; reach->rows && at == n_rows && i < reach->n; i++) {
		if (!(reach->widest ? reach->distance[i] >= reach->bound
				    : reach->distance[i] <= reach->bound))
			continue;
		reach->vertices[n] = reach->vertices[i];
		reach->steps[n] = reach->steps[i];
		reach->distance[n] = reach->distance[i];
		reach->nearest[n++] = reach->nearest[i];
	}
	if (reach->rows && at == n_rows)
		reach->n = n;
	if (!reach->rows || at == n_rows)
		return 0;
	r = apsp_row_reader_read(reach->rows,
		in ? reach->vertices[at] : reach->starts.vertices[at], &row,
		err);
	if (r != 0)
		return r;
	values = reach->widest ? row.width : row.distance;
	for (size_t j = 0; in && j < reach->starts.n; j++)
		keep(reach, at, j, values[j]);
	for (size_t i = 0; !in && i < reach->n; i++)
		keep(reach, i, at, values[i]);
	reach->next++;
	return 1;
}
