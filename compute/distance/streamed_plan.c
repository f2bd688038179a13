/*
 * Divides the matrix into slabs, and lists the jobs of `streamed-fw` in order;
 * see streamed_plan.h.
 */
#include "compute/distance/streamed_plan.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/panels.h"
#include "compute/distance/relax.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

/* Return how many slabs the device holds at once if the matrix has n_slabs
   slabs. */
static uint32_t places_of(uint32_t n_slabs)
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
	char texts[4][APSP_SIZE_TEXT_SIZE];

	if (device->memory_bytes > other)
		fit = (device->memory_bytes - other) / panel;
	slab = fit >= n_tiles ? fit : fit / APSP_STREAMED_PLACES;
	if (slab > whole)
		slab = whole;
	if (slab > n_tiles)
		slab = n_tiles;
	if (slab == 0) {
		apsp_size_format(panel, texts[0]);
		apsp_size_format(other, texts[1]);
		apsp_size_format(device->memory_bytes, texts[2]);
		apsp_size_format(device->info.largest_buffer_bytes, texts[3]);
		return apsp_fail(err, APSP_ELIMIT,
			"%u vertices in %s need %u slabs of %s beside %s on "
			"'%s', which has %s in buffers of %s",
			n_vertices, apsp_element_name(element),
			places_of(n_tiles), texts[0], texts[1],
			device->info.name, texts[2], texts[3]);
	}
	out->n_slabs = (n_tiles + (uint32_t)slab - 1) / (uint32_t)slab;
	out->n_tiles = n_tiles;
	out->n_places = places_of(out->n_slabs);
	/* make slabs of about equal size */
	out->slab = (n_tiles + out->n_slabs - 1) / out->n_slabs;
	return 0;
}

struct apsp_slab_rows apsp_streamed_plan_slab(
	const struct apsp_streamed_plan *plan, uint32_t slab)
{
	uint32_t first = slab * plan->slab, left = plan->n_tiles - first;

	return (struct apsp_slab_rows){
		first, left < plan->slab ? left : plan->slab};
}

/* Whether the job's slab may have finite values in the columns of the job's
   pivot. */
static bool is_finite(const struct apsp_streamed_plan *plan,
	const uint8_t *finite, const struct apsp_streamed_job *job)
{
	struct apsp_slab_rows rows = apsp_streamed_plan_slab(plan, job->slab);
	struct apsp_slab_rows columns =
		apsp_streamed_plan_slab(plan, job->pivot);

	for (uint32_t row = rows.first; row < rows.first + rows.n; row++)
		if (memchr(finite + (size_t)row * plan->n_tiles + columns.first,
			    1, columns.n))
			return true;
	return false;
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
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to list the jobs of %zu slabs", n);
	memcpy(held, finite, n_tiles * n_tiles);
	for (uint32_t pivot = 0; pivot < n; pivot++) {
		struct apsp_slab_rows pivots =
			apsp_streamed_plan_slab(plan, pivot);

		for (uint32_t s = 1; s < n; s++) {
			/*
			 * The slab of the job is `further` slabs after the
			 * pivot, modulo the number of slabs. The values of
			 * `further` are 2 to n - 1, and then 1: the slab right
			 * after the pivot comes last, because it is the next
			 * pivot.
			 */
			uint32_t further = s % (plan->n_slabs - 1) + 1;
			const struct apsp_streamed_job job = {pivot,
				(pivot + further) % plan->n_slabs,
				further == 1};

			if ((job.is_next && pivot + 1 < n) ||
				is_finite(plan, held, &job))
				jobs[made++] = job;
		}
		apsp_relax_spread(held, plan->n_tiles, pivots.first, pivots.n);
	}
	*out = APSP_TAKE(jobs);
	*out_n = made;
	return 0;
}
