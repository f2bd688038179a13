/*
 * Values of the paths to one vertex; see column.h.
 *
 * A path consists of its first arc and the path from the head of this arc, the
 * next vertex. So the hops of a vertex (the number of arcs on its path) are
 * computed after the hops of its next vertex. If every sum is exact, distances
 * are computed in the same way. Otherwise a sum depends on the order of its
 * terms, so the lengths of each path are added from its source on.
 */
#include "storage/tables/column.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "storage/tables/tables.h"
#include "storage/tables/table_read.h"

#define NO_ARC UINT32_MAX
#define NO_HOPS UINT32_MAX
/* the value of hops[v] before the walk has reached v */
#define UNSEEN (UINT32_MAX - 1)
/* If no distance to the target has a magnitude above this, doubles hold all
   sums of whole lengths exactly, because the length of each part of a path is
   the difference of two such distances. */
#define EXACT_MAX 0x1p52

/* All arrays have one element for each vertex. */
struct apsp_column {
	uint32_t target;
	/* for each vertex v: the vertex after v on the path from v to the
	   target. NULL if `distance` is set, because then it is not needed */
	uint32_t *next;
	/* for each vertex v: the length of the arc from v to next[v]. NULL
	   if `distance` is set */
	double *lengths;
	/* for each vertex: the distance to the target. NULL: sums are not
	   exact, so apsp_column_get() adds the lengths of a path */
	double *distance;
	uint32_t *hops;
	/* for each vertex v: the target's predecessor on the path from v to
	   the target */
	uint32_t *last;
};

enum {
	COLUMN_BYTES = 2 * sizeof(double) + 4 * sizeof(uint32_t),
};

uint64_t apsp_column_bytes(const struct apsp_tables *tables)
{
	return tables->header.n_vertices * COLUMN_BYTES;
}

void apsp_column_free(struct apsp_column *column)
{
	if (!column)
		return;
	free(column->next);
	free(column->lengths);
	free(column->distance);
	free(column->hops);
	free(column->last);
	free(column);
}

/* For each vertex, copy the next vertex, and the length of the arc to it. */
static int arcs_copy(struct apsp_column *column, struct apsp_tables *tables,
	struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	const uint32_t *arcs = (const void *)apsp_demand_rows_find(
		tables->demand, APSP_DEMAND_COLUMN, column->target);
	const void *heads = NULL, *lengths = NULL;
	bool good = true;
	int r;

	if (!arcs)
		return apsp_fail(err, APSP_EBUG,
			"the column of vertex %u was read and is not held",
			column->target);
	r = apsp_table_bytes_section(
		tables, APSP_SECTION_ARC_HEADS, &heads, err);
	if (r == 0)
		r = apsp_table_bytes_section(
			tables, APSP_SECTION_ARC_LENGTHS, &lengths, err);
	for (size_t v = 0; r == 0 && v < header->n_vertices; v++) {
		bool is_arc = arcs[v] < header->n_arcs;

		good &= is_arc || arcs[v] == NO_ARC;
		column->hops[v] = is_arc ? UNSEEN : NO_HOPS;
		column->last[v] = APSP_NO_PREDECESSOR;
		column->distance[v] = INFINITY;
		if (!is_arc)
			continue;
		column->next[v] = __atomic_load_n(
			(const uint32_t *)heads + arcs[v], __ATOMIC_RELAXED);
		column->lengths[v] = ((const double *)lengths)[arcs[v]];
		good &= column->next[v] < header->n_vertices;
	}
	column->hops[column->target] = 0;
	column->distance[column->target] = 0;
	/* the loop has read the mapping directly, so check that no damage
	   was found (where the file cannot be read, the mapping has zeros) */
	if (r == 0)
		r = apsp_tables_trust(tables, err);
	if (r == 0 && !good)
		r = apsp_tables_condemn(
			tables, "a path leads to no vertex", err);
	return r;
}

/* Follow the path from v to a vertex whose hops are known. Then set the values
   of the vertices on the way, the last vertex first. */
static int walk(struct apsp_column *column, struct apsp_tables *tables,
	uint32_t v, uint32_t *stack, struct apsp_err *err)
{
	size_t depth = 0;

	while (column->hops[v] == UNSEEN) {
		if (depth == tables->header.n_vertices)
			return apsp_tables_condemn(
				tables, "paths go round in a circle", err);
		stack[depth++] = v;
		v = column->next[v];
	}
	if (column->hops[v] == NO_HOPS)
		return apsp_tables_condemn(
			tables, "a path does not end at its target", err);
	while (depth > 0) {
		uint32_t before = stack[--depth];

		column->hops[before] = column->hops[v] + 1;
		column->last[before] =
			v == column->target ? before : column->last[v];
		column->distance[before] =
			column->lengths[before] + column->distance[v];
		v = before;
	}
	return 0;
}

int apsp_column_new(struct apsp_tables *tables, uint32_t target,
	struct apsp_column **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_column_end) struct apsp_column *column = NULL;
	bool exact = tables->header.distance_kind != APSP_DISTANCE_SUM;
	size_t n = tables->header.n_vertices;
	APSP_AUTO(apsp_free) uint32_t *stack = NULL;
	int r;

	stack = malloc(n * sizeof(*stack));
	column = calloc(1, sizeof(*column));
	if (!stack || !column)
		return apsp_fail_errno(err, ENOMEM, "a column");
	column->target = target;
	column->next = malloc(n * sizeof(*column->next));
	column->lengths = malloc(n * sizeof(*column->lengths));
	column->distance = malloc(n * sizeof(*column->distance));
	column->hops = malloc(n * sizeof(*column->hops));
	column->last = malloc(n * sizeof(*column->last));
	if (!column->next || !column->lengths || !column->distance ||
		!column->hops || !column->last)
		return apsp_fail_errno(err, ENOMEM, "a column");
	r = arcs_copy(column, tables, err);
	for (size_t v = 0; r == 0 && v < n; v++)
		if (column->hops[v] == UNSEEN)
			r = walk(column, tables, (uint32_t)v, stack, err);
	if (r < 0)
		return r;
	for (size_t v = 0; exact && v < n; v++)
		exact = column->distance[v] == INFINITY ||
			fabs(column->distance[v]) <= EXACT_MAX;
	/* free the arrays that apsp_column_get() will not read */
	if (exact) {
		free(APSP_TAKE(column->lengths));
		free(APSP_TAKE(column->next));
	} else {
		free(APSP_TAKE(column->distance));
	}
	*out = APSP_TAKE(column);
	return 0;
}

struct apsp_column_cell apsp_column_get(
	const struct apsp_column *column, uint32_t source)
{
	struct apsp_column_cell cell = {.distance = INFINITY,
		.hops = column->hops[source],
		.predecessor = column->last[source],
		.reachable = column->hops[source] != NO_HOPS};

	if (column->distance) {
		cell.distance = column->distance[source];
	} else if (cell.reachable) {
		cell.distance = 0;
		for (uint32_t v = source; v != column->target;
			v = column->next[v])
			cell.distance += column->lengths[v];
	}
	return cell;
}
