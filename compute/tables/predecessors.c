/*
 * Predecessors on the device; see predecessors.h.
 */
#include "compute/tables/predecessors.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/graph/split_sort.h"
#include "compute/graph/v_element.h"
#include "compute/plan/footprint.h"
#include "daemon/base/auto.h"

enum {
	/* the sizes of work-groups and tiles of kernels/predecessor_gpu.cl */
	WIDE = 32,
	TALL = 8,
	STRIP = 64,
	TURN_ROWS = 4,
};

/* The state of sorting the flagged arcs by head, then by tail. */
struct in_arcs {
	const struct apsp_lengths *lengths; /* borrowed, as the next two */
	const struct apsp_integers *integers;
	const uint8_t *flags;
	enum apsp_element element;
	struct apsp_split_sort sort;
	uint32_t *offsets;
	struct apsp_device_map tails;
	struct apsp_device_map values;
	/* the sum of the arcs' apsp_predecessors_arc_mark() */
	atomic_uint_least64_t sum;
};

static void in_arcs_done(struct in_arcs *in)
{
	apsp_device_map_done(&in->tails);
	apsp_device_map_done(&in->values);
	apsp_split_sort_done(&in->sort);
	free(in->offsets);
}

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct in_arcs *in = ctx;

	for (uint64_t e = first; e < end; e++)
		places[in->lengths->heads[e]] += in->flags[e];
}

/* Count the flagged arcs of each head, and make buffers for all of them. */
static int in_arcs_open(
	struct apsp_predecessors *p, struct in_arcs *in, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint64_t *offsets = NULL;
	uint64_t n_arcs = in->lengths->n_arcs;
	size_t n = in->lengths->n_vertices;
	int r;

	offsets = malloc((n + 1) * sizeof(*offsets));
	in->offsets = malloc((n + 1) * sizeof(*in->offsets));
	if (!offsets || !in->offsets)
		return apsp_fail(err, APSP_ENOMEM, "select %llu arcs",
			(unsigned long long)n_arcs);
	r = apsp_split_sort_init(&in->sort, n_arcs, n, err);
	if (r < 0)
		return r;
	apsp_split_sort_run(&in->sort, part_count, in);
	p->n_arcs = apsp_split_sort_sum(&in->sort, offsets);
	if (p->n_arcs >= UINT32_MAX)
		return apsp_fail(err, APSP_ELIMIT,
			"%llu arcs for predecessors, more than 2^32",
			(unsigned long long)p->n_arcs);
	for (size_t v = 0; v <= n; v++)
		in->offsets[v] = (uint32_t)offsets[v];
	r = apsp_device_map_open(p->device, p->n_arcs * sizeof(uint32_t),
		&p->tails, &in->tails, err);
	return r < 0 ? r
		     : apsp_device_map_open(p->device,
			       p->n_arcs * apsp_element_size(p->element),
			       &p->lengths, &in->values, err);
}

static void part_fill(void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	struct in_arcs *in = ctx;
	const struct apsp_lengths *lengths = in->lengths;
	size_t size = apsp_element_size(in->element);
	uint32_t *tails = in->tails.bytes;
	uint32_t u = apsp_lengths_row_of(
		lengths->offsets, lengths->n_vertices, first);
	uint64_t sum = 0;

	for (uint64_t e = first; e < end; e++) {
		int64_t length;
		uint64_t at;

		while (lengths->offsets[u + 1] <= e)
			u++;
		if (!in->flags[e])
			continue;
		at = places[lengths->heads[e]]++;
		length = apsp_integers_at(lengths, in->integers, u, e);
		tails[at] = u;
		apsp_v_element_store(in->element, &length, 1,
			(char *)in->values.bytes + at * size);
		if (lengths->lengths)
			sum += apsp_predecessors_arc_mark(
				u, lengths->heads[e], lengths->lengths[e]);
	}
	atomic_fetch_add(&in->sum, sum);
}

/*
 * Write the flagged arcs into mapped buffers of the device, because a copy on
 * the host might be as large as all arcs. Then read them back and compare.
 */
static int in_arcs_put(struct apsp_predecessors *p,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags,
	struct apsp_err *err)
{
	APSP_AUTO(in_arcs_done)
	struct in_arcs in = {.lengths = lengths,
		.integers = integers,
		.flags = flags,
		.element = p->element};
	uint64_t of_tails, of_values;
	size_t tails, values;
	int r = in_arcs_open(p, &in, err);

	if (r < 0)
		return r;
	apsp_split_sort_run(&in.sort, part_fill, &in);
	p->arcs_sum = atomic_load(&in.sum);
	tails = p->n_arcs * sizeof(uint32_t);
	values = p->n_arcs * apsp_element_size(p->element);
	of_tails = apsp_device_bytes_sum(in.tails.bytes, tails);
	of_values = apsp_device_bytes_sum(in.values.bytes, values);
	r = apsp_device_map_close(&in.tails, err);
	if (r >= 0)
		r = apsp_device_map_close(&in.values, err);
	if (r >= 0)
		r = apsp_device_buffer_verify(
			p->device, p->tails, tails, of_tails, err);
	if (r >= 0)
		r = apsp_device_buffer_verify(
			p->device, p->lengths, values, of_values, err);
	return r < 0 ? r
		     : apsp_device_copy_make(p->device,
			       ((size_t)p->n_vertices + 1) *
				       sizeof(*in.offsets),
			       in.offsets, &p->offsets, err);
}

int apsp_predecessors_open(const struct apsp_panels *panels,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags,
	struct apsp_predecessors *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_predecessors_done)
	struct apsp_predecessors p = {
		.device = panels->device,
		.element = panels->element,
		.n_vertices = panels->n_vertices,
		.batch = apsp_predecessor_batch(panels->n_vertices,
			panels->element, panels->device->tuning->gpu),
		.vertex_size = apsp_element_size(
			apsp_predecessor_element(panels->n_vertices)),
	};
	APSP_AUTO(apsp_kernel_program_done) cl_program program = NULL;
	bool gpu = p.device->tuning->gpu;
	int r;

	/* if V has no hop counts, the scale stays 0; with potentials, V never
	   has them */
	if (integers->kind == APSP_DISTANCE_SCALED && !integers->potentials)
		p.scale = (cl_uint)integers->scale;
	r = in_arcs_put(&p, lengths, integers, flags, err);
	if (r >= 0)
		r = apsp_kernel_cache_build(p.device,
			gpu ? "predecessor_gpu" : "predecessor_cpu", p.element,
			p.vertex_size == 2 ? "-DPREDECESSOR_BITS=16"
					   : "-DPREDECESSOR_BITS=32",
			&program, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "predecessors", &p.kernel, err);
	if (r >= 0 && gpu)
		r = apsp_kernel_make(program, "turn", &p.turn, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(p);
	return 0;
}

void apsp_predecessors_done(struct apsp_predecessors *p)
{
	apsp_kernel_done(&p->kernel);
	apsp_kernel_done(&p->turn);
	apsp_device_buffer_done(&p->offsets);
	apsp_device_buffer_done(&p->tails);
	apsp_device_buffer_done(&p->lengths);
	apsp_device_buffer_done(&p->turned);
	memset(p, 0, sizeof(*p));
}

static uint32_t batches_of(const struct apsp_predecessors *p, uint32_t n_rows)
{
	return (n_rows + p->batch.lanes - 1) / p->batch.lanes;
}

int apsp_predecessors_reserve(struct apsp_predecessors *predecessors,
	uint32_t n_rows, struct apsp_err *err)
{
	apsp_device_buffer_done(&predecessors->turned);
	return apsp_device_buffer_make(predecessors->device,
		(size_t)batches_of(predecessors, n_rows) *
			predecessors->n_vertices * predecessors->batch.bytes,
		NULL, &predecessors->turned, err);
}

/* On a GPU, one kernel transposes batches of rows, and a second kernel searches
   them: each of its groups takes strips of columns. On a CPU, one kernel does
   both. */
int apsp_predecessors_rows(const struct apsp_predecessors *p, cl_mem v,
	uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_marks_at marks, struct apsp_err *err)
{
	bool gpu = p->device->tuning->gpu;
	uint32_t n_batches = batches_of(p, n_rows);
	uint32_t strips = (p->n_vertices + STRIP - 1) / STRIP;
	const struct apsp_kernel_arg turn[] = {APSP_ARG(v),
		APSP_ARG(p->n_vertices), APSP_ARG(n_rows), APSP_ARG(p->turned)};
	const cl_mem *rows = gpu ? &p->turned : &v;
	const struct apsp_kernel_arg args[] = {{sizeof(*rows), rows},
		APSP_ARG(p->n_vertices), APSP_ARG(first), APSP_ARG(p->offsets),
		APSP_ARG(p->tails), APSP_ARG(p->lengths), APSP_ARG(p->scale),
		APSP_ARG(out), APSP_ARG(checks), APSP_ARG(n_rows),
		APSP_ARG(marks.distances), APSP_ARG(marks.predecessors),
		APSP_ARG(p->turned)};
	int r = 0;

	if (gpu)
		r = apsp_kernel_args(p->turn, turn, 4, err);
	if (r >= 0 && gpu)
		r = apsp_kernel_launch(p->device, p->turn, p->n_vertices,
			(size_t)n_batches * TURN_ROWS, p->batch.lanes,
			TURN_ROWS, err);
	if (r >= 0)
		r = apsp_kernel_args(p->kernel, args, gpu ? 12 : 13, err);
	if (r < 0)
		return r;
	return gpu ? apsp_kernel_launch(p->device, p->kernel,
			     (size_t)strips * WIDE, (size_t)n_batches * TALL,
			     WIDE, TALL, err)
		   : apsp_kernel_launch(
			     p->device, p->kernel, n_batches, 1, 1, 1, err);
}
