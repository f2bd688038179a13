/*
 * Reads rows of the distance matrix from panels, and marks the arcs that can
 * end a shortest path, with kernels/rows.cl or on the host; see panel_rows.h.
 */
#include "compute/device/panel_rows.h"

#include "compute/device/device_buffer.h"
#include "compute/device/host_panels.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

int apsp_panel_rows_read(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	const struct apsp_tuning *tuning = panels->device->tuning;
	/* on a CPU, each work-item copies a whole row */
	uint32_t columns =
		tuning->gpu
			? (panels->n_vertices + tuning->span - 1) / tuning->span
			: 1;
	const struct apsp_kernel_arg args[] = {APSP_ARG(panels->places),
		APSP_ARG(panels->vertices), APSP_ARG(panels->n_vertices),
		APSP_ARG(first), APSP_ARG(out)};
	const struct apsp_kernel_items items = {
		columns, n_rows, tuning->row_group, 1};

	if (panels->host)
		return apsp_host_panels_read(panels, first, n_rows, out, err);
	return apsp_panels_launch(panels, panels->rows, args, 5, items, err);
}

int apsp_panel_rows_essential(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, uint8_t *flags,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
	APSP_AUTO(apsp_device_buffer_done) cl_mem marks = NULL;
	const struct apsp_device *device = panels->device;
	static const cl_uchar none = 0;
	cl_ulong n = 0;
	int r;

	if (panels->host) {
		apsp_host_panels_essential(panels, flags);
		return 0;
	}
	r = apsp_kernel_cache_kernel(
		device, "rows", panels->element, "", "essential", &kernel, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			device, arcs->n_together, NULL, &marks, err);
	for (uint64_t first = 0; r >= 0 && first < arcs->n_arcs; first += n) {
		const struct apsp_kernel_arg args[] = {APSP_ARG(arcs->from),
			APSP_ARG(arcs->to), APSP_ARG(arcs->values), APSP_ARG(n),
			APSP_ARG(marks)};

		r = apsp_device_arcs_bring(arcs, first, &n, err);
		/* clear all marks first: the panels may lack the rows of some
		   vertices, and the kernel writes no mark for an arc that
		   begins at such a vertex */
		if (r >= 0)
			r = apsp_opencl_fill(device->queue, marks, &none, 1, 0,
				n, "clear the marks of arcs", err);
		if (r >= 0)
			r = apsp_panels_launch(panels, kernel, args, 5,
				apsp_kernel_elements(device, n), err);
		if (r >= 0)
			r = apsp_opencl_read(device->queue, marks, 0, n,
				flags + first, "read the essential arcs", err);
	}
	return r;
}
