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
	/* slack and tolerance multiply a bound by at most 2 to this power; a
	   tolerance is at most 1 */
	ADDED_BITS = 21,
	/* binary digits of a bound before slack and tolerance multiply it */
	BITS = 127 - ADDED_BITS,
};

_Static_assert(
	2 * (APSP_CIRCUIT_SLACK_MAX + 1) <= 1 << ADDED_BITS &&
		APSP_PATH_COST_BITS - APSP_PATH_COST_ARC_BITS_MIN <= BITS,
	"the bound of a sum of lengths is below 2^127");

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

/*
 * Return the bound of a pair with this distance: the greatest whole number of
 * units that the lengths of a walk may sum to. The computation keeps at least
 * BITS binary digits. Only its result is rounded to whole units, downwards.
 */
static apsp_path_cost bound_of(
	const struct apsp_target_batch *batch, apsp_path_cost distance)
{
	const struct apsp_circuit_question *q = batch->question;
	bool slack = q->bound == APSP_CIRCUIT_SLACK;
	double units = slack ? (double)distance
			     : apsp_path_cost_units(&batch->unit, q->value);
	apsp_path_cost bound;
	int digits;

	units = fmax(-BOUND_MAX, fmin(units, BOUND_MAX));
	(void)frexp(units, &digits);
	digits = digits < BITS ? BITS - (digits > 0 ? digits : 0) : 0;
	bound = slack ? distance * ((apsp_path_cost)1 << digits)
		      : (apsp_path_cost)floor(ldexp(units, digits));
	bound += apsp_path_cost_share(bound, slack ? q->value : 0);
	bound += apsp_path_cost_share(bound < 0 ? -bound : bound, q->tolerance);
	return bound >> digits;
}

/* Set bounds[j] to the bound of the pair of `source` and target j. If this pair
   has no walk within its bound, set bounds[j] to -INFINITY instead. */
static void bound_set(
	struct apsp_target_bounds *self, uint32_t source, uint32_t j)
{
	const struct apsp_target_batch *batch = self->batch;
	size_t cell = (size_t)source * batch->stride + j;
	apsp_path_cost distance;

	self->bounds[j] = -INFINITY;
	if (batch->targets[j] == source)
		return;
	if (batch->walks) {
		/* the bits are in reverse order, so bit 0 is set if there is a
		   walk of n arcs */
		self->bounds[j] = batch->walks[cell] & 1 ? 0 : -INFINITY;
	} else if (batch->question->bound == APSP_CIRCUIT_HOPS_MOST) {
		if (batch->values[cell] <= batch->question->n_arcs)
			self->bounds[j] = batch->question->n_arcs;
	} else if (batch->values[cell] != INFINITY) {
		distance = batch->exact
				   ? batch->exact[cell]
				   : (apsp_path_cost)apsp_path_cost_units(
					     &batch->unit, batch->values[cell]);
		self->exact_bounds[j] = bound_of(batch, distance);
		if (distance <= self->exact_bounds[j])
			self->bounds[j] = apsp_path_cost_length(
				&batch->unit, self->exact_bounds[j]);
	}
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
	else /* Without negative lengths, no term of a sum is larger than
		the sum. So if a sum is near its bound, a small fraction of the
		bound limits the sum's rounding error. */
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

/* Count the elements of `beyond` that are at most `sure` (out[0]), and the
   elements that are at most `perhaps` (out[1]). */
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
