/*
 * Gathering rows of V; see panel_rows.h.
 */
#include "compute/device/panel_rows.h"

#include "compute/device/host_panels.h"
#include "compute/device/kernel.h"

int apsp_panel_rows_read(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	const struct apsp_tuning *tuning = panels->device->tuning;
	/* on a CPU, each item copies a whole row */
	uint32_t columns =
		tuning->gpu
			? (panels->n_vertices + tuning->span - 1) / tuning->span
			: 1;
	const struct apsp_kernel_arg args[] = {APSP_ARG(panels->places),
		APSP_ARG(panels->vertices), APSP_ARG(panels->n_vertices),
		APSP_ARG(first), APSP_ARG(out)};
	int r = 0;

	if (panels->host)
		return apsp_host_panels_read(panels, first, n_rows, out, err);
	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		r = apsp_panels_args(panels, b, panels->rows, args, 5, err);
		if (r >= 0)
			r = apsp_kernel_launch(panels->device, panels->rows,
				columns, n_rows, tuning->row_group, 1, err);
	}
	return r;
}
