/*
 * Rounds over a list of edges; see edge_sweep.h.
 */
#include "compute/edge_sweep.h"

#include <stdlib.h>

#include "daemon/base/auto.h"

enum {
	/* Of a batch, however many edges there are: they keep a CPU busy. */
	ROWS_LEAST = 16,
};

uint32_t apsp_edge_rows(uint32_t n_vertices, uint64_t n_arcs,
	struct apsp_edge_shape shape, const struct apsp_tuning *tuning)
{
	uint64_t all =
		((uint64_t)n_vertices + shape.sources - 1) / shape.sources;
	uint64_t rows = tuning->launch_arcs / (n_arcs * shape.sources + 1);
	uint64_t fit = tuning->staging_bytes /
		       ((uint64_t)n_vertices * shape.value_bytes + 1);

	if (rows < ROWS_LEAST)
		rows = ROWS_LEAST;
	if (rows > fit)
		rows = fit > 0 ? fit : 1;
	return (uint32_t)(rows < all ? rows : all);
}

uint64_t apsp_edge_bytes(uint32_t n_vertices, uint64_t n_arcs,
	struct apsp_edge_shape shape, const struct apsp_tuning *tuning)
{
	uint64_t rows = apsp_edge_rows(n_vertices, n_arcs, shape, tuning);

	return n_arcs * 2 * sizeof(cl_uint) +
	       rows * n_vertices * shape.value_bytes +
	       (rows + 1) * sizeof(cl_uint);
}

/* As many as one buffer holds; where that is none, making it says so. */
static uint32_t rows_in_buffer(const struct apsp_device *device,
	uint32_t n_vertices, struct apsp_edge_shape shape)
{
	uint64_t fit = device->info.largest_buffer_bytes /
		       ((uint64_t)n_vertices * shape.value_bytes);

	return fit < 1 ? 1 : fit > UINT32_MAX ? UINT32_MAX : (uint32_t)fit;
}

static int ends_load(struct apsp_edge_sweep *sweep,
	const struct apsp_edge_list *list, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *ends = NULL;
	size_t size = list->n_edges * sizeof(*ends);
	int r;

	ends = malloc(size + 1);
	if (!ends)
		return apsp_fail(err, APSP_ENOMEM, "load %llu edges",
			(unsigned long long)list->n_edges);
	for (uint64_t e = 0; e < list->n_edges; e++)
		ends[e] = list->edges[e].tail;
	r = apsp_device_buffer(sweep->device, size, ends, &sweep->tails, err);
	for (uint64_t e = 0; e < list->n_edges; e++)
		ends[e] = list->edges[e].head;
	if (r >= 0)
		r = apsp_device_buffer(
			sweep->device, size, ends, &sweep->heads, err);
	return r;
}

int apsp_edge_sweep_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, const struct apsp_edge_list *list,
	struct apsp_edge_shape shape, cl_program program,
	const char *round_name, struct apsp_edge_sweep *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_edge_sweep_done)
	struct apsp_edge_sweep sweep = {
		.device = device,
		.shape = shape,
		.n_vertices = lengths->n_vertices,
		.rows_max = apsp_edge_rows(lengths->n_vertices, lengths->n_arcs,
			shape, device->tuning),
		.n_edges = list->n_edges,
	};
	uint32_t most = rows_in_buffer(device, sweep.n_vertices, shape);
	int r = apsp_kernel_make(program, round_name, &sweep.round, err);

	if (sweep.rows_max > most)
		sweep.rows_max = most;
	if (r >= 0)
		r = ends_load(&sweep, list, err);
	if (r >= 0)
		r = apsp_device_buffer(device,
			(size_t)sweep.rows_max * sweep.n_vertices *
				shape.value_bytes,
			NULL, &sweep.state, err);
	if (r >= 0)
		r = apsp_device_buffer(device,
			((size_t)sweep.rows_max + 1) * sizeof(cl_uint), NULL,
			&sweep.changed, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(sweep);
	return 0;
}

void apsp_edge_sweep_done(struct apsp_edge_sweep *sweep)
{
	apsp_device_buffer_done(&sweep->tails);
	apsp_device_buffer_done(&sweep->heads);
	apsp_device_buffer_done(&sweep->state);
	apsp_device_buffer_done(&sweep->changed);
	apsp_device_kernel_done(&sweep->round);
	*sweep = (struct apsp_edge_sweep){0};
}

int apsp_edge_sweep_begin(const struct apsp_edge_sweep *sweep, uint32_t n_rows,
	const void *value, struct apsp_err *err)
{
	static const cl_uint zero = 0;
	cl_command_queue queue = sweep->device->queue;
	size_t size = sweep->shape.value_bytes;
	int r;

	r = apsp_device_check(
		clEnqueueFillBuffer(queue, sweep->state, value, size, 0,
			(size_t)n_rows * sweep->n_vertices * size, 0, NULL,
			NULL),
		"begin a batch of sources", err);
	if (r < 0)
		return r;
	return apsp_device_check(
		clEnqueueFillBuffer(queue, sweep->changed, &zero, sizeof(zero),
			0, ((size_t)n_rows + 1) * sizeof(zero), 0, NULL, NULL),
		"begin a batch of sources", err);
}

/* One launch: the edges [begin, end). */
static int edges_launch(const struct apsp_edge_sweep *sweep, uint32_t n_rows,
	cl_uint round, cl_ulong begin, cl_ulong end, struct apsp_kernel_arg own,
	struct apsp_err *err)
{
	const struct apsp_tuning *tuning = sweep->device->tuning;
	uint64_t n_edges = end - begin;
	/* on a CPU all of them, in a row of its own */
	cl_uint run = tuning->gpu ? 1 : (cl_uint)n_edges;
	const struct apsp_kernel_arg args[] = {APSP_ARG(sweep->state),
		APSP_ARG(sweep->tails), APSP_ARG(sweep->heads),
		APSP_ARG(sweep->n_vertices), APSP_ARG(sweep->changed),
		APSP_ARG(begin), APSP_ARG(end), APSP_ARG(run), APSP_ARG(n_rows),
		APSP_ARG(round), own};
	int r = apsp_kernel_args(
		sweep->round, args, sizeof(args) / sizeof(*args), err);

	if (r < 0)
		return r;
	return apsp_kernel_launch(sweep->device, sweep->round, n_edges / run,
		(n_rows + tuning->edge_rows - 1) / tuning->edge_rows,
		tuning->row_group, 1, err);
}

int apsp_edge_sweep_round(const struct apsp_edge_sweep *sweep, uint32_t n_rows,
	cl_uint round, struct apsp_kernel_arg own, bool *out_changed,
	struct apsp_err *err)
{
	uint64_t limit = sweep->device->tuning->launch_edges /
			 ((uint64_t)n_rows * sweep->shape.sources);
	cl_uint last = 0;
	int r = 0;

	limit = limit < 1 ? 1 : limit > UINT32_MAX ? UINT32_MAX : limit;
	for (uint64_t begin = 0; r >= 0 && begin < sweep->n_edges;
		begin += limit) {
		uint64_t left = sweep->n_edges - begin;

		r = edges_launch(sweep, n_rows, round, begin,
			begin + (left < limit ? left : limit), own, err);
	}
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(sweep->device->queue,
				sweep->changed, CL_TRUE, 0, sizeof(last), &last,
				0, NULL, NULL),
			"run a round over the edges", err);
	if (r < 0)
		return r;
	*out_changed = last == round;
	return 0;
}
