/*
 * Launches the kernel of kernels/sums.cl; see sums_device.h.
 */
#include "compute/tables/sums_device.h"

#include <stdio.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/plan/footprint.h"
#include "daemon/base/auto.h"

enum {
	/* number of work-items in a work-group; in sums.cl, one work-group sums
	   one row */
	ITEMS = 256,
	/* Number of work-items in a work-group if fewer than FEW_ROWS rows are
	   summed at a time. A work-group of this size lets a GPU use all its
	   processors even for few rows. */
	MANY_ITEMS = 1024,
	FEW_ROWS = 512,
};

/* Return the size in bytes of an array with one bit for each vertex. A
   work-group keeps two of these arrays in local memory. */
static size_t marks_bytes(const struct apsp_predecessors *p)
{
	return ((size_t)p->n_vertices + 31) / 32 * sizeof(cl_uint);
}

int apsp_sums_device_open(const struct apsp_predecessors *predecessors,
	const struct apsp_sum_arcs *arcs, const struct apsp_integers *integers,
	enum apsp_element distance, struct apsp_sums_device *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sums_device_done)
	struct apsp_sums_device sums = {
		.predecessors = predecessors, .unit = integers->unit};
	const struct apsp_device *device = predecessors->device;
	uint64_t fit = device->info.largest_buffer_bytes /
		       (sizeof(double) * predecessors->n_vertices);
	size_t lengths = predecessors->n_arcs * sizeof(*arcs->lengths);
	const int64_t *h = integers->potentials;
	const struct apsp_tuning_limits *limits = &device->info.limits;
	const cl_device_fp_config needed =
		CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
	cl_device_fp_config floats = 0;
	char options[96];
	int r;

	clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(floats),
		&floats, NULL);
	if (!device->tuning->gpu || !device->info.has_double ||
		limits->group_items < ITEMS ||
		/* 64 bytes of local memory are left free for the variables of
		   the kernel and of the driver */
		limits->local_bytes < 2 * marks_bytes(predecessors) + 64 ||
		(distance != APSP_ELEMENT_F64 && (floats & needed) != needed)) {
		*out = APSP_TAKE(sums);
		return 0;
	}
	sums.n_held = (uint32_t)apsp_sums_held_rows(
		predecessors->n_vertices, device->tuning->staging_bytes);
	if (sums.n_held > fit)
		sums.n_held = fit > 0 ? (uint32_t)fit : 1;
	sums.n_items =
		sums.n_held < FEW_ROWS && limits->group_items >= MANY_ITEMS
			? MANY_ITEMS
			: ITEMS;
	snprintf(options, sizeof(options),
		"-DITEMS=%u -DPREDECESSOR_BITS=%zu -DDISTANCE_BITS=%zu "
		"-DPOTENTIALS=%d",
		sums.n_items, 8 * apsp_element_size(predecessors->stored),
		8 * apsp_element_size(distance), h != NULL);
	r = apsp_device_copy_make(
		device, lengths, arcs->lengths, &sums.lengths, err);
	if (r >= 0 && h)
		r = apsp_device_copy_make(device,
			predecessors->n_vertices * sizeof(*h), h,
			&sums.potentials, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
			sizeof(double) * sums.n_held * predecessors->n_vertices,
			NULL, &sums.held, err);
	if (r >= 0)
		r = apsp_kernel_cache_kernel(device, "sums",
			predecessors->element, options, "sums", &sums.kernel,
			err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(sums);
	return 0;
}

void apsp_sums_device_done(struct apsp_sums_device *sums)
{
	apsp_kernel_done(&sums->kernel);
	apsp_device_buffer_done(&sums->lengths);
	apsp_device_buffer_done(&sums->potentials);
	apsp_device_buffer_done(&sums->held);
	memset(sums, 0, sizeof(*sums));
}

int apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err)
{
	const struct apsp_predecessors *p = sums->predecessors;
	const cl_uint max_arcs = APSP_SUMS_DEVICE_ARCS;
	int r = 0;

	for (cl_uint row = 0; r >= 0 && row < n_rows; row += sums->n_held) {
		const struct apsp_kernel_arg args[] = {APSP_ARG(predecessors),
			APSP_ARG(v), APSP_ARG(sums->unit),
			APSP_ARG(sums->potentials), APSP_ARG(row),
			APSP_ARG(first), APSP_ARG(p->n_vertices),
			APSP_ARG(p->offsets), APSP_ARG(p->tails),
			APSP_ARG(p->codes), APSP_ARG(sums->lengths),
			APSP_ARG(max_arcs), APSP_ARG(sums->held),
			{marks_bytes(p), NULL}, {marks_bytes(p), NULL},
			APSP_ARG(out), APSP_ARG(words), APSP_ARG(at->summed),
			APSP_ARG(at->marks), APSP_ARG(at->row_hops),
			APSP_ARG(at->hops), APSP_ARG(at->wrong)};
		uint32_t left = n_rows - row;
		const struct apsp_kernel_items items = {sums->n_items,
			left < sums->n_held ? left : sums->n_held,
			sums->n_items, 1};

		r = apsp_kernel_launch(
			p->device, sums->kernel, args, 22, items, err);
	}
	return r;
}
