/*
 * Finds the distances or walks from or to one vertex; see exact_row.h. To find
 * exact sums (APSP_ROW_KIND_EXACT), the vertices that have a path are visited
 * in the order of their distances in the table. The distance of each of them
 * becomes the least sum of the distance of a neighbour and the length of the
 * arc between them. A pass over these vertices is repeated until a pass changes
 * nothing (Bellman 1958). Often one pass is enough; see pass_is_enough().
 */
#include "storage/circuits/exact_row.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

enum {
	DIGIT_BITS = 11,
	N_DIGITS = 1 << DIGIT_BITS,
};

uint64_t apsp_exact_row_bytes(uint64_t n_vertices)
{
	const struct apsp_exact_row *row = NULL;

	return (n_vertices + 1) *
	       (sizeof(*row->value) + 2 * sizeof(*row->order) +
		       sizeof(*row->keys) + sizeof(*row->exact));
}

int apsp_exact_row_init(const struct apsp_adjacency *arcs,
	enum apsp_row_kind kind, bool backward, uint32_t max_arcs,
	struct apsp_exact_row *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_exact_row_done)
	struct apsp_exact_row row = {
		.kind = kind,
		.backward = backward,
		.arcs = arcs,
		.unit = apsp_path_cost_unit_of(arcs->unit.exponent, 0),
		.max_arcs = max_arcs,
	};
	size_t n = (size_t)arcs->n_vertices + 1;
	bool good = true;

	if (kind == APSP_ROW_KIND_WALKS) {
		good &= !!(row.walks = malloc(n * sizeof(*row.walks)));
	} else {
		good &= !!(row.value = malloc(n * sizeof(*row.value)));
		/* the second half of `order` is memory for sorting */
		good &= !!(row.order = malloc(2 * n * sizeof(*row.order)));
		good &= !!(row.keys = malloc(n * sizeof(*row.keys)));
	}
	if (kind == APSP_ROW_KIND_EXACT)
		good &= !!(row.exact = malloc(n * sizeof(*row.exact)));
	if (!good)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
	*out = APSP_TAKE(row);
	return 0;
}

void apsp_exact_row_done(struct apsp_exact_row *row)
{
	free(row->value);
	free(row->exact);
	free(row->order);
	free(row->keys);
	free(row->walks);
	memset(row, 0, sizeof(*row));
}

/* Sort the n vertices in `from` by one digit of their keys, and store them in
   `to`. keys[v] is the key of vertex v. Vertices with equal digits keep their
   order. */
static void digit_sort(const uint32_t *keys, const uint32_t *from, uint32_t n,
	unsigned int shift, uint32_t *to)
{
	uint32_t ends[N_DIGITS + 1] = {0};

	for (uint32_t i = 0; i < n; i++)
		ends[(keys[from[i]] >> shift & (N_DIGITS - 1)) + 1]++;
	for (uint32_t d = 1; d < N_DIGITS; d++)
		ends[d] += ends[d - 1];
	for (uint32_t i = 0; i < n; i++)
		to[ends[keys[from[i]] >> shift & (N_DIGITS - 1)]++] = from[i];
}

/*
 * List the vertices that have a path, nearest first. The order is approximate:
 * distances are compared in steps of 2^-22 of their range (the largest minus
 * the least). The passes over the arcs do not need the exact order.
 */
static void order_make(struct apsp_exact_row *row)
{
	uint32_t n = row->arcs->n_vertices, n_ordered = 0;
	uint32_t *second = row->order + n + 1;
	double least = INFINITY, most = -INFINITY, scale;

	for (uint32_t v = 0; v < n; v++) {
		if (row->value[v] == INFINITY)
			continue;
		row->order[n_ordered++] = v;
		least = fmin(least, row->value[v]);
		most = fmax(most, row->value[v]);
	}
	row->n_ordered = n_ordered;
	row->largest = fmax(fabs(least), fabs(most));
	scale = most > least
			? (N_DIGITS * (double)N_DIGITS - 1) / (most - least)
			: 0;
	if (!isfinite(scale))
		scale = 0;
	for (uint32_t i = 0; i < n_ordered; i++)
		row->keys[row->order[i]] =
			(uint32_t)((row->value[row->order[i]] - least) * scale);
	digit_sort(row->keys, row->order, n_ordered, 0, second);
	digit_sort(row->keys, second, n_ordered, DIGIT_BITS, row->order);
}

void apsp_exact_row_start(struct apsp_exact_row *row, uint32_t root)
{
	uint32_t n = row->arcs->n_vertices;

	row->next = 0;
	row->changed = false;
	row->largest = 0;
	if (row->kind == APSP_ROW_KIND_WALKS) {
		memset(row->walks, 0, n * sizeof(*row->walks));
		row->walks[root] = 1;
		row->length = 0;
		return;
	}
	if (row->kind == APSP_ROW_KIND_TABLE) {
		for (uint32_t v = 0; v < n; v++)
			if (row->value[v] != INFINITY)
				row->largest =
					fmax(row->largest, fabs(row->value[v]));
		return;
	}
	if (row->kind == APSP_ROW_KIND_EXACT) {
		order_make(row);
		row->slop = 8 * DBL_EPSILON *
			    (row->largest + row->arcs->facts.largest);
	}
	for (uint32_t v = 0; v < n; v++)
		row->value[v] = INFINITY;
	row->value[root] = 0;
	if (row->kind == APSP_ROW_KIND_EXACT) {
		row->exact[root] = 0;
	} else {
		row->order[0] = root;
		row->n_ordered = 1;
	}
}

/* All arcs into a vertex, or all arcs out of a vertex: for each arc, the vertex
   at its other end and its length. */
struct neighbours {
	const uint32_t *vertices;
	const double *lengths;
	uint64_t n;
};

static struct neighbours neighbours_of(
	const struct apsp_adjacency *arcs, uint32_t v, bool out)
{
	uint64_t first = out ? arcs->out_offsets[v] : arcs->in_offsets[v];
	uint64_t end = out ? arcs->out_offsets[v + 1] : arcs->in_offsets[v + 1];

	return (struct neighbours){
		(out ? arcs->heads : arcs->tails) + first,
		(out ? arcs->lengths : arcs->in_lengths) + first,
		end - first,
	};
}

/* Lower the distance of v to the least sum of the distance of a neighbour and
   the length of the arc between them. For most arcs, the sum as a double shows
   that the exact sum cannot lower the distance. The exact sum is computed for
   the other arcs only. */
static void pull(struct apsp_exact_row *row, uint32_t v, struct neighbours near)
{
	double limit = row->value[v] + row->slop;
	bool lowered = false, finite = row->value[v] != INFINITY;
	apsp_path_cost least = finite ? row->exact[v] : 0;

	for (uint64_t i = 0; i < near.n; i++) {
		double sum = row->value[near.vertices[i]] + near.lengths[i];
		apsp_path_cost exact;

		if (!(sum <= limit) || sum == INFINITY)
			continue;
		exact = row->exact[near.vertices[i]] +
			apsp_path_cost_of_units(
				&row->unit, apsp_path_cost_units(&row->unit,
						    near.lengths[i]));
		if (finite && exact >= least)
			continue;
		least = exact;
		finite = lowered = true;
		limit = sum + row->slop;
	}
	if (!lowered)
		return;
	row->exact[v] = least;
	row->value[v] = apsp_path_cost_length(&row->unit, least);
	row->changed = true;
}

/* Whether one pass has found the distances. One pass is enough if all lengths
   are positive, and `order` is nearly sorted: if a vertex comes before a nearer
   vertex, their distances differ by less than the smallest length. Then no arc
   that leads back in `order` shortens a distance. */
static bool pass_is_enough(const struct apsp_exact_row *row)
{
	const struct apsp_length_facts *facts = &row->arcs->facts;
	double highest = -INFINITY, inversion = 0;

	if (facts->zeros || facts->negative)
		return false;
	for (uint32_t i = 0; i < row->n_ordered; i++) {
		double value = row->value[row->order[i]];

		highest = fmax(highest, value);
		inversion = fmax(inversion, highest - value);
	}
	return inversion + row->slop < facts->smallest;
}

static bool exact_step(
	struct apsp_exact_row *row, struct apsp_circuit_work *work)
{
	for (;;) {
		for (; row->next < row->n_ordered; row->next++) {
			struct neighbours near = neighbours_of(row->arcs,
				row->order[row->next], row->backward);

			if (apsp_circuit_work_turn_over(work))
				return true;
			work->n_steps += near.n;
			pull(row, row->order[row->next], near);
		}
		if (!row->changed || pass_is_enough(row))
			break;
		row->next = 0;
		row->changed = false;
	}
	row->largest = 0;
	for (uint32_t i = 0; i < row->n_ordered; i++)
		row->largest =
			fmax(row->largest, fabs(row->value[row->order[i]]));
	return false;
}

/* Continue the breadth-first search; `order` is its queue. Returns whether more
   turns are needed. */
static bool steps_step(
	struct apsp_exact_row *row, struct apsp_circuit_work *work)
{
	for (; row->next < row->n_ordered; row->next++) {
		uint32_t v = row->order[row->next];
		struct neighbours near =
			neighbours_of(row->arcs, v, !row->backward);

		if (apsp_circuit_work_turn_over(work))
			return true;
		work->n_steps += near.n;
		row->largest = row->value[v];
		for (uint64_t i = 0; i < near.n; i++) {
			uint32_t w = near.vertices[i];

			if (row->value[w] != INFINITY)
				continue;
			row->value[w] = row->value[v] + 1;
			row->order[row->n_ordered++] = w;
		}
	}
	return false;
}

/* Make the walks longer by one arc in each pass over the vertices. Returns
   whether more turns are needed. */
static bool walks_step(
	struct apsp_exact_row *row, struct apsp_circuit_work *work)
{
	for (; row->length < row->max_arcs; row->length++) {
		for (; row->next < row->arcs->n_vertices; row->next++) {
			struct neighbours near = neighbours_of(
				row->arcs, row->next, !row->backward);

			if (apsp_circuit_work_turn_over(work))
				return true;
			work->n_steps++;
			if (!(row->walks[row->next] >> row->length & 1))
				continue;
			work->n_steps += near.n;
			for (uint64_t i = 0; i < near.n; i++)
				row->walks[near.vertices[i]] |= UINT64_C(2)
								<< row->length;
		}
		row->next = 0;
	}
	return false;
}

bool apsp_exact_row_step(
	struct apsp_exact_row *row, struct apsp_circuit_work *work)
{
	switch (row->kind) {
	case APSP_ROW_KIND_TABLE:
		return false;
	case APSP_ROW_KIND_EXACT:
		return exact_step(row, work);
	case APSP_ROW_KIND_WALKS:
		return walks_step(row, work);
	default:
		return steps_step(row, work);
	}
}
