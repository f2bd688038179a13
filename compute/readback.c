/*
 * Rows from the device through two staging slots; see readback.h.
 */
#include "compute/readback.h"

#include <string.h>

#include "compute/program.h"
#include "daemon/base/auto.h"

enum {
	N_SLOTS = 2,
};

/* Where one chunk of rows passes: on the device, then in pinned host memory. */
struct slot {
	cl_mem v;
	cl_mem predecessors;
	cl_mem checks;
	cl_mem host_v; /* pinned */
	cl_mem host_predecessors;
	void *v_rows; /* host_v, mapped */
	void *predecessor_rows;
	struct apsp_checks counts;
	cl_event ready;
	uint32_t first;
	uint32_t n_rows;
};

struct readback {
	const struct apsp_panels *panels;
	struct apsp_predecessors *predecessors;
	const struct apsp_device *device;
	struct slot slots[N_SLOTS];
	uint32_t rows_per_chunk;
};

static void slot_done(struct slot *slot, const struct apsp_device *device)
{
	/* nothing may still write into what is about to go */
	clFinish(device->queue);
	if (slot->ready)
		clReleaseEvent(slot->ready);
	apsp_device_pinned_done(device, &slot->host_v, &slot->v_rows);
	apsp_device_pinned_done(
		device, &slot->host_predecessors, &slot->predecessor_rows);
	apsp_device_buffer_done(&slot->v);
	apsp_device_buffer_done(&slot->predecessors);
	apsp_device_buffer_done(&slot->checks);
}

static void readback_done(struct readback *rb)
{
	for (int s = 0; s < N_SLOTS; s++)
		slot_done(&rb->slots[s], rb->device);
}

/* Rows at a time: every unit has as many whole vectors of them, if it can. */
static uint64_t whole_vectors(const struct readback *rb, uint64_t rows)
{
	uint64_t lanes = rb->predecessors->lanes;
	uint64_t all = lanes * rb->device->info.compute_units;

	if (lanes == 0)
		return rows;
	return rows - rows % (rows < all ? lanes : all);
}

static uint64_t rows_together(const struct readback *rb)
{
	uint64_t n = rb->panels->n_vertices;
	uint64_t v_row = n * apsp_element_size(rb->panels->element);
	uint64_t p_row = n * rb->predecessors->vertex_size;
	uint64_t lanes = rb->predecessors->lanes;
	uint64_t rows = rb->device->tuning->staging_bytes / (v_row + p_row);
	/* a row of predecessors looks at each essential arc once, the rows of
	   a vector at once */
	uint64_t quick = rb->device->tuning->launch_arcs /
			 (rb->predecessors->n_essential + n) *
			 (lanes > 0 ? lanes : 1);
	uint64_t whole = rb->device->info.largest_buffer_bytes /
			 (v_row > p_row ? v_row : p_row);

	rows = rows > APSP_READBACK_ROWS ? rows : APSP_READBACK_ROWS;
	rows = whole_vectors(rb, rows);
	rows = rows < quick ? rows : quick;
	/* the last vector of rows is turned whole, too */
	whole -= lanes > 0 ? whole % lanes : 0;
	rows = rows < whole ? rows : whole;
	return rows < 1 ? 1 : rows > n ? n : rows;
}

static int readback_init(struct readback *rb, struct apsp_err *err)
{
	uint64_t n = rb->panels->n_vertices;
	size_t v_row = n * apsp_element_size(rb->panels->element);
	size_t p_row = n * rb->predecessors->vertex_size;
	int r;

	rb->rows_per_chunk = (uint32_t)rows_together(rb);
	r = apsp_predecessors_reserve(
		rb->predecessors, rb->rows_per_chunk, err);
	for (int s = 0; r >= 0 && s < N_SLOTS; s++) {
		struct slot *slot = &rb->slots[s];

		r = apsp_device_buffer(rb->device, v_row * rb->rows_per_chunk,
			NULL, &slot->v, err);
		if (r >= 0)
			r = apsp_device_buffer(rb->device,
				p_row * rb->rows_per_chunk, NULL,
				&slot->predecessors, err);
		if (r >= 0)
			r = apsp_device_buffer(rb->device, sizeof(slot->counts),
				NULL, &slot->checks, err);
		if (r >= 0)
			r = apsp_device_pinned(rb->device,
				v_row * rb->rows_per_chunk, &slot->host_v,
				&slot->v_rows, err);
		if (r >= 0)
			r = apsp_device_pinned(rb->device,
				p_row * rb->rows_per_chunk,
				&slot->host_predecessors,
				&slot->predecessor_rows, err);
	}
	return r;
}

static int slot_read(
	const struct readback *rb, struct slot *slot, struct apsp_err *err)
{
	cl_command_queue queue = rb->device->queue;
	size_t cells = (size_t)slot->n_rows * rb->panels->n_vertices;
	int r;

	r = apsp_device_check(
		clEnqueueReadBuffer(queue, slot->v, CL_FALSE, 0,
			cells * apsp_element_size(rb->panels->element),
			slot->v_rows, 0, NULL, NULL),
		"read rows of V", err);
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(queue, slot->predecessors, CL_FALSE,
				0, cells * rb->predecessors->vertex_size,
				slot->predecessor_rows, 0, NULL, NULL),
			"read rows of predecessors", err);
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(queue, slot->checks, CL_FALSE, 0,
				sizeof(slot->counts), &slot->counts, 0, NULL,
				&slot->ready),
			"read the checks", err);
	if (r >= 0)
		clFlush(queue);
	return r;
}

/* Enqueue all that makes rows from `first` on. */
static int slot_start(const struct readback *rb, struct slot *slot,
	uint32_t first, struct apsp_monitor *monitor, struct apsp_err *err)
{
	static const cl_uint zero = 0;
	uint32_t left = rb->panels->n_vertices - first;
	int r;

	apsp_monitor_stage(monitor, APSP_STAGE_PREDECESSOR);
	slot->first = first;
	slot->n_rows = left < rb->rows_per_chunk ? left : rb->rows_per_chunk;
	r = apsp_device_check(
		clEnqueueFillBuffer(rb->device->queue, slot->checks, &zero,
			sizeof(zero), 0, sizeof(slot->counts), 0, NULL, NULL),
		"clear the checks", err);
	if (r >= 0)
		r = apsp_panels_rows(
			rb->panels, first, slot->n_rows, slot->v, err);
	if (r >= 0)
		r = apsp_predecessors_rows(rb->predecessors, slot->v, first,
			slot->n_rows, slot->predecessors, slot->checks, err);
	apsp_monitor_stage(monitor, APSP_STAGE_DOWNLOAD);
	if (r >= 0)
		r = slot_read(rb, slot, err);
	return r;
}

static int slot_wait(struct slot *slot, struct apsp_err *err)
{
	int r = apsp_device_check(
		clWaitForEvents(1, &slot->ready), "compute predecessors", err);

	clReleaseEvent(slot->ready);
	slot->ready = NULL;
	return r;
}

/* A verdict on one chunk. Overflow is judged by the sum over all chunks. */
static int slot_judge(const struct slot *slot, struct apsp_err *err)
{
	/* past 2^53 sums round, so that this comes before the proof */
	if (slot->counts.misfits > 0)
		return APSP_VERDICT_TOO_NARROW;
	if (slot->counts.unproved > 0)
		return apsp_fail(err, APSP_EPROOF,
			"%u distances from the sources %u to %u do not prove "
			"themselves: the device computed them wrongly",
			slot->counts.unproved, slot->first,
			slot->first + slot->n_rows - 1);
	return APSP_VERDICT_PROVED;
}

static int chunks_run(struct readback *rb, uint64_t *out_finite,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_err *err)
{
	uint32_t n = rb->panels->n_vertices, first = 0, turn = 0;
	int r = slot_start(rb, &rb->slots[0], 0, monitor, err);

	while (r == 0 && first < n) {
		struct slot *slot = &rb->slots[turn];
		uint32_t next = first + slot->n_rows;

		turn ^= 1;
		if (next < n)
			r = slot_start(
				rb, &rb->slots[turn], next, monitor, err);
		if (r == 0)
			r = slot_wait(slot, err);
		if (r == 0)
			r = slot_judge(slot, err);
		apsp_monitor_stage(monitor, APSP_STAGE_WRITE);
		if (r == 0)
			r = apsp_result_rows(result, first, slot->n_rows,
				slot->v_rows, slot->predecessor_rows, err);
		if (r == 0)
			r = apsp_monitor_step(monitor, (double)next / n, err);
		*out_finite += slot->counts.finite;
		first = next;
	}
	return r;
}

int apsp_readback_run(const struct apsp_panels *panels,
	struct apsp_predecessors *predecessors, uint64_t n_reachable,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_err *err)
{
	APSP_AUTO(readback_done)
	struct readback rb = {
		.panels = panels,
		.predecessors = predecessors,
		.device = panels->device,
	};
	uint64_t finite = 0;
	int r = readback_init(&rb, err);

	if (r >= 0)
		r = chunks_run(&rb, &finite, monitor, result, err);
	if (r != 0)
		return r;
	if (finite > n_reachable)
		return apsp_fail(err, APSP_EPROOF,
			"%llu pairs have a distance and only %llu a path",
			(unsigned long long)finite,
			(unsigned long long)n_reachable);
	return finite < n_reachable ? APSP_VERDICT_TOO_NARROW
				    : APSP_VERDICT_PROVED;
}
