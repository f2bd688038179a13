/*
 * Arcs for the closure's kernels; see closure_arcs.h.
 */
#include "compute/closure/closure_arcs.h"

#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "daemon/base/auto.h"

int apsp_closure_arcs_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_closure_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_closure_arcs_done)
	struct apsp_closure_arcs arcs = {.n_arcs = lengths->n_arcs};
	size_t size = sizeof(cl_uint) * lengths->n_arcs;
	APSP_AUTO(apsp_free) cl_uint *tails = NULL;
	int r;

	tails = malloc(size + 1);
	if (!tails)
		return apsp_fail(err, APSP_ENOMEM, "no memory for %llu arcs",
			(unsigned long long)lengths->n_arcs);
	for (cl_uint v = 0; v < lengths->n_vertices; v++)
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++)
			tails[e] = v;
	r = apsp_device_copy_make(device, size, tails, &arcs.tails, err);
	if (r >= 0)
		r = apsp_device_copy_make(
			device, size, lengths->heads, &arcs.heads, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(arcs);
	return 0;
}

void apsp_closure_arcs_done(struct apsp_closure_arcs *arcs)
{
	apsp_device_buffer_done(&arcs->tails);
	apsp_device_buffer_done(&arcs->heads);
}

int apsp_closure_arcs_set(const struct apsp_closure_arcs *arcs,
	const struct apsp_closure_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
	const struct apsp_kernel_arg args[] = {APSP_ARG(rows->bits),
		APSP_ARG(rows->lines), APSP_ARG(arcs->tails),
		APSP_ARG(arcs->heads), APSP_ARG(arcs->n_arcs)};
	int r = apsp_kernel_make(rows->program, "arcs", &kernel, err);

	if (r >= 0)
		r = apsp_kernel_args(kernel, args, 5, err);
	if (r < 0)
		return r;
	return apsp_kernel_launch(rows->device, kernel, arcs->n_arcs, 1,
		rows->device->tuning->row_group, 1, err);
}
