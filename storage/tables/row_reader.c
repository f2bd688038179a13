/*
 * Reads rows of the tables; see row_reader.h.
 *
 * A row is copied from the file, and the copy is checked and decoded. If
 * lengths are real numbers, or if the file holds no distances, distances and
 * hops are computed along the tree of predecessors: each vertex after its
 * predecessor, by one addition and one lookup of an arc's length. If there are
 * few targets, each target is looked up alone. With APSP_ROW_BY_COLUMN, the
 * reader first makes the columns of all targets, and then reads one cell of
 * each column for each row.
 */
#include "storage/tables/row_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/bit_set.h"
#include "storage/tables/column.h"
#include "storage/tables/lookup.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_row.h"
#include "storage/tables/tables.h"

enum {
	FEW = 16, /* if fewer than one in FEW vertices is a target, each target
		     is looked up alone */
	N_LAST = 8, /* number of arcs in a cache of arcs (struct last_arcs); a
		       power of two */
	/* upper bound of the bytes that all arrays take for one vertex, or for
	   one target, apart from the caches of arcs */
	ROW_BYTES = 32,
};

/* the value of hops[v] before the walk has reached v */
#define UNSEEN (UINT32_MAX - 1)

/* Arrays with one element for each vertex, or for each target. */
struct arrays {
	double *distance;
	uint32_t *hops;
	uint32_t *predecessor;
	bool *reachable;
	double *width;
};

/*
 * A cache of arcs to one vertex. It holds arcs that were on paths in earlier
 * rows. Usually, one of these arcs is on a path in the next row, too. An arc's
 * index in the cache is a hash of its tail. The caches are allocated when the
 * second row is read, because most readers read one row.
 */
struct last_arcs {
	uint32_t tail[N_LAST];
	double length[N_LAST];
};

struct apsp_row_reader {
	struct apsp_tables *tables;
	unsigned int values;
	const uint32_t *targets; /* NULL: all vertices */
	size_t n_targets;
	bool whole;  /* true: whole rows are read, and the targets' values are
			picked from the rows; false: each target is looked up
			alone, or in its column */
	bool held;   /* the file holds distances */
	bool summed; /* distances and hops are summed along the predecessors */
	void *raw;   /* copy of the row as it is in the file */
	struct arrays row;
	struct arrays picked; /* the values of the targets; not used if all
				 vertices are targets */
	/* used by the walk: */
	uint32_t *stack;
	bool again;		/* a row was read before */
	struct last_arcs *arcs; /* one cache for each vertex; NULL while the
				   first row is read */
	/* The following members are used with APSP_ROW_BY_COLUMN. */
	struct apsp_column **columns; /* one for each target; NULL: values are
					 found in rows */
	size_t n_columns; /* number of columns that are made already */
};

uint64_t apsp_row_reader_bytes(
	const struct apsp_tables *tables, size_t n_targets, bool one_row)
{
	uint64_t n = tables->header.n_vertices;

	return (n + n_targets) * ROW_BYTES +
	       (one_row ? 0 : n * sizeof(struct last_arcs));
}

uint64_t apsp_row_reader_columns_bytes(
	const struct apsp_tables *tables, size_t n_targets)
{
	return (n_targets + 1) * (apsp_column_bytes(tables) + ROW_BYTES);
}

static bool arrays_new(struct arrays *arrays, unsigned int values, size_t n)
{
	bool good = true;

	if (values & APSP_ROW_DISTANCE)
		good &= !!(arrays->distance = calloc(n, sizeof(double)));
	if (values & APSP_ROW_HOPS)
		good &= !!(arrays->hops = calloc(n, sizeof(uint32_t)));
	if (values & APSP_ROW_PREDECESSOR)
		good &= !!(arrays->predecessor = calloc(n, sizeof(uint32_t)));
	if (values & APSP_ROW_REACHABLE)
		good &= !!(arrays->reachable = calloc(n, sizeof(bool)));
	if (values & APSP_ROW_WIDTH)
		good &= !!(arrays->width = calloc(n, sizeof(double)));
	return good;
}

static void arrays_done(struct arrays *arrays)
{
	free(arrays->distance);
	free(arrays->hops);
	free(arrays->predecessor);
	free(arrays->reachable);
	free(arrays->width);
}

/* Prepare for walk(). The cache of arcs saves time only if several rows are
   read, so it is allocated for the second row. */
static int walk_begin(struct apsp_row_reader *r, struct apsp_err *err)
{
	size_t n = r->tables->header.n_vertices;

	if (r->again && !r->arcs) {
		r->arcs = malloc(n * sizeof(*r->arcs));
		if (!r->arcs)
			return apsp_fail_errno(err, ENOMEM, "a row");
		memset(r->arcs, 0xff, n * sizeof(*r->arcs)); /* no arcs */
	}
	r->again = true;
	return 0;
}

int apsp_row_reader_new(struct apsp_tables *tables, unsigned int values,
	const uint32_t *targets, size_t n_targets, struct apsp_row_reader **out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_row_reader_end) struct apsp_row_reader *r = NULL;
	size_t n = tables->header.n_vertices;
	bool by_column = values & APSP_ROW_BY_COLUMN, good;
	unsigned int made = values;

	r = calloc(1, sizeof(*r));
	if (!r)
		return apsp_fail_errno(err, ENOMEM, "a row");
	r->tables = tables;
	r->values = values;
	r->targets = targets;
	r->n_targets = targets ? n_targets : n;
	r->whole = !by_column && (!targets || n_targets >= n / FEW);
	r->held = apsp_table_holds(&tables->header, APSP_SECTION_DISTANCE);
	r->summed = (values & (APSP_ROW_DISTANCE | APSP_ROW_HOPS)) &&
		    (!r->held || (tables->header.distance_kind ==
						 APSP_DISTANCE_SUM &&
					 !(values & APSP_ROW_ROUNDED)));
	if (r->summed) /* walk() needs the arrays of hops and predecessors, even
			  if they were not requested */
		made |= APSP_ROW_HOPS | APSP_ROW_PREDECESSOR;
	else if (values & (APSP_ROW_DISTANCE | APSP_ROW_HOPS))
		made |= APSP_ROW_DISTANCE | APSP_ROW_HOPS;
	good = (!targets && r->whole) ||
	       arrays_new(&r->picked, values, n_targets + 1);
	if (by_column)
		good = good && !!(r->columns = calloc(n_targets + 1,
					  sizeof(struct apsp_column *)));
	if (r->whole) {
		r->raw = malloc(n * sizeof(double) + sizeof(uint64_t));
		good = good && r->raw && arrays_new(&r->row, made, n);
	}
	if (r->whole && r->summed)
		good = good && (r->stack = calloc(n, sizeof(*r->stack)));
	if (!good)
		return apsp_fail_errno(err, ENOMEM, "a row");
	*out = APSP_TAKE(r);
	return 0;
}

void apsp_row_reader_free(struct apsp_row_reader *r)
{
	if (!r)
		return;
	arrays_done(&r->row);
	arrays_done(&r->picked);
	free(r->raw);
	free(r->stack);
	free(r->arcs);
	for (size_t i = 0; i < r->n_columns; i++)
		apsp_column_free(r->columns[i]);
	free(r->columns);
	free(r);
}

static int broken(
	struct apsp_row_reader *r, const char *what, struct apsp_err *err)
{
	return apsp_tables_condemn(r->tables, what, err);
}

/* Look up the length of the arc from tail to v. */
static int arc_length(struct apsp_row_reader *r, uint32_t tail, uint32_t v,
	double *out, struct apsp_err *err)
{
	struct last_arcs *last;
	/* a hash of the tail */
	uint32_t at = (tail * UINT32_C(2654435769)) >> 16 & (N_LAST - 1);
	double weight;
	int result;

	if (!r->arcs)
		return apsp_table_read_arc(
			r->tables, tail, v, &weight, out, err);
	last = &r->arcs[v];
	if (last->tail[at] != tail) {
		result = apsp_table_read_arc(
			r->tables, tail, v, &weight, &last->length[at], err);
		if (result < 0)
			return result;
		last->tail[at] = tail;
	}
	*out = last->length[at];
	return 0;
}

/* Compute the hops of v from the values of v's predecessor `before`. If
   distances were requested, also compute the distance of v. */
static int extend(struct apsp_row_reader *r, uint32_t before, uint32_t v,
	struct apsp_err *err)
{
	double length;
	int result;

	r->row.hops[v] = r->row.hops[before] + 1;
	if (!r->row.distance)
		return 0;
	result = arc_length(r, before, v, &length, err);
	if (result < 0)
		return result;
	length += r->row.distance[before];
	if (r->held && !apsp_table_read_holds(
			       &r->tables->header, r->row.distance[v], length))
		return broken(r, "a path does not add up to its distance", err);
	r->row.distance[v] = length;
	return 0;
}

/* Walk back from v along the predecessors to a vertex whose hops are known.
   Then set the values of the vertices on the way, v last. */
static int walk(struct apsp_row_reader *r, uint32_t v, struct apsp_err *err)
{
	uint64_t n = r->tables->header.n_vertices;
	size_t depth = 0;
	int result = 0;

	while (r->row.hops[v] == UNSEEN) {
		if (depth == n)
			return broken(
				r, "predecessors go round in a circle", err);
		r->stack[depth++] = v;
		v = r->row.predecessor[v];
		if (v == APSP_NO_PREDECESSOR)
			return broken(
				r, "a path does not begin at its source", err);
	}
	if (r->row.hops[v] == APSP_NO_HOPS)
		return broken(r, "a path does not begin at its source", err);
	while (depth > 0 && result == 0) {
		uint32_t next = r->stack[--depth];

		result = extend(r, v, next, err);
		v = next;
	}
	return result;
}

/* Read the predecessors in a row, and compute distances and hops from them
   (struct apsp_row_reader, `summed`). */
static int read_sums(
	struct apsp_row_reader *r, uint32_t source, struct apsp_err *err)
{
	uint64_t n = r->tables->header.n_vertices;
	struct arrays *row = &r->row;
	int result;

	result = walk_begin(r, err);
	if (result == 0)
		result = apsp_table_row_predecessors(
			r->tables, source, r->raw, row->predecessor, err);
	if (result == 0 && row->distance && r->held)
		result = apsp_table_row_distances(r->tables, source, r->raw,
			row->distance, row->hops, err);
	if (result < 0)
		return result;
	for (uint64_t j = 0; j < n && row->distance && !r->held; j++)
		row->distance[j] = j == source || row->predecessor[j] !=
							   APSP_NO_PREDECESSOR
					   ? 0
					   : INFINITY;
	for (uint64_t j = 0; j < n; j++)
		row->hops[j] = (row->distance ? row->distance[j] == INFINITY
					      : row->predecessor[j] ==
							APSP_NO_PREDECESSOR)
				       ? APSP_NO_HOPS
				       : UNSEEN;
	row->hops[source] = 0;
	for (uint64_t j = 0; j < n && result == 0; j++)
		if (row->hops[j] == UNSEEN)
			result = walk(r, (uint32_t)j, err);
	for (uint64_t j = 0;
		j < n && row->distance && (r->values & APSP_ROW_ROUNDED); j++)
		row->distance[j] = apsp_table_read_rounded(
			&r->tables->header, row->distance[j]);
	return result;
}

static int read_whole(
	struct apsp_row_reader *r, uint32_t source, struct apsp_err *err)
{
	uint64_t n = r->tables->header.n_vertices;
	uint64_t size = apsp_bit_row_words(n) * sizeof(uint64_t);
	const uint64_t *words = r->raw;
	int result = 0;

	if (r->summed)
		result = read_sums(r, source, err);
	else if (r->row.distance)
		result = apsp_table_row_distances(r->tables, source, r->raw,
			r->row.distance, r->row.hops, err);
	if (result == 0 && (r->values & APSP_ROW_PREDECESSOR) && !r->summed)
		result = apsp_table_row_predecessors(
			r->tables, source, r->raw, r->row.predecessor, err);
	if (result == 0 && (r->values & APSP_ROW_REACHABLE))
		result = apsp_table_read_copy(r->tables, APSP_SECTION_CLOSURE,
			source * size, size, r->raw, err);
	for (size_t j = 0; result == 0 && r->row.reachable && j < n; j++)
		r->row.reachable[j] = apsp_bit_set_has(words, j);
	if (result == 0 && (r->values & APSP_ROW_WIDTH))
		result = apsp_pair_width_row(
			r->tables, source, r->raw, r->row.width, err);
	return result;
}

static void pick(struct apsp_row_reader *r)
{
	struct arrays *to = &r->picked;

	for (size_t i = 0; i < r->n_targets; i++) {
		uint32_t v = r->targets[i];

		if (to->distance)
			to->distance[i] = r->row.distance[v];
		if (to->hops)
			to->hops[i] = r->row.hops[v];
		if (to->predecessor)
			to->predecessor[i] = r->row.predecessor[v];
		if (to->reachable)
			to->reachable[i] = r->row.reachable[v];
		if (to->width)
			to->width[i] = r->row.width[v];
	}
}

/* Look up the distance and the hops of one pair. */
static int read_pair(struct apsp_row_reader *r, uint32_t source, uint32_t v,
	struct apsp_cell *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	int result;

	if (!r->summed)
		return apsp_table_read_cell(r->tables, source, v, out, err);
	result = apsp_lookup_path(r->tables, source, v, &path, err);
	*out = (struct apsp_cell){
		.reachable = path.reachable,
		.distance = path.distance,
		.hops = path.hops,
	};
	return result;
}

/*
 * Look up the values of target number i alone, without reading the whole row.
 */
static int read_target(struct apsp_row_reader *r, uint32_t source, size_t i,
	struct apsp_err *err)
{
	uint32_t v = r->targets[i];
	struct arrays *to = &r->picked;
	struct apsp_cell cell;
	int result = 0;

	if (to->distance || to->hops)
		result = read_pair(r, source, v, &cell, err);
	if (result == 0 && to->distance)
		to->distance[i] = cell.reachable ? cell.distance : INFINITY;
	if (result == 0 && to->hops)
		to->hops[i] =
			cell.reachable ? (uint32_t)cell.hops : APSP_NO_HOPS;
	if (result == 0 && to->predecessor)
		result = apsp_table_read_predecessor(
			r->tables, source, v, &to->predecessor[i], err);
	if (result == 0 && to->reachable)
		result = apsp_lookup_reachable(
			r->tables, source, v, &to->reachable[i], err);
	if (result == 0 && to->width)
		result = apsp_pair_width_read(
			r->tables, source, v, &to->width[i], err);
	return result;
}

/* Read the values of target number i in its column. */
static void read_cell(struct apsp_row_reader *r, uint32_t source, size_t i)
{
	struct apsp_column_cell cell = apsp_column_get(r->columns[i], source);
	struct arrays *to = &r->picked;

	if (to->distance)
		to->distance[i] =
			r->values & APSP_ROW_ROUNDED
				? apsp_table_read_rounded(
					  &r->tables->header, cell.distance)
				: cell.distance;
	if (to->hops)
		to->hops[i] = cell.hops;
	if (to->predecessor)
		to->predecessor[i] = cell.predecessor;
	if (to->reachable)
		to->reachable[i] = cell.reachable;
}

int apsp_row_reader_read(struct apsp_row_reader *r, uint32_t source,
	struct apsp_row *out, struct apsp_err *err)
{
	const struct arrays *from = r->targets ? &r->picked : &r->row;
	size_t next = r->n_columns;
	int result = 0;

	if (r->columns && next < r->n_targets) {
		result = apsp_column_new(
			r->tables, r->targets[next], &r->columns[next], err);
		r->n_columns += result == 0;
		return result < 0 ? result : 1;
	}
	if (r->whole)
		result = read_whole(r, source, err);
	for (size_t i = 0; !r->whole && result == 0 && i < r->n_targets; i++)
		if (r->columns)
			read_cell(r, source, i);
		else
			result = read_target(r, source, i, err);
	/* the lengths of arcs were read directly from the mapping, so check
	   that no damage was found (where the file cannot be read, the
	   mapping has zeros) */
	if (result == 0)
		result = apsp_tables_trust(r->tables, err);
	if (result < 0)
		return result;
	if (r->whole && r->targets)
		pick(r);
	*out = (struct apsp_row){
		.distance =
			r->values & APSP_ROW_DISTANCE ? from->distance : NULL,
		.hops = r->values & APSP_ROW_HOPS ? from->hops : NULL,
		.predecessor = r->values & APSP_ROW_PREDECESSOR
				       ? from->predecessor
				       : NULL,
		.reachable =
			r->values & APSP_ROW_REACHABLE ? from->reachable : NULL,
		.width = r->values & APSP_ROW_WIDTH ? from->width : NULL,
	};
	return 0;
}
