/*
 * Lengths for arcs by head, out of rows by tail; see sum_arcs.h. In both orders
 * the tails of a head ascend, so an arc met in the rows by tail can only be the
 * next one of its head.
 */
#include "compute/tables/sum_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

static int arcs_allocate(uint32_t n_vertices, uint64_t n_arcs,
	struct apsp_sum_arcs *out, struct apsp_err *err)
{
	out->n_vertices = n_vertices;
	out->offsets = calloc((size_t)n_vertices + 1, sizeof(*out->offsets));
	out->tails = malloc(n_arcs * sizeof(*out->tails) + 1);
	out->lengths = malloc(n_arcs * sizeof(*out->lengths) + 1);
	if (!out->offsets || !out->tails || !out->lengths)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu arcs to sum",
			(unsigned long long)n_arcs);
	return 0;
}

void apsp_sum_arcs_done(struct apsp_sum_arcs *arcs)
{
	free(arcs->offsets);
	free(arcs->tails);
	free(arcs->lengths);
	*arcs = (struct apsp_sum_arcs){0};
}

static int device_read(const struct apsp_device *device, cl_mem from,
	size_t size, void *out, struct apsp_err *err)
{
	if (size == 0)
		return 0;
	return apsp_opencl_check(clEnqueueReadBuffer(device->queue, from,
					 CL_TRUE, 0, size, out, 0, NULL, NULL),
		"read the predecessors' arcs", err);
}

/* The device's offsets have 32 bits. */
static int offsets_read(const struct apsp_predecessors *p,
	struct apsp_sum_arcs *out, struct apsp_err *err)
{
	size_t n = (size_t)p->n_vertices + 1;
	APSP_AUTO(apsp_free) uint32_t *narrow = NULL;
	int r;

	narrow = malloc(n * sizeof(*narrow));
	if (!narrow)
		return apsp_fail(
			err, APSP_ENOMEM, "read the predecessors' arcs");
	r = device_read(
		p->device, p->offsets, n * sizeof(*narrow), narrow, err);
	for (size_t v = 0; r >= 0 && v < n; v++)
		out->offsets[v] = narrow[v];
	return r;
}

static uint64_t arcs_sum(const struct apsp_sum_arcs *arcs)
{
	uint64_t sum = 0;

	for (uint32_t v = 0; v < arcs->n_vertices; v++)
		for (uint64_t a = arcs->offsets[v]; a < arcs->offsets[v + 1];
			a++)
			sum += apsp_predecessors_arc_mark(
				arcs->tails[a], v, arcs->lengths[a]);
	return sum;
}

int apsp_sum_arcs_load(const struct apsp_predecessors *predecessors,
	const struct apsp_lengths *lengths, struct apsp_sum_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sum_arcs_done) struct apsp_sum_arcs arcs = {0};
	APSP_AUTO(apsp_free) uint64_t *places = NULL;
	uint32_t n = lengths->n_vertices;
	int r = arcs_allocate(n, predecessors->n_arcs, &arcs, err);

	if (r >= 0)
		r = offsets_read(predecessors, &arcs, err);
	if (r >= 0)
		r = device_read(predecessors->device, predecessors->tails,
			predecessors->n_arcs * sizeof(*arcs.tails), arcs.tails,
			err);
	if (r < 0)
		return r;
	places = malloc(n * sizeof(*places) + 1);
	if (!places)
		return apsp_fail(err, APSP_ENOMEM, "place arcs to sum");
	memcpy(places, arcs.offsets, n * sizeof(*places));
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			uint32_t head = lengths->heads[e];
			uint64_t at = places[head];

			if (at == arcs.offsets[head + 1] || arcs.tails[at] != u)
				continue;
			arcs.lengths[at] = lengths->lengths[e];
			places[head]++;
		}
	if (arcs_sum(&arcs) != predecessors->arcs_sum)
		return apsp_fail(err, APSP_EPROOF,
			"the arcs to sum are not those of the graph");
	*out = APSP_TAKE(arcs);
	return 0;
}
