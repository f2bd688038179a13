/*
 * Launches the relax kernels; see relax.h.
 */
#include "compute/distance/relax.h"

#include <stdio.h>
#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/graph/semiring.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 64,
	TURNS = 2, /* number of counters in `turns` (kernels/relax_cpu.cl) */
};

cl_uint4 apsp_range(uint32_t first, uint32_t count)
{
	return (cl_uint4){{first, count, APSP_NO_TILE, 0}};
}

cl_uint4 apsp_range_but(
	uint32_t first, uint32_t count, uint32_t skip, uint32_t skip_count)
{
	return (cl_uint4){{first, count - skip_count, skip, skip_count}};
}

uint64_t apsp_rectangle_tiles(const struct apsp_rectangle *rectangle)
{
	return (uint64_t)rectangle->rows.s[APSP_RANGE_COUNT] *
	       rectangle->columns.s[APSP_RANGE_COUNT];
}

int apsp_relax_open(const struct apsp_panels *panels, struct apsp_relax *out,
	struct apsp_err *err)
{
	static const cl_uint none[TURNS] = {0};
	APSP_AUTO(apsp_relax_done) struct apsp_relax relax = {.panels = panels};
	const struct apsp_device *device = panels->device;
	const char *semiring = apsp_semiring_option(panels->kind);
	uint32_t chunk = device->tuning->relax_chunk;
	char options[OPTIONS_SIZE];
	int r = 0;

	if (chunk > 0)
		snprintf(options, sizeof(options), "-DCHUNK=%u%s",
			panels->element == APSP_ELEMENT_F64 ? chunk / 2 : chunk,
			semiring);
	else
		r = apsp_device_buffer_make(
			device, sizeof(none), none, &relax.turns, err);
	if (r >= 0)
		r = apsp_kernel_cache_kernel(device, device->tuning->relax,
			panels->element, chunk > 0 ? options : semiring,
			"relax", &relax.kernel, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(relax);
	return 0;
}

void apsp_relax_done(struct apsp_relax *relax)
{
	apsp_kernel_done(&relax->kernel);
	apsp_device_buffer_done(&relax->turns);
}

uint64_t apsp_relax_limit(
	const struct apsp_relax *relax, uint32_t n_k, uint32_t n_columns)
{
	const struct apsp_device *device = relax->panels->device;
	uint64_t tile = (uint64_t)APSP_TILE * APSP_TILE * APSP_TILE;
	uint64_t pairs =
		device->tuning->gpu
			? 1
			: ((uint64_t)device->info.compute_units + 1) / 2;
	uint64_t most = device->tuning->launch_relaxations * pairs /
			(tile * (n_k > 0 ? n_k : 1)) / n_columns;

	return most > 0 ? most : 1;
}

int apsp_relax_launch(const struct apsp_relax *relax,
	const struct apsp_slab *targets, const struct apsp_pivots *pivots,
	const struct apsp_rectangle *first, const struct apsp_rectangle *second,
	struct apsp_err *err)
{
	static const struct apsp_rectangle none;
	const struct apsp_panels *panels = relax->panels;
	const struct apsp_rectangle *rest = second ? second : &none;
	const struct apsp_kernel_arg args[] = {APSP_ARG(targets->buffer),
		APSP_ARG(targets->base), APSP_ARG(pivots->slab.buffer),
		APSP_ARG(pivots->slab.base), APSP_ARG(panels->n_tiles),
		APSP_ARG(pivots->k), APSP_ARG(pivots->n_k),
		APSP_ARG(first->rows), APSP_ARG(first->columns),
		APSP_ARG(rest->rows), APSP_ARG(rest->columns),
		APSP_ARG(pivots->close), APSP_ARG(pivots->later),
		APSP_ARG(panels->finite), APSP_ARG(relax->turns)};
	size_t group[3] = {1, 1, 1};
	uint64_t units = panels->device->info.compute_units;
	/* Number of work-groups. On a GPU, there is one for each tile. On a
	   CPU, there is at most one for each processor, and a group relaxes
	   several tiles. */
	uint64_t groups =
		apsp_rectangle_tiles(first) + apsp_rectangle_tiles(rest);
	/* relax_gpu.cl does not have the argument `turns` */
	size_t n_args = sizeof(args) / sizeof(*args) - (relax->turns ? 0 : 1);
	/* query the size of a work-group, because only the kernel's source
	   defines it */
	int r = apsp_opencl_check(
		clGetKernelWorkGroupInfo(relax->kernel, panels->device->id,
			CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(group), group,
			NULL),
		"ask for a kernel's group", err);

	if (relax->turns && groups > units)
		groups = units;
	return r < 0 ? r
		     : apsp_kernel_launch(panels->device, relax->kernel, args,
			       n_args,
			       (struct apsp_kernel_items){group[0] * groups,
				       group[1], group[0], group[1]},
			       err);
}

int apsp_relax_marks(
	const struct apsp_panels *panels, uint8_t **out, struct apsp_err *err)
{
	size_t size = (size_t)panels->n_tiles * panels->n_tiles;
	APSP_AUTO(apsp_free) uint8_t *marks = NULL;
	int r;

	marks = malloc(size);
	if (!marks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to mark %zu tiles of the matrix", size);
	r = apsp_opencl_read(panels->device->queue, panels->finite, 0, size,
		marks, "read the tiles' marks", err);
	if (r >= 0)
		*out = APSP_TAKE(marks);
	return r;
}

void apsp_relax_spread(
	uint8_t *finite, uint32_t n_tiles, uint32_t k, uint32_t n_k)
{
	for (uint32_t p = k; p < k + n_k; p++) {
		const uint8_t *through = finite + (size_t)p * n_tiles;

		for (uint32_t i = 0; i < n_tiles; i++) {
			uint8_t *row = finite + (size_t)i * n_tiles;

			if (i == p || !row[p])
				continue;
			for (uint32_t j = 0; j < n_tiles; j++)
				row[j] |= through[j];
		}
	}
}
