/*
 * Slabs and their order; see streamed_plan.h.
 */
#include "compute/distance/streamed_plan.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/panels.h"
#include "compute/distance/relax.h"
#include "daemon/base/auto.h"

uint32_t apsp_streamed_plan_places(uint32_t n_slabs)
{
	return n_slabs < APSP_STREAMED_PLACES ? n_slabs : APSP_STREAMED_PLACES;
}

int apsp_streamed_plan_make(const struct apsp_device *device,
	uint32_t n_vertices, uint64_t n_arcs, enum apsp_element element,
	struct apsp_streamed_plan *out, struct apsp_err *err)
{
	uint32_t n_tiles = apsp_panels_tiles(n_vertices);
	uint64_t panel = apsp_panel_bytes(n_tiles, element);
	uint64_t other = apsp_device_arcs_bytes(n_arcs, element,
				 device->tuning->staging_bytes) +
			 (uint64_t)n_tiles * n_tiles;
	uint64_t whole = device->info.largest_buffer_bytes / panel;
	uint64_t fit = 0;
	uint64_t slab;

	if (device->memory_bytes > other)
		fit = (device->memory_bytes - other) / panel;
	slab = fit >= n_tiles ? fit : fit / APSP_STREAMED_PLACES;
	if (slab > whole)
		slab = whole;
	if (slab > n_tiles)
		slab = n_tiles;
	if (slab == 0)
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices in %s need %u slabs of %.3g GB beside "
			"%.3g GB on '%s', which has %.3g GB in buffers of "
			"%.3g GB",
			n_vertices, apsp_element_name(element),
			apsp_streamed_plan_places(n_tiles), (double)panel / 1e9,
			(double)other / 1e9, device->info.name,
			(double)device->memory_bytes / 1e9,
			(double)device->info.largest_buffer_bytes / 1e9);
	out->n_slabs = (n_tiles + (uint32_t)slab - 1) / (uint32_t)slab;
	out->n_tiles = n_tiles;
	/* divided evenly */
	out->slab = (n_tiles + out->n_slabs - 1) / out->n_slabs;
	return 0;
}

uint32_t apsp_streamed_plan_first(
	const struct apsp_streamed_plan *plan, uint32_t slab)
{
	return slab * plan->slab;
}

uint32_t apsp_streamed_plan_rows(
	const struct apsp_streamed_plan *plan, uint32_t slab)
{
	uint32_t left = plan->n_tiles - apsp_streamed_plan_first(plan, slab);

	return left < plan->slab ? left : plan->slab;
}

bool apsp_streamed_plan_is_next(const struct apsp_streamed_plan *plan,
	const struct apsp_streamed_job *job)
{
	return job->slab == (job->pivot + 1) % plan->n_slabs;
}

/* Whether a slab may hold anything finite in a pivot's columns. */
static bool job_needed(const struct apsp_streamed_plan *plan,
	const uint8_t *finite, const struct apsp_streamed_job *job)
{
	uint32_t row = apsp_streamed_plan_first(plan, job->slab);
	uint32_t end = row + apsp_streamed_plan_rows(plan, job->slab);
	uint32_t column = apsp_streamed_plan_first(plan, job->pivot);
	uint32_t n_columns = apsp_streamed_plan_rows(plan, job->pivot);

	if (job->pivot + 1 < plan->n_slabs &&
		apsp_streamed_plan_is_next(plan, job))
		return true;
	for (; row < end; row++)
		if (memchr(finite + (size_t)row * plan->n_tiles + column, 1,
			    n_columns))
			return true;
	return false;
}

void apsp_streamed_plan_spread(
	const struct apsp_streamed_plan *plan, uint8_t *finite, uint32_t pivot)
{
	apsp_relax_spread(finite, plan->n_tiles,
		apsp_streamed_plan_first(plan, pivot),
		apsp_streamed_plan_rows(plan, pivot));
}

int apsp_streamed_plan_jobs(const struct apsp_streamed_plan *plan,
	const uint8_t *finite, struct apsp_streamed_job **out, size_t *out_n,
	struct apsp_err *err)
{
	size_t n_tiles = plan->n_tiles, n = plan->n_slabs, made = 0;
	APSP_AUTO(apsp_free) struct apsp_streamed_job *jobs = NULL;
	APSP_AUTO(apsp_free) uint8_t *held = NULL;

	jobs = malloc(n * n * sizeof(*jobs));
	held = malloc(n_tiles * n_tiles);
	if (!jobs || !held)
		return apsp_fail(
			err, APSP_ENOMEM, "list the jobs of %zu slabs", n);
	memcpy(held, finite, n_tiles * n_tiles);
	for (uint32_t pivot = 0; pivot < n; pivot++) {
		for (uint32_t s = 1; s < n; s++) {
			/* first the slabs 2 to n - 1 further on, last the next
			 * pivot */
			uint32_t further = s % (plan->n_slabs - 1) + 1;
			const struct apsp_streamed_job job = {
				pivot, (pivot + further) % plan->n_slabs};

			if (job_needed(plan, held, &job))
				jobs[made++] = job;
		}
		apsp_streamed_plan_spread(plan, held, pivot);
	}
	*out = APSP_TAKE(jobs);
	*out_n = made;
	return 0;
}
