/*
 * Walks from all vertices to some targets; see target_batch.h. Almost all sums
 * are compared as doubles. If a sum is so close to its bound that rounding
 * errors could change the result, the exact sum is compared.
 */
#include "storage/circuits/target_batch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

enum {
	LANES = APSP_TARGET_LANES,
};

/* Upper limit of the magnitude of a bound in units. Sums of lengths are
   smaller. */
#define BOUND_MAX 0x1p124

static uint64_t stride_of(uint64_t n_targets)
{
	return (n_targets + LANES - 1) / LANES * LANES;
}

uint64_t apsp_target_batch_bytes(
	enum apsp_row_kind kind, uint64_t n_vertices, uint64_t n_targets)
{
	uint64_t cell =
		sizeof(double) +
		(kind == APSP_ROW_KIND_EXACT ? sizeof(apsp_path_cost) : 0);

	return stride_of(n_targets) * (n_vertices * cell + 2 * sizeof(double) +
					      sizeof(apsp_path_cost));
}

int apsp_target_batch_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *arcs, enum apsp_row_kind kind,
	const uint32_t *targets, uint32_t n, struct apsp_target_batch *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_target_batch_done)
	struct apsp_target_batch batch = {
		.question = question,
		.arcs = arcs,
		.unit = apsp_path_cost_unit_of(arcs->unit.exponent, 0),
		.exactly = question->bound == APSP_CIRCUIT_HOPS_EXACTLY,
		.targets = targets,
		.n = n,
		.stride = (uint32_t)stride_of(n),
	};
	size_t cells = (size_t)arcs->n_vertices * batch.stride;
	bool good = true;

	if (batch.exactly)
		good &= !!(batch.walks = calloc(cells, sizeof(*batch.walks)));
	else
		good &= !!(
			batch.values = malloc(cells * sizeof(*batch.values)));
	if (kind == APSP_ROW_KIND_EXACT)
		good &= !!(batch.exact = malloc(cells * sizeof(*batch.exact)));
	batch.bounds = calloc(batch.stride, sizeof(*batch.bounds));
	batch.exact_bounds = calloc(batch.stride, sizeof(*batch.exact_bounds));
	batch.beyond = calloc(batch.stride, sizeof(*batch.beyond));
	if (!good || !batch.bounds || !batch.exact_bounds || !batch.beyond)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
	for (size_t i = 0; batch.values && i < cells; i++)
		batch.values[i] = INFINITY;
	*out = APSP_TAKE(batch);
	return 0;
}

void apsp_target_batch_done(struct apsp_target_batch *batch)
{
	free(batch->values);
	free(batch->exact);
	free(batch->walks);
	free(batch->bounds);
	free(batch->exact_bounds);
	free(batch->beyond);
	memset(batch, 0, sizeof(*batch));
}

void apsp_target_batch_distances(struct apsp_target_batch *batch, uint32_t j,
	const struct apsp_exact_row *row)
{
	for (uint32_t v = 0; v < batch->arcs->n_vertices; v++) {
		size_t cell = (size_t)v * batch->stride + j;

		batch->values[cell] = row->value[v];
		if (batch->exact)
			batch->exact[cell] = row->exact[v];
	}
	batch->largest = fmax(batch->largest, row->largest);
}

/* Reverse the bits of numbers of arcs: bit k becomes bit n − k. A walk of n
   arcs that begins with n − k arcs needs k more arcs, so one AND of both sets
   of bits compares all numbers of arcs. */
static uint64_t reversed(uint64_t walks, uint32_t n)
{
	uint64_t out = 0;

	for (uint32_t k = 0; k <= n; k++)
		out |= (walks >> k & 1) << (n - k);
	return out;
}

void apsp_target_batch_walks(struct apsp_target_batch *batch, uint32_t j,
	const struct apsp_walk_row *row)
{
	for (uint32_t v = 0; v < batch->arcs->n_vertices; v++)
		batch->walks[(size_t)v * batch->stride + j] =
			reversed(row->walks[v], batch->question->n_arcs);
}

/* Add to `units` a share of its magnitude, rounded down. */
static apsp_path_cost with_share(apsp_path_cost units, long double share)
{
	long double more = floorl(
		(units < 0 ? -(long double)units : (long double)units) * share);

	return units + (more < (long double)BOUND_MAX
				       ? (apsp_path_cost)more
				       : (apsp_path_cost)BOUND_MAX);
}

/* Round a length down to a whole multiple of the unit, so that sums of whole
   lengths are compared without rounding errors. */
static double whole_units(const struct apsp_target_batch *batch, double length)
{
	return ldexp(floor(apsp_path_cost_units(&batch->unit, length)),
		batch->unit.exponent);
}

/* Set the bound of target j if distances are exact as doubles. */
static void rounded_bound_set(
	struct apsp_target_batch *batch, uint32_t j, double value)
{
	const struct apsp_circuit_question *q = batch->question;
	long double share = q->tolerance, most;

	if (q->bound == APSP_CIRCUIT_SLACK)
		most = value +
		       fabs(value) * (q->value + share + q->value * share);
	else
		most = q->value + fabs(q->value) * share;
	batch->bounds[j] = q->bound == APSP_CIRCUIT_HOPS_MOST
				   ? q->n_arcs
				   : whole_units(batch, (double)most);
	if (value > batch->bounds[j])
		batch->bounds[j] = -INFINITY;
}

/* Set the bound of target j if exact distances have 128 bits. */
static void exact_bound_set(
	struct apsp_target_batch *batch, uint32_t j, apsp_path_cost distance)
{
	const struct apsp_circuit_question *q = batch->question;
	long double share = q->tolerance;
	double units;

	if (q->bound == APSP_CIRCUIT_SLACK) {
		batch->exact_bounds[j] = with_share(
			distance, q->value + share + q->value * share);
	} else {
		units = floor(apsp_path_cost_units(&batch->unit, q->value));
		units = fmax(-BOUND_MAX, fmin(units, BOUND_MAX));
		batch->exact_bounds[j] =
			with_share((apsp_path_cost)units, share);
	}
	if (distance <= batch->exact_bounds[j])
		batch->bounds[j] = apsp_path_cost_length(
			&batch->unit, batch->exact_bounds[j]);
}

/* Set the bound of target j for a source. The bound is -INFINITY if the pair
   has no walk within its bound. */
static void bound_set(
	struct apsp_target_batch *batch, uint32_t source, uint32_t j)
{
	size_t cell = (size_t)source * batch->stride + j;

	batch->bounds[j] = -INFINITY;
	if (batch->targets[j] == source)
		return;
	if (batch->exactly)
		/* the bits are in reverse order, so bit 0 is set if there is a
		   walk of n arcs */
		batch->bounds[j] = batch->walks[cell] & 1 ? 0 : -INFINITY;
	else if (batch->values[cell] == INFINITY)
		return;
	else if (batch->exact)
		exact_bound_set(batch, j, batch->exact[cell]);
	else
		rounded_bound_set(batch, j, batch->values[cell]);
}

uint32_t apsp_target_batch_source(
	struct apsp_target_batch *batch, uint32_t source, double largest)
{
	double widest = 0;
	uint32_t n = 0;

	batch->vertex = UINT32_MAX;
	for (uint32_t j = 0; j < batch->n; j++) {
		bound_set(batch, source, j);
		if (batch->bounds[j] == -INFINITY)
			continue;
		widest = fmax(widest, fabs(batch->bounds[j]));
		n++;
	}
	if (!batch->exact)
		batch->slop = 0;
	else if (batch->arcs->facts.negative)
		batch->slop = 8 * DBL_EPSILON *
			      (largest + batch->largest +
				      batch->arcs->facts.largest + widest);
	else /* Without negative lengths, no part of a sum is larger than the
		sum, so the bounds alone limit the rounding error. */
		batch->slop = 8 * DBL_EPSILON * widest;
	return n;
}

/* Find the least difference between a value and its bound. A minimum is kept
   for each lane, because a single minimum would prevent vector instructions. */
static double least_beyond(
	const double *values, const double *bounds, uint32_t stride)
{
	double least[LANES], all = INFINITY;

	for (uint32_t k = 0; k < LANES; k++)
		least[k] = INFINITY;
	for (uint32_t j = 0; j < stride; j += LANES)
		for (uint32_t k = 0; k < LANES; k++) {
			double x = values[j + k] - bounds[j + k];

			least[k] = x < least[k] ? x : least[k];
		}
	for (uint32_t k = 0; k < LANES; k++)
		all = least[k] < all ? least[k] : all;
	return all;
}

void apsp_target_batch_look(struct apsp_target_batch *batch, uint32_t v)
{
	size_t row = (size_t)v * batch->stride;

	batch->vertex = v;
	batch->filled = false;
	if (!batch->exactly) {
		batch->least = least_beyond(
			batch->values + row, batch->bounds, batch->stride);
		return;
	}
	batch->any_walks = 0;
	for (uint32_t j = 0; j < batch->n; j++)
		if (batch->bounds[j] == 0)
			batch->any_walks |= batch->walks[row + j];
}

/* For each target, store the length of the walk from the chosen vertex to the
   target minus the bound of the target. */
static void beyond_fill(struct apsp_target_batch *batch)
{
	const double *values =
		batch->values + (size_t)batch->vertex * batch->stride;

	for (uint32_t j = 0; j < batch->stride; j++)
		batch->beyond[j] = values[j] - batch->bounds[j];
	batch->filled = true;
}

/* Whether the exact length of a walk to target j is within the bound. */
static bool fits_exactly(
	const struct apsp_target_batch *batch, uint32_t j, apsp_path_cost exact)
{
	size_t cell = (size_t)batch->vertex * batch->stride + j;

	return exact + batch->exact[cell] <= batch->exact_bounds[j];
}

static uint32_t walks_count(const struct apsp_target_batch *batch,
	uint64_t walks, unsigned char *used)
{
	const uint64_t *row =
		batch->walks + (size_t)batch->vertex * batch->stride;
	uint32_t n = 0;

	for (uint32_t j = 0; j < batch->n; j++) {
		bool in = (walks & row[j]) && batch->bounds[j] == 0;

		n += in;
		if (used)
			used[j] |= in;
	}
	return n;
}

/* Count the elements of `beyond` that are at most `sure`, and those that are at
   most `perhaps`. */
static void beyond_count(const double *beyond, uint32_t stride, double sure,
	double perhaps, uint64_t out[2])
{
	uint64_t n_sure = 0, n_perhaps = 0;

	for (uint32_t j = 0; j < stride; j++) {
		n_sure += beyond[j] <= sure;
		n_perhaps += beyond[j] <= perhaps;
	}
	out[0] = n_sure;
	out[1] = n_perhaps;
}

uint32_t apsp_target_batch_count(struct apsp_target_batch *batch,
	const struct apsp_walk_part *part, unsigned char *used)
{
	double sure = -part->value - batch->slop;
	double perhaps = -part->value + batch->slop;
	uint64_t counts[2];
	uint32_t n = 0;

	if (batch->exactly)
		return walks_count(batch, part->walks, used);
	if (!batch->filled)
		beyond_fill(batch);
	if (!used) {
		beyond_count(
			batch->beyond, batch->stride, sure, perhaps, counts);
		if (counts[0] == counts[1])
			return (uint32_t)counts[0];
	}
	for (uint32_t j = 0; j < batch->n; j++) {
		bool in = batch->beyond[j] <= perhaps &&
			  (!batch->exact || batch->beyond[j] <= sure ||
				  fits_exactly(batch, j, part->exact));

		n += in;
		if (used)
			used[j] |= in;
	}
	return n;
}
