/*
 * Copies the tails and heads of arcs to a device; see closure_arcs.h.
 */
#include "compute/closure/closure_arcs.h"

#include <stdlib.h>

#include "compute/device/device_buffer.h"
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
