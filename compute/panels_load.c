/*
 * Filling panels from arcs; see panels.h.
 */
#include "compute/panels.h"

#include <stdlib.h>
#include <string.h>

#include "compute/program.h"
#include "daemon/base/auto.h"

enum {
	BLOCK = 256, /* lengths that are converted together */
};

/* The parts of a chunk's staging memory. */
struct staging {
	char *values;
	uint32_t *from;
	uint32_t *to;
};

static struct staging staging_of(const struct apsp_device_arcs *arcs, void *all)
{
	struct staging parts = {.values = all};

	/* the widest first: each part is aligned */
	parts.from = (uint32_t *)(parts.values +
				  arcs->n_together *
					  apsp_element_size(arcs->element));
	parts.to = parts.from + arcs->n_together;
	return parts;
}

/* The arcs [first, end) of vertex u, to place `at` on. */
static void row_fill(const struct apsp_device_arcs *arcs, uint32_t u,
	uint64_t first, uint64_t end, uint64_t at, const struct staging *out)
{
	const struct apsp_lengths *lengths = arcs->lengths;
	size_t size = apsp_element_size(arcs->element);
	uint32_t from = arcs->order->positions[u];
	int64_t block[BLOCK];

	while (first < end) {
		uint64_t n = end - first < BLOCK ? end - first : BLOCK;

		for (uint64_t i = 0; i < n; i++) {
			uint32_t head = lengths->heads[first + i];

			block[i] = apsp_integers_at(
				lengths, arcs->integers, u, first + i);
			out->from[at + i] = from;
			out->to[at + i] = arcs->order->positions[head];
		}
		apsp_element_store(
			arcs->element, block, n, out->values + at * size);
		first += n;
		at += n;
	}
}

static void staging_fill(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t n, const struct staging *out)
{
	const uint64_t *offsets = arcs->lengths->offsets;
	uint64_t end = first + n;
	uint32_t u = 0;

	while (offsets[u + 1] <= first)
		u++;
	for (uint64_t e = first; e < end; u++) {
		uint64_t row = offsets[u + 1] < end ? offsets[u + 1] : end;

		row_fill(arcs, u, e, row, e - first, out);
		e = row;
	}
}

static int buffer_write(const struct apsp_device_arcs *arcs, cl_mem buffer,
	const void *data, size_t size, struct apsp_err *err)
{
	return apsp_device_check(
		clEnqueueWriteBuffer(arcs->device->queue, buffer, CL_TRUE, 0,
			size, data, 0, NULL, NULL),
		"write arcs", err);
}

/* The arcs from `first` on, by way of staging memory. */
static int chunk_write(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t n, void *staging, struct apsp_err *err)
{
	const struct staging parts = staging_of(arcs, staging);
	int r;

	staging_fill(arcs, first, n, &parts);
	r = buffer_write(
		arcs, arcs->from, parts.from, n * sizeof(*parts.from), err);
	if (r >= 0)
		r = buffer_write(
			arcs, arcs->to, parts.to, n * sizeof(*parts.to), err);
	if (r >= 0)
		r = buffer_write(arcs, arcs->values, parts.values,
			n * apsp_element_size(arcs->element), err);
	return r;
}

static int buffers_make(struct apsp_device_arcs *arcs, struct apsp_err *err)
{
	size_t n = arcs->n_together;
	int r = apsp_device_buffer(
		arcs->device, sizeof(uint32_t) * n, NULL, &arcs->from, err);

	if (r >= 0)
		r = apsp_device_buffer(arcs->device, sizeof(uint32_t) * n, NULL,
			&arcs->to, err);
	if (r >= 0)
		r = apsp_device_buffer(arcs->device,
			apsp_element_size(arcs->element) * n, NULL,
			&arcs->values, err);
	return r;
}

int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	enum apsp_element element, struct apsp_device_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done)
	struct apsp_device_arcs arcs = {
		.device = device,
		.lengths = lengths,
		.integers = integers,
		.order = order,
		.element = element,
		.n_arcs = lengths->n_arcs,
		.n_together = apsp_device_arcs_together(lengths->n_arcs,
			element, device->tuning->staging_bytes),
	};
	int r = buffers_make(&arcs, err);

	if (r < 0)
		return r;
	arcs.staging = malloc(
		arcs.n_together *
			(2 * sizeof(uint32_t) + apsp_element_size(element)) +
		1);
	if (!arcs.staging)
		return apsp_fail(err, APSP_ENOMEM, "order %llu arcs",
			(unsigned long long)arcs.n_arcs);
	if (arcs.n_together == arcs.n_arcs) {
		if (arcs.n_arcs > 0)
			r = chunk_write(
				&arcs, 0, arcs.n_arcs, arcs.staging, err);
		free(arcs.staging);
		arcs.staging = NULL;
	}
	if (r < 0)
		return r;
	*out = APSP_TAKE(arcs);
	return 0;
}

int apsp_device_arcs_bring(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t *out_n, struct apsp_err *err)
{
	uint64_t left = arcs->n_arcs - first;
	uint64_t n = left < arcs->n_together ? left : arcs->n_together;
	int r = 0;

	if (arcs->staging)
		r = chunk_write(arcs, first, n, arcs->staging, err);
	if (r >= 0)
		*out_n = n;
	return r;
}

void apsp_device_arcs_done(struct apsp_device_arcs *arcs)
{
	apsp_device_buffer_done(&arcs->from);
	apsp_device_buffer_done(&arcs->to);
	apsp_device_buffer_done(&arcs->values);
	free(arcs->staging);
	memset(arcs, 0, sizeof(*arcs));
}

/* The kernels of load.cl. */
struct kernels {
	cl_kernel fill;
	cl_kernel scatter;
	cl_kernel zero;
};

static void kernels_done(struct kernels *kernels)
{
	apsp_device_kernel_done(&kernels->fill);
	apsp_device_kernel_done(&kernels->scatter);
	apsp_device_kernel_done(&kernels->zero);
}

static int kernels_make(
	cl_program program, struct kernels *kernels, struct apsp_err *err)
{
	int r = apsp_kernel_make(program, "fill", &kernels->fill, err);

	if (r >= 0)
		r = apsp_kernel_make(
			program, "scatter", &kernels->scatter, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "zero", &kernels->zero, err);
	return r;
}

/* Infinity, and zeros on the diagonal, which no arc is on. */
static int buffer_clear(const struct apsp_panels *panels,
	const struct kernels *kernels, uint32_t b, struct apsp_err *err)
{
	cl_uint base = b * panels->panels_per_buffer;
	cl_uint n_panels = apsp_panels_in_buffer(panels, b);
	cl_ulong n_values = n_panels *
			    apsp_panel_bytes(panels->n_tiles, panels->element) /
			    apsp_element_size(panels->element);
	const struct apsp_kernel_arg fill_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(n_values)};
	const struct apsp_kernel_arg zero_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(base),
		APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
		APSP_ARG(panels->finite), APSP_ARG(panels->n_vertices)};
	int r = apsp_kernel_args(kernels->fill, fill_args, 2, err);

	if (r >= 0)
		r = apsp_kernel_launch_strided(
			panels->device, kernels->fill, n_values, err);
	if (r >= 0)
		r = apsp_kernel_args(kernels->zero, zero_args, 6, err);
	if (r >= 0)
		r = apsp_kernel_launch(panels->device, kernels->zero,
			panels->n_vertices, 1,
			panels->device->tuning->row_group, 1, err);
	return r;
}

static int buffer_scatter(const struct apsp_panels *panels,
	const struct kernels *kernels, uint32_t b,
	const struct apsp_device_arcs *arcs, cl_ulong n_arcs,
	struct apsp_err *err)
{
	cl_uint base = b * panels->panels_per_buffer;
	cl_uint n_panels = apsp_panels_in_buffer(panels, b);
	cl_mem from = arcs->transposed ? arcs->to : arcs->from;
	cl_mem to = arcs->transposed ? arcs->from : arcs->to;
	const struct apsp_kernel_arg args[] = {APSP_ARG(panels->buffers[b]),
		APSP_ARG(base), APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
		APSP_ARG(panels->finite), APSP_ARG(from), APSP_ARG(to),
		APSP_ARG(arcs->values), APSP_ARG(n_arcs)};
	int r = apsp_kernel_args(kernels->scatter, args, 9, err);

	if (r >= 0)
		r = apsp_kernel_launch_strided(
			panels->device, kernels->scatter, n_arcs, err);
	return r;
}

int apsp_panels_load(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	APSP_AUTO(kernels_done) struct kernels kernels = {0};
	uint64_t n = 0;
	int r = apsp_program_build(
		panels->device, "load", panels->element, "", &program, err);

	if (r >= 0)
		r = kernels_make(program, &kernels, err);
	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++)
		r = buffer_clear(panels, &kernels, b, err);
	for (uint64_t first = 0; r >= 0 && first < arcs->n_arcs; first += n) {
		r = apsp_device_arcs_bring(arcs, first, &n, err);
		for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++)
			r = buffer_scatter(panels, &kernels, b, arcs, n, err);
	}
	return r;
}
