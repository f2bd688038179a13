/*
 * Filling panels from arcs; see panels.h.
 */
#include "compute/panels.h"

#include <stdlib.h>

#include "compute/program.h"
#include "daemon/base/auto.h"

int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	enum apsp_element element, struct apsp_device_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done)
	struct apsp_device_arcs arcs = {.n_arcs = lengths->n_arcs};
	APSP_AUTO(apsp_free) uint32_t *from = NULL;
	APSP_AUTO(apsp_free) uint32_t *to = NULL;
	APSP_AUTO(apsp_free) void *values = NULL;
	uint64_t n = lengths->n_arcs;
	int r;

	from = malloc(sizeof(*from) * n + 1);
	to = malloc(sizeof(*to) * n + 1);
	values = malloc(apsp_element_size(element) * n + 1);
	if (!from || !to || !values)
		return apsp_fail(err, APSP_ENOMEM, "order %llu arcs",
			(unsigned long long)n);
	for (uint32_t u = 0; u < lengths->n_vertices; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			from[e] = order->positions[u];
			to[e] = order->positions[lengths->heads[e]];
		}
	apsp_element_store(element, integers->lengths, n, values);
	r = apsp_device_buffer(
		device, sizeof(*from) * n, from, &arcs.from, err);
	if (r >= 0)
		r = apsp_device_buffer(
			device, sizeof(*to) * n, to, &arcs.to, err);
	if (r >= 0)
		r = apsp_device_buffer(device, apsp_element_size(element) * n,
			values, &arcs.lengths, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(arcs);
	return 0;
}

void apsp_device_arcs_done(struct apsp_device_arcs *arcs)
{
	apsp_device_buffer_done(&arcs->from);
	apsp_device_buffer_done(&arcs->to);
	apsp_device_buffer_done(&arcs->lengths);
	arcs->n_arcs = 0;
}

/* The three kernels of load.cl on one buffer. */
static int buffer_load(const struct apsp_panels *panels, cl_program program,
	uint32_t b, const struct apsp_device_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_kernel_done) cl_kernel fill = NULL;
	APSP_AUTO(apsp_device_kernel_done) cl_kernel scatter = NULL;
	APSP_AUTO(apsp_device_kernel_done) cl_kernel zero = NULL;
	const struct apsp_device *device = panels->device;
	cl_uint base = b * panels->panels_per_buffer;
	cl_uint n_panels = apsp_panels_in_buffer(panels, b);
	cl_ulong n_values = n_panels *
			    apsp_panel_bytes(panels->n_tiles, panels->element) /
			    apsp_element_size(panels->element);
	cl_ulong n_arcs = arcs->n_arcs;
	const struct apsp_kernel_arg fill_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(n_values)};
	const struct apsp_kernel_arg scatter_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(base),
		APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
		APSP_ARG(panels->finite), APSP_ARG(arcs->from),
		APSP_ARG(arcs->to), APSP_ARG(arcs->lengths), APSP_ARG(n_arcs)};
	const struct apsp_kernel_arg zero_args[] = {
		APSP_ARG(panels->buffers[b]), APSP_ARG(base),
		APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
		APSP_ARG(panels->finite), APSP_ARG(panels->n_vertices)};
	int r;

	r = apsp_kernel_make(program, "fill", &fill, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "scatter", &scatter, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "zero", &zero, err);
	if (r >= 0)
		r = apsp_kernel_args(fill, fill_args, 2, err);
	if (r >= 0)
		r = apsp_kernel_launch_strided(device, fill, n_values, err);
	if (r >= 0)
		r = apsp_kernel_args(scatter, scatter_args, 9, err);
	if (r >= 0)
		r = apsp_kernel_launch_strided(device, scatter, n_arcs, err);
	if (r >= 0)
		r = apsp_kernel_args(zero, zero_args, 6, err);
	if (r >= 0)
		r = apsp_kernel_launch(device, zero, panels->n_vertices, 1,
			device->tuning->row_group, 1, err);
	return r;
}

int apsp_panels_load(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	int r = apsp_program_build(
		panels->device, "load", panels->element, "", &program, err);

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++)
		r = buffer_load(panels, program, b, arcs, err);
	return r;
}
