/*
 * Bellman–Ford over a list of edges; see algorithm.h. Distances are integers of
 * 32 bits, of 64 where V is a double, since only those fall atomically.
 */
#include <stdlib.h>
#include <string.h>

#include "compute/algorithm.h"
#include "compute/edge_sweep.h"
#include "compute/program.h"
#include "daemon/base/auto.h"

/* bf_edges.cl's NONE for V in 64 bits. */
#define NONE_64 (INT64_C(1) << 62)

enum {
	EXTENSIONS_SIZE = 16384,
	OPTIONS_SIZE = 32,
};

struct bf_edges {
	struct apsp_panels *panels;
	struct apsp_edge_sweep sweep;
	cl_mem lengths; /* of the edges, as distances */
	cl_kernel start;
	cl_kernel put;
};

static void bf_edges_done(struct bf_edges *bf)
{
	apsp_edge_sweep_done(&bf->sweep);
	apsp_device_buffer_done(&bf->lengths);
	apsp_device_kernel_done(&bf->start);
	apsp_device_kernel_done(&bf->put);
}

static bool is_wide(enum apsp_element element)
{
	return element == APSP_ELEMENT_F64;
}

static struct apsp_edge_shape shape_of(enum apsp_element element)
{
	return (struct apsp_edge_shape){.sources = 1,
		.value_bytes =
			is_wide(element) ? sizeof(cl_long) : sizeof(cl_int)};
}

static int64_t infinity_of(enum apsp_element element)
{
	return is_wide(element)		     ? NONE_64
	       : element == APSP_ELEMENT_U16 ? APSP_V_INFINITY_U16
					     : APSP_V_INFINITY_I32;
}

uint64_t apsp_bf_edges_bytes(uint32_t n_vertices, uint64_t n_arcs,
	enum apsp_element element, const struct apsp_tuning *tuning)
{
	struct apsp_edge_shape shape = shape_of(element);

	return apsp_edge_bytes(n_vertices, n_arcs, shape, tuning) +
	       n_arcs * shape.value_bytes;
}

/* 64-bit atomic minima are an extension. */
static int device_check(const struct apsp_device *device,
	enum apsp_element element, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *extensions = NULL;

	if (!is_wide(element))
		return 0;
	extensions = calloc(1, EXTENSIONS_SIZE);
	if (!extensions)
		return apsp_fail(err, APSP_ENOMEM, "read OpenCL extensions");
	clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, EXTENSIONS_SIZE - 1,
		extensions, NULL);
	if (strstr(extensions, "cl_khr_int64_extended_atomics"))
		return 0;
	return apsp_fail(err, APSP_ELIMIT,
		"bf-edges needs 64-bit atomic minima for distances past 2^30 "
		"units, which '%s' does not have",
		device->info.name);
}

static int lengths_load(struct bf_edges *bf, const struct apsp_edge_list *list,
	struct apsp_err *err)
{
	bool wide = is_wide(bf->panels->element);
	size_t size = list->n_edges * bf->sweep.shape.value_bytes;
	APSP_AUTO(apsp_free) void *values = NULL;
	cl_int *narrow_values;
	cl_long *wide_values;

	values = malloc(size + 1);
	if (!values)
		return apsp_fail(err, APSP_ENOMEM, "load %llu edges",
			(unsigned long long)list->n_edges);
	narrow_values = values;
	wide_values = values;
	for (uint64_t e = 0; e < list->n_edges; e++)
		if (wide)
			wide_values[e] = list->edges[e].length;
		else
			narrow_values[e] = (cl_int)list->edges[e].length;
	return apsp_device_buffer(
		bf->sweep.device, size, values, &bf->lengths, err);
}

static int program_build(
	const struct bf_edges *bf, cl_program *out, struct apsp_err *err)
{
	const struct apsp_device *device = bf->panels->device;
	const struct apsp_tuning *tuning = device->tuning;
	char options[OPTIONS_SIZE];

	/* what goes by runs of one head is worth it where there are such */
	snprintf(options, sizeof(options), "-DEDGE_ROWS=%u -DOWN_ROWS=%d",
		tuning->edge_rows, !tuning->gpu && tuning->segment > 0);
	return apsp_program_build(
		device, "bf_edges", bf->panels->element, options, out, err);
}

static int bf_edges_open(
	struct bf_edges *bf, const struct apsp_task *task, struct apsp_err *err)
{
	const struct apsp_device *device = bf->panels->device;
	enum apsp_element element = bf->panels->element;
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	APSP_AUTO(apsp_edge_list_done) struct apsp_edge_list list = {0};
	int r = device_check(device, element, err);

	if (r >= 0)
		r = program_build(bf, &program, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "bf_start", &bf->start, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "bf_put", &bf->put, err);
	if (r >= 0)
		r = apsp_edge_list_build(task->lengths, task->integers,
			task->order, infinity_of(element),
			device->tuning->segment, &list, err);
	if (r >= 0)
		r = apsp_edge_sweep_open(device, task->lengths, &list,
			shape_of(element), program, "bf_round", &bf->sweep,
			err);
	if (r >= 0)
		r = lengths_load(bf, &list, err);
	return r;
}

/* Enqueue: 0 at the sources, which stand from position first on. */
static int batch_begin(const struct bf_edges *bf, cl_uint first,
	uint32_t n_rows, struct apsp_err *err)
{
	const struct apsp_edge_sweep *sweep = &bf->sweep;
	const cl_long wide = NONE_64;
	const cl_int narrow = (cl_int)infinity_of(bf->panels->element);
	const struct apsp_kernel_arg args[] = {APSP_ARG(sweep->state),
		APSP_ARG(sweep->n_vertices), APSP_ARG(first)};
	int r;

	r = apsp_edge_sweep_begin(sweep, n_rows,
		is_wide(bf->panels->element) ? (const void *)&wide : &narrow,
		err);
	if (r >= 0)
		r = apsp_kernel_args(bf->start, args, 3, err);
	return r < 0 ? r
		     : apsp_kernel_launch(
			       sweep->device, bf->start, n_rows, 1, 1, 1, err);
}

/* Enqueue: the rows into the panels. */
static int batch_put(const struct bf_edges *bf, cl_uint first, uint32_t n_rows,
	struct apsp_err *err)
{
	const struct apsp_panels *panels = bf->panels;
	const struct apsp_tuning *tuning = panels->device->tuning;
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base = b * panels->panels_per_buffer;
		cl_uint n_panels = apsp_panels_in_buffer(panels, b);
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
			APSP_ARG(panels->n_vertices), APSP_ARG(first),
			APSP_ARG(bf->sweep.state)};

		r = apsp_kernel_args(bf->put, args, 7, err);
		if (r >= 0)
			r = apsp_kernel_launch(panels->device, bf->put,
				(panels->n_vertices + tuning->span - 1) /
					tuning->span,
				n_rows, tuning->row_group, 1, err);
	}
	return r;
}

/* All lengths are positive, so that rounds end after n_vertices at most. */
static int batch_run(const struct bf_edges *bf, uint32_t first, uint32_t n_rows,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	double share = (double)first / bf->sweep.n_vertices;
	bool changed = true;
	int r = batch_begin(bf, first, n_rows, err);

	for (cl_uint round = 1; r >= 0 && changed; round++) {
		r = apsp_edge_sweep_round(&bf->sweep, n_rows, round,
			(struct apsp_kernel_arg)APSP_ARG(bf->lengths), &changed,
			err);
		if (r >= 0)
			r = apsp_monitor_step(monitor, share, err);
	}
	return r < 0 ? r : batch_put(bf, first, n_rows, err);
}

int apsp_bf_edges_run(const struct apsp_task *task, struct apsp_panels *panels,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	APSP_AUTO(bf_edges_done) struct bf_edges bf = {.panels = panels};
	uint32_t n = panels->n_vertices;
	int r = bf_edges_open(&bf, task, err);

	for (uint32_t first = 0; r >= 0 && first < n;
		first += bf.sweep.rows_max) {
		uint32_t left = n - first;

		r = batch_run(&bf, first,
			left < bf.sweep.rows_max ? left : bf.sweep.rows_max,
			monitor, err);
	}
	if (r < 0)
		return r;
	return apsp_device_check(
		clFinish(panels->device->queue), "run bf-edges", err);
}
