/*
 * Reads the device's arcs back and finds their real lengths; see sum_arcs.h.
 * The device's arcs are sorted by head, and the arcs to one head are sorted by
 * tail. The graph's arcs are visited in the order of their tails. Each visited
 * arc is compared with one of the device's arcs: the first arc to the same head
 * that has no length yet. If both have the same tail, they are the same arc,
 * and the device's arc gets the length. Otherwise the device does not have the
 * visited arc.
 */
#include "compute/tables/sum_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

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
	return apsp_opencl_read(device->queue, from, 0, size, out,
		"read the predecessors' arcs", err);
}

int apsp_sum_arcs_load(const struct apsp_predecessors *predecessors,
	const struct apsp_lengths *lengths, struct apsp_sum_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sum_arcs_done) struct apsp_sum_arcs arcs = {0};
	/* the offsets that are read from the device */
	APSP_AUTO(apsp_free) uint32_t *narrow = NULL;
	APSP_AUTO(apsp_free) uint64_t *places = NULL;
	const struct apsp_predecessors *p = predecessors;
	size_t n = lengths->n_vertices;
	uint64_t sum = 0;
	int r;

	arcs.n_vertices = lengths->n_vertices;
	arcs.offsets = calloc(n + 1, sizeof(*arcs.offsets));
	arcs.tails = malloc(p->n_arcs * sizeof(*arcs.tails) + 1);
	arcs.lengths = malloc(p->n_arcs * sizeof(*arcs.lengths) + 1);
	narrow = malloc((n + 1) * sizeof(*narrow));
	places = malloc(n * sizeof(*places) + 1);
	if (!arcs.offsets || !arcs.tails || !arcs.lengths || !narrow || !places)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu arcs to sum",
			(unsigned long long)p->n_arcs);
	r = device_read(
		p->device, p->offsets, (n + 1) * sizeof(*narrow), narrow, err);
	if (r >= 0)
		r = device_read(p->device, p->tails,
			p->n_arcs * sizeof(*arcs.tails), arcs.tails, err);
	if (r < 0)
		return r;
	for (size_t v = 0; v <= n; v++)
		arcs.offsets[v] = narrow[v];
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
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t a = arcs.offsets[v]; a < arcs.offsets[v + 1]; a++)
			sum += apsp_predecessors_arc_mark(
				arcs.tails[a], v, arcs.lengths[a]);
	if (sum != p->arcs_sum)
		return apsp_fail(err, APSP_EPROOF,
			"the arcs of the path sums are not the arcs of the "
			"graph");
	*out = APSP_TAKE(arcs);
	return 0;
}
