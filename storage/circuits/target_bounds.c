/*
 * The bounds of a source's pairs; see target_bounds.h. Almost all sums are
 * compared as doubles. If a sum is so close to its bound that rounding errors
 * could change the result, the exact sum is compared.
 */
#include "storage/circuits/target_bounds.h"

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

uint64_t apsp_target_bounds_bytes(uint64_t n_targets)
{
	const struct apsp_target_bounds *self = NULL;

	return (n_targets + LANES) *
	       (sizeof(*self->bounds) + sizeof(*self->exact_bounds) +
		       sizeof(*self->beyond));
}

int apsp_target_bounds_init(const struct apsp_target_batch *batch,
	struct apsp_target_bounds *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_target_bounds_done)
	struct apsp_target_bounds self = {.batch = batch};

	self.bounds = calloc(batch->stride, sizeof(*self.bounds));
	self.exact_bounds = calloc(batch->stride, sizeof(*self.exact_bounds));
	self.beyond = calloc(batch->stride, sizeof(*self.beyond));
	if (!self.bounds || !self.exact_bounds || !self.beyond)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
	*out = APSP_TAKE(self);
	return 0;
}

void apsp_target_bounds_done(struct apsp_target_bounds *self)
{
	free(self->bounds);
	free(self->exact_bounds);
	free(self->beyond);
	memset(self, 0, sizeof(*self));
}

/* Return units + |units| · share, where the product is rounded down. */
static apsp_path_cost with_share(apsp_path_cost units, long double share)
{
	long double more = floorl(
		(units < 0 ? -(long double)units : (long double)units) * share);

	return units + (more < (long double)BOUND_MAX
				       ? (apsp_path_cost)more
				       : (apsp_path_cost)BOUND_MAX);
}

/* Round a length down to a whole multiple of the unit. Distances and lengths of
   arcs are such multiples, too, so differences between their sums and bounds
   have no rounding errors. */
static double whole_units(const struct apsp_target_bounds *self, double length)
{
	return ldexp(floor(apsp_path_cost_units(&self->batch->unit, length)),
		self->batch->unit.exponent);
}

/* Set the bound of target j if distances are exact as doubles. */
static void rounded_bound_set(
	struct apsp_target_bounds *self, uint32_t j, double value)
{
	const struct apsp_circuit_question *q = self->batch->question;
	long double share = q->tolerance, most;

	if (q->bound == APSP_CIRCUIT_SLACK)
		most = value +
		       fabs(value) * (q->value + share + q->value * share);
	else
		most = q->value + fabs(q->value) * share;
	self->bounds[j] = q->bound == APSP_CIRCUIT_HOPS_MOST
				  ? q->n_arcs
				  : whole_units(self, (double)most);
	if (value > self->bounds[j])
		self->bounds[j] = -INFINITY;
}

/* Set the bound of target j if distances are exact only as integers of 128
   bits. */
static void exact_bound_set(
	struct apsp_target_bounds *self, uint32_t j, apsp_path_cost distance)
{
	const struct apsp_circuit_question *q = self->batch->question;
	long double share = q->tolerance;
	double units;

	if (q->bound == APSP_CIRCUIT_SLACK) {
		self->exact_bounds[j] = with_share(
			distance, q->value + share + q->value * share);
	} else {
		units = floor(
			apsp_path_cost_units(&self->batch->unit, q->value));
		units = fmax(-BOUND_MAX, fmin(units, BOUND_MAX));
		self->exact_bounds[j] =
			with_share((apsp_path_cost)units, share);
	}
	if (distance <= self->exact_bounds[j])
		self->bounds[j] = apsp_path_cost_length(
			&self->batch->unit, self->exact_bounds[j]);
}

/* Set bounds[j] to the bound of the pair of `source` and target j. If this pair
   has no walk within its bound, set bounds[j] to -INFINITY instead. */
static void bound_set(
	struct apsp_target_bounds *self, uint32_t source, uint32_t j)
{
	size_t cell = (size_t)source * self->batch->stride + j;

	self->bounds[j] = -INFINITY;
	if (self->batch->targets[j] == source)
		return;
	if (self->batch->walks)
		/* the bits are in reverse order, so bit 0 is set if there is a
		   walk of n arcs */
		self->bounds[j] = self->batch->walks[cell] & 1 ? 0 : -INFINITY;
	else if (self->batch->values[cell] == INFINITY)
		return;
	else if (self->batch->exact)
		exact_bound_set(self, j, self->batch->exact[cell]);
	else
		rounded_bound_set(self, j, self->batch->values[cell]);
}

uint32_t apsp_target_bounds_source(
	struct apsp_target_bounds *self, uint32_t source, double largest)
{
	double widest = 0;
	uint32_t n = 0;

	self->vertex = UINT32_MAX;
	for (uint32_t j = 0; j < self->batch->n; j++) {
		bound_set(self, source, j);
		if (self->bounds[j] == -INFINITY)
			continue;
		widest = fmax(widest, fabs(self->bounds[j]));
		n++;
	}
	if (!self->batch->exact)
		self->slop = 0;
	else if (self->batch->arcs->facts.negative)
		self->slop = 8 * DBL_EPSILON *
			     (largest + self->batch->largest +
				     self->batch->arcs->facts.largest + widest);
	else /* Without negative lengths, the parts of a sum are at most as
		large as the sum. So if a sum is near its bound, the bound alone
		limits the rounding error. */
		self->slop = 8 * DBL_EPSILON * widest;
	return n;
}

/* Return the least of values[j] - bounds[j]. A minimum is kept for each lane
   (element of a vector), because a single minimum would prevent vector
   instructions. */
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

void apsp_target_bounds_look(struct apsp_target_bounds *self, uint32_t v)
{
	size_t row = (size_t)v * self->batch->stride;

	self->vertex = v;
	self->filled = false;
	if (!self->batch->walks) {
		self->least = least_beyond(self->batch->values + row,
			self->bounds, self->batch->stride);
		return;
	}
	self->any_walks = 0;
	for (uint32_t j = 0; j < self->batch->n; j++)
		if (self->bounds[j] == 0)
			self->any_walks |= self->batch->walks[row + j];
}

/* For each target, store in `beyond` the length of the walk from the chosen
   vertex to the target minus the bound of the target. */
static void beyond_fill(struct apsp_target_bounds *self)
{
	const double *values = self->batch->values +
			       (size_t)self->vertex * self->batch->stride;

	for (uint32_t j = 0; j < self->batch->stride; j++)
		self->beyond[j] = values[j] - self->bounds[j];
	self->filled = true;
}

/* Whether the exact length of a walk to target j is within the bound. */
static bool fits_exactly(
	const struct apsp_target_bounds *self, uint32_t j, apsp_path_cost exact)
{
	size_t cell = (size_t)self->vertex * self->batch->stride + j;

	return exact + self->batch->exact[cell] <= self->exact_bounds[j];
}

static uint32_t walks_count(const struct apsp_target_bounds *self,
	uint64_t walks, unsigned char *used)
{
	const uint64_t *row =
		self->batch->walks + (size_t)self->vertex * self->batch->stride;
	uint32_t n = 0;

	for (uint32_t j = 0; j < self->batch->n; j++) {
		bool in = (walks & row[j]) && self->bounds[j] == 0;

		n += in;
		if (used)
			used[j] |= in;
	}
	return n;
}

/* Count the elements of `beyond` that are at most `sure`, and the elements that
   are at most `perhaps`. */
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

uint32_t apsp_target_bounds_count(struct apsp_target_bounds *self,
	const struct apsp_walk_part *part, unsigned char *used)
{
	double sure = -part->value - self->slop;
	double perhaps = -part->value + self->slop;
	uint64_t counts[2];
	uint32_t n = 0;

	if (self->batch->walks)
		return walks_count(self, part->walks, used);
	if (!self->filled)
		beyond_fill(self);
	if (!used) {
		beyond_count(self->beyond, self->batch->stride, sure, perhaps,
			counts);
		if (counts[0] == counts[1])
			return (uint32_t)counts[0];
	}
	for (uint32_t j = 0; j < self->batch->n; j++) {
		bool in = self->beyond[j] <= perhaps &&
			  (!self->batch->exact || self->beyond[j] <= sure ||
				  fits_exactly(self, j, part->exact));

		n += in;
		if (used)
			used[j] |= in;
	}
	return n;
}
