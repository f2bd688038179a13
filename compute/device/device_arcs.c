/*
 * Copying arcs to a device; see device_arcs.h.
 */
#include "compute/device/device_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "compute/graph/v_element.h"
#include "compute/plan/footprint.h"
#include "daemon/base/auto.h"

enum {
	BLOCK = 256, /* number of lengths that are converted together */
};

/* A chunk of arcs in host memory, before it is copied to the device. The arrays
   share one block of memory. */
struct staging {
	char *values;
	uint32_t *from;
	uint32_t *to;
};

static struct staging staging_of(const struct apsp_device_arcs *arcs, void *all)
{
	struct staging parts = {.from = all};

	/* In the block, the positions of all tails come first, then the
	   positions of all heads, then the values (the lengths). The two
	   positions of an arc take 8 bytes, so the values begin at a multiple
	   of 8 bytes. This alignment suits elements of every size. */
	parts.to = parts.from + arcs->n_together;
	parts.values = (char *)(parts.to + arcs->n_together);
	return parts;
}

/* Store the arcs [first, end), which all begin at vertex u, in the arrays of
   `out`. In these arrays, the first of the arcs gets index `at`. */
static void row_fill(const struct apsp_device_arcs *arcs, uint32_t u,
	uint64_t first, uint64_t end, uint64_t at, const struct staging *out)
{
	const struct apsp_lengths *lengths = arcs->lengths;
	size_t size = apsp_element_size(arcs->element);
	uint32_t from = arcs->positions->of[u];
	int64_t block[BLOCK];

	while (first < end) {
		uint64_t n = end - first < BLOCK ? end - first : BLOCK;

		for (uint64_t i = 0; i < n; i++) {
			uint32_t head = lengths->heads[first + i];

			block[i] = apsp_integers_at(
				lengths, arcs->integers, u, first + i);
			out->from[at + i] = from;
			out->to[at + i] = arcs->positions->of[head];
		}
		apsp_v_element_store(
			arcs->element, block, n, out->values + at * size);
		first += n;
		at += n;
	}
}

/* Convert n arcs, beginning with arc `first`, to the form that kernels read.
   Write the converted arcs to `staging`, and copy them to the device's buffers.
 */
static int chunk_write(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t n, void *staging, struct apsp_err *err)
{
	const struct staging parts = staging_of(arcs, staging);
	const uint64_t *offsets = arcs->lengths->offsets;
	uint64_t end = first + n;
	uint32_t u = 0;
	int r;

	while (offsets[u + 1] <= first)
		u++;
	for (uint64_t e = first; e < end; u++) {
		uint64_t row = offsets[u + 1] < end ? offsets[u + 1] : end;

		row_fill(arcs, u, e, row, e - first, &parts);
		e = row;
	}
	r = apsp_device_copy_write(arcs->device, arcs->from, 0,
		n * sizeof(*parts.from), parts.from, err);
	if (r >= 0)
		r = apsp_device_copy_write(arcs->device, arcs->to, 0,
			n * sizeof(*parts.to), parts.to, err);
	/* The lengths are not read back to check them. A wrong length cannot
	   make a kernel access memory outside its buffers, and the search for
	   predecessors detects wrong lengths. */
	return r < 0 ? r
		     : apsp_opencl_check(
			       clEnqueueWriteBuffer(arcs->device->queue,
				       arcs->values, CL_TRUE, 0,
				       n * apsp_element_size(arcs->element),
				       parts.values, 0, NULL, NULL),
			       "write arcs", err);
}

int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, enum apsp_element element,
	struct apsp_device_arcs *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done)
	struct apsp_device_arcs arcs = {
		.device = device,
		.lengths = lengths,
		.integers = integers,
		.positions = positions,
		.element = element,
		.n_arcs = lengths->n_arcs,
		.n_together = apsp_device_arcs_together(lengths->n_arcs,
			element, device->tuning->staging_bytes),
	};
	size_t ends = arcs.n_together * sizeof(uint32_t);
	size_t values = arcs.n_together * apsp_element_size(element);
	int r = apsp_device_buffer_make(device, ends, NULL, &arcs.from, err);

	if (r >= 0)
		r = apsp_device_buffer_make(device, ends, NULL, &arcs.to, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			device, values, NULL, &arcs.values, err);
	if (r < 0)
		return r;
	arcs.staging = malloc(2 * ends + values + 1);
	if (!arcs.staging)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to order %llu arcs",
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
