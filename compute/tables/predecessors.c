/*
 * Finds predecessors on the device; see predecessors.h.
 */
#include "compute/tables/predecessors.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/graph/in_arcs.h"
#include "compute/graph/root_paths.h"
#include "compute/graph/semiring.h"
#include "compute/graph/split_sort.h"
#include "compute/graph/v_element.h"
#include "compute/parallel.h"
#include "compute/plan/footprint.h"
#include "daemon/base/auto.h"

enum {
	/* The next six numbers are the sizes of work-groups and tiles. They
	   must equal the sizes in kernels/predecessor_gpu.cl and
	   settle_gpu.clh. */
	WIDE = 32,
	TALL = 8,
	SETTLE_WIDE = 4,
	SETTLE_TALL = 64,
	STRIP = 64,
	TURN_ROWS = 4,
	/* number of vertices whose incoming arcs one task of heads_rank()
	   handles */
	HEADS = 256,
	/* number of arguments that the kernel has on every device and for every
	   kind of path; the last two of them say where the kernel stores marks
	   (checksums) */
	MARKED_ARGS = 13,
	OPTIONS_SIZE = 64,
};

/* The state of sorting arcs by head and then by tail. Only the arcs whose byte
   in `kept` is 1 are sorted. */
struct kept_arcs {
	const struct apsp_lengths *lengths; /* borrowed, as are the next two
					       members */
	const struct apsp_integers *integers;
	const uint8_t *kept;
	enum apsp_element element;
	struct apsp_split_sort sort;
	uint32_t *offsets;
	struct apsp_device_map tails;
	struct apsp_device_map values;
	struct apsp_device_map codes;
	/* checksum of the sorted arcs: apsp_predecessors_arc_mark() returns a
	   value for each arc, and the checksum is the sum of these values */
	atomic_uint_least64_t sum;
};

static void kept_arcs_done(struct kept_arcs *in)
{
	apsp_device_map_done(&in->tails);
	apsp_device_map_done(&in->values);
	apsp_device_map_done(&in->codes);
	apsp_split_sort_done(&in->sort);
	free(in->offsets);
}

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct kept_arcs *in = ctx;

	for (uint64_t e = first; e < end; e++)
		if (in->kept[e])
			places[in->lengths->heads[e]]++;
}

/* Count, for each head, the arcs whose byte in in->kept is 1, and make device
   buffers for these arcs. */
static int kept_arcs_open(
	struct apsp_predecessors *p, struct kept_arcs *in, struct apsp_err *err)
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
	r = apsp_split_sort_count(
		&in->sort, n_arcs, n, part_count, in, offsets, err);
	if (r < 0)
		return r;
	p->n_arcs = offsets[n];
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
	struct kept_arcs *in = ctx;
	const struct apsp_lengths *lengths = in->lengths;
	size_t size = apsp_element_size(in->element);
	uint32_t *tails = in->tails.bytes;
	uint32_t u = apsp_lengths_row_of(
		lengths->offsets, lengths->n_vertices, first);
	uint64_t sum = 0;

	for (uint64_t e = first; e < end; e++) {
		int64_t length;
		uint64_t at;

		if (!in->kept[e])
			continue;
		while (lengths->offsets[u + 1] <= e)
			u++;
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
 * Process one block of vertices: store the ranks of the arcs to these vertices
 * in in->codes. The table stores these ranks as predecessors. The rank of an
 * arc is its position in the table's list of all arcs to its head. In this list
 * and in in->tails, the arcs to a head are in ascending order of tails, so one
 * pass finds all ranks.
 */
static void heads_rank(void *ctx, unsigned int thread, size_t block)
{
	const struct kept_arcs *in = ctx;
	const struct apsp_in_arcs *all = &in->lengths->in;
	const uint32_t *tails = in->tails.bytes;
	uint32_t *codes = in->codes.bytes, j = (uint32_t)block * HEADS;
	uint32_t n = in->lengths->n_vertices;
	uint32_t end = n - j < HEADS ? n : j + HEADS;

	(void)thread;
	for (; j < end; j++) {
		const uint32_t *list = all->tails + all->offsets[j];
		uint32_t rank = 0;

		for (uint32_t a = in->offsets[j]; a < in->offsets[j + 1]; a++) {
			while (list[rank] != tails[a])
				rank++;
			codes[a] = rank++;
		}
	}
}

/* Make and fill the device buffer p->codes: for each arc, the value that is
   stored as the predecessor if a path ends with the arc. Call this function
   before in->tails is unmapped. */
static int codes_put(
	struct apsp_predecessors *p, struct kept_arcs *in, struct apsp_err *err)
{
	int r;

	if (!apsp_in_arcs_ranks(in->lengths)) {
		p->codes = p->tails;
		return 0;
	}
	r = apsp_device_map_open(p->device, p->n_arcs * sizeof(uint32_t),
		&p->codes, &in->codes, err);
	if (r < 0)
		return r;
	apsp_parallel_for((p->n_vertices + HEADS - 1) / HEADS,
		apsp_parallel_processors(), heads_rank, in);
	return apsp_device_map_close(&in->codes, true, err);
}

/*
 * Write the arcs whose byte in `kept` is 1 directly into mapped buffers of the
 * device. No copy is made on the host, because it could be as large as the list
 * of all arcs. Then read the buffers back, and compare the arcs that were read
 * with the arcs that were written.
 */
static int kept_arcs_put(struct apsp_predecessors *p,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *kept,
	struct apsp_err *err)
{
	APSP_AUTO(kept_arcs_done)
	struct kept_arcs in = {.lengths = lengths,
		.integers = integers,
		.kept = kept,
		.element = p->element};
	int r = kept_arcs_open(p, &in, err);

	if (r < 0)
		return r;
	apsp_split_sort_visit(&in.sort, part_fill, &in);
	p->arcs_sum = atomic_load(&in.sum);
	r = codes_put(p, &in, err);
	if (r >= 0)
		r = apsp_device_map_close(&in.tails, true, err);
	if (r >= 0)
		r = apsp_device_map_close(&in.values, true, err);
	return r < 0 ? r
		     : apsp_device_copy_make(p->device,
			       ((size_t)p->n_vertices + 1) *
				       sizeof(*in.offsets),
			       in.offsets, &p->offsets, err);
}

/* A vertex, and its path from or to the root. */
struct place {
	int64_t distance;
	uint32_t hops;
	uint32_t vertex;
};

static int nearer(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->hops != y->hops)
		return x->hops < y->hops ? -1 : 1;
	return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/*
 * Sort the vertices by their paths from or to the root: the nearest vertex
 * comes first, or last if `backward` is true. Each step away from the root
 * makes the distance larger, or keeps the distance and adds a hop. So the
 * vertices of a path are sorted along the path.
 */
static int side_sort(const struct apsp_root_side *side, uint32_t n,
	bool backward, uint32_t *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) struct place *places = NULL;

	places = malloc(((size_t)n + 1) * sizeof(*places));
	if (!places)
		return apsp_fail(err, APSP_ENOMEM, "order vertices");
	for (uint32_t v = 0; v < n; v++)
		places[v] =
			(struct place){side->distances[v], side->hops[v], v};
	qsort(places, n, sizeof(*places), nearer);
	for (uint32_t i = 0; i < n; i++)
		out[backward ? n - 1 - i : i] = places[i].vertex;
	return 0;
}

/*
 * For widest paths: make the buffer p->order. It has two orders of the
 * vertices. The kernel settles vertices in sweeps, and uses the two orders in
 * turn (compute/tables/README.md, Widest paths). Widest paths often lead to a
 * well-connected vertex, the root, and away from it. The first order suits
 * paths to the root: it begins with the vertices from which the root is far.
 * The second order suits paths from the root: it begins with the vertices near
 * the root. Two sweeps in these orders settle most vertices. With other orders,
 * more sweeps would be necessary.
 */
static int order_put(struct apsp_predecessors *p,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *kept,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *order = NULL;
	APSP_AUTO(apsp_lengths_done) struct apsp_lengths searched = {0};
	APSP_AUTO(apsp_root_paths_done) struct apsp_root_paths paths = {0};
	uint32_t n = p->n_vertices;
	size_t size = 2 * (size_t)n * sizeof(*order);
	int r;

	order = malloc(size + 1);
	if (!order)
		return apsp_fail(err, APSP_ENOMEM, "order vertices");
	r = apsp_lengths_select(lengths, kept, &searched, err);
	if (r >= 0)
		r = apsp_in_arcs_build(&searched, err);
	if (r >= 0)
		r = apsp_root_paths_find(
			&searched, integers, NULL, &paths, err);
	if (r >= 0)
		r = side_sort(&paths.to, n, true, order, err);
	if (r >= 0)
		r = side_sort(&paths.from, n, false, order + n, err);
	return r < 0 ? r
		     : apsp_device_copy_make(
			       p->device, size, order, &p->order, err);
}

int apsp_predecessors_open(const struct apsp_panels *panels,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *kept,
	const struct apsp_root_widths *root, struct apsp_predecessors *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_predecessors_done)
	struct apsp_predecessors p = {
		.device = panels->device,
		.element = panels->element,
		.n_vertices = panels->n_vertices,
		.stored = apsp_in_arcs_element(lengths),
		.widest = integers->kind == APSP_DISTANCE_WIDTH,
	};
	/* a CPU uses only the first kernel; a GPU also uses `turn` and, for
	   widest paths, `settle` */
	const struct apsp_kernel_wanted wanted[] = {{"predecessors", &p.kernel},
		{"turn", &p.turn}, {"settle", &p.settle}};
	bool gpu = p.device->tuning->gpu;
	char options[OPTIONS_SIZE];
	int r;

	p.batch = apsp_predecessor_batch(p.stored, p.element, gpu);
	snprintf(options, sizeof(options), "-DPREDECESSOR_BITS=%zu%s",
		8 * apsp_element_size(p.stored),
		apsp_semiring_option(integers->kind));

	/* integer distances contain hop counts only in this case; in all other
	   cases the scale stays 0, and the kernel checks no hop counts */
	if (integers->kind == APSP_DISTANCE_SCALED && !integers->potentials)
		p.scale = (cl_uint)integers->scale;
	r = kept_arcs_put(&p, lengths, integers, kept, err);
	if (r >= 0 && p.widest)
		r = order_put(&p, lengths, integers, kept, err);
	if (r >= 0 && p.widest)
		r = apsp_root_buffers_make(p.device, root, p.element, NULL,
			p.n_vertices, &p.root, err);
	if (r >= 0)
		r = apsp_kernel_cache_build(p.device,
			gpu ? "predecessor_gpu" : "predecessor_cpu", p.element,
			options, wanted,
			!gpu	   ? 1
			: p.widest ? 3
				   : 2,
			err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(p);
	return 0;
}

void apsp_predecessors_done(struct apsp_predecessors *p)
{
	apsp_kernel_done(&p->kernel);
	apsp_kernel_done(&p->turn);
	apsp_kernel_done(&p->settle);
	apsp_device_buffer_done(&p->offsets);
	if (p->codes != p->tails)
		apsp_device_buffer_done(&p->codes);
	apsp_device_buffer_done(&p->tails);
	apsp_device_buffer_done(&p->lengths);
	apsp_device_buffer_done(&p->turned);
	apsp_device_buffer_done(&p->order);
	apsp_root_buffers_done(&p->root);
	apsp_device_buffer_done(&p->settled);
	apsp_device_buffer_done(&p->found);
	apsp_device_buffer_done(&p->stamps);
	memset(p, 0, sizeof(*p));
}

static uint32_t batches_of(const struct apsp_predecessors *p, uint32_t n_rows)
{
	return (n_rows + p->batch.lanes - 1) / p->batch.lanes;
}

int apsp_predecessors_reserve(struct apsp_predecessors *predecessors,
	uint32_t n_rows, struct apsp_err *err)
{
	size_t cells = (size_t)batches_of(predecessors, n_rows) *
		       predecessors->n_vertices;
	const struct apsp_batch *batch = &predecessors->batch;
	bool gpu = predecessors->device->tuning->gpu;
	/* batch->settle_bytes counts what a batch takes at one vertex: its
	   values, its stored predecessors and, on a CPU, a stamp. `found` is
	   the number of bytes of the stored predecessors alone. */
	size_t found = batch->settle_bytes - batch->bytes -
		       (gpu ? 0 : sizeof(uint32_t));
	int r;

	apsp_device_buffer_done(&predecessors->turned);
	apsp_device_buffer_done(&predecessors->settled);
	apsp_device_buffer_done(&predecessors->found);
	apsp_device_buffer_done(&predecessors->stamps);
	r = apsp_device_buffer_make(predecessors->device, cells * batch->bytes,
		NULL, &predecessors->turned, err);
	if (r >= 0 && predecessors->widest)
		r = apsp_device_buffer_make(predecessors->device,
			cells * batch->bytes, NULL, &predecessors->settled,
			err);
	if (r >= 0 && predecessors->widest)
		r = apsp_device_buffer_make(predecessors->device, cells * found,
			NULL, &predecessors->found, err);
	if (r >= 0 && predecessors->widest && !gpu)
		r = apsp_device_buffer_make(predecessors->device,
			cells * sizeof(uint32_t), NULL, &predecessors->stamps,
			err);
	return r;
}

/* For widest paths on a GPU: settle all vertices of the transposed rows, which
   finds their predecessors (kernels/settle_gpu.clh). */
static int tails_settle(const struct apsp_predecessors *p, uint32_t first,
	uint32_t n_batches, struct apsp_err *err)
{
	const struct apsp_kernel_arg args[] = {APSP_ARG(p->turned),
		APSP_ARG(p->n_vertices), APSP_ARG(first), APSP_ARG(p->order),
		APSP_ARG(p->offsets), APSP_ARG(p->tails), APSP_ARG(p->codes),
		APSP_ARG(p->lengths), APSP_ARG(p->root.to),
		APSP_ARG(p->root.from), APSP_ARG(p->settled),
		APSP_ARG(p->found)};
	const struct apsp_kernel_items items = {WIDE,
		(size_t)n_batches * SETTLE_TALL, SETTLE_WIDE, SETTLE_TALL};

	return apsp_kernel_launch(p->device, p->settle, args,
		sizeof(args) / sizeof(*args), items, err);
}

/* On a GPU, one kernel transposes batches of rows, and a second kernel searches
   the transposed rows for predecessors. Each work-group of the second kernel
   handles STRIP columns of one batch. On a CPU, a single kernel transposes and
   searches. */
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
	struct apsp_kernel_arg args[MARKED_ARGS + 7] = {{sizeof(*rows), rows},
		APSP_ARG(p->n_vertices), APSP_ARG(first), APSP_ARG(p->offsets),
		APSP_ARG(p->tails), APSP_ARG(p->codes), APSP_ARG(p->lengths),
		APSP_ARG(p->scale), APSP_ARG(out), APSP_ARG(checks),
		APSP_ARG(n_rows), APSP_ARG(marks.distances),
		APSP_ARG(marks.predecessors)};
	const struct apsp_kernel_arg gpu_rest[] = {APSP_ARG(p->root.to),
		APSP_ARG(p->root.from), APSP_ARG(p->found)};
	const struct apsp_kernel_arg cpu_rest[] = {APSP_ARG(p->turned),
		APSP_ARG(p->order), APSP_ARG(p->settled), APSP_ARG(p->found),
		APSP_ARG(p->stamps), APSP_ARG(p->root.to),
		APSP_ARG(p->root.from)};
	const struct apsp_kernel_items turned = {p->n_vertices,
		(size_t)n_batches * TURN_ROWS, p->batch.lanes, TURN_ROWS};
	size_t n_args = MARKED_ARGS;
	int r = 0;

	/* Add the arguments that follow the first MARKED_ARGS arguments. For
	   widest paths, these are several arguments. For shortest paths, a
	   CPU's kernel has only one of them, p->turned, and a GPU's kernel has
	   none. */
	if (gpu && p->widest) {
		memcpy(args + n_args, gpu_rest, sizeof(gpu_rest));
		n_args += sizeof(gpu_rest) / sizeof(*gpu_rest);
	} else if (!gpu) {
		memcpy(args + n_args, cpu_rest, sizeof(cpu_rest));
		n_args += p->widest ? sizeof(cpu_rest) / sizeof(*cpu_rest) : 1;
	}
	if (gpu)
		r = apsp_kernel_launch(
			p->device, p->turn, turn, 4, turned, err);
	if (r >= 0 && gpu && p->widest)
		r = tails_settle(p, first, n_batches, err);
	if (r < 0)
		return r;
	return apsp_kernel_launch(p->device, p->kernel, args, n_args,
		gpu ? (struct apsp_kernel_items){(size_t)strips * WIDE,
			      (size_t)n_batches * TALL, WIDE, TALL}
		    : (struct apsp_kernel_items){n_batches, 1, 1, 1},
		err);
}
