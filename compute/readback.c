/*
 * Rows from the device through two staging slots; see readback.h.
 */
#include "compute/readback.h"

#include <stdlib.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/sums.h"
#include "compute/sums_device.h"
#include "daemon/base/auto.h"

/* What is told of a chunk. */
struct report {
	struct apsp_checks counts;
	uint32_t summed[]; /* by row: its path sums are there */
};

/* Where one chunk of rows passes: on the device, then in pinned host memory. */
struct slot {
	cl_mem v; /* then path sums, where the device makes them */
	cl_mem predecessors;
	cl_mem report;
	cl_mem host_distances; /* pinned */
	cl_mem host_predecessors;
	cl_mem host_report;
	void *distance_rows; /* host_distances, mapped */
	void *predecessor_rows;
	void *report_words;
	cl_event ready;
	uint32_t first;
	uint32_t n_rows;
};

struct apsp_readback {
	struct apsp_predecessors
		*predecessors; /* borrowed, as the next three */
	struct apsp_monitor *monitor;
	struct apsp_result *result;
	const struct apsp_device *device;
	enum apsp_element distance; /* of the table */
	struct apsp_sum_arcs arcs;
	struct apsp_sums *host_sums; /* NULL: the distances are V */
	struct apsp_sums_device sums;
	struct slot slots[APSP_READBACK_SLOTS];
	uint32_t rows_per_chunk;
	uint64_t finite; /* values that were seen */
};

APSP_AUTO_DEFINE(readback_auto, struct apsp_readback, apsp_readback_free);

static const struct report *slot_report(const struct slot *slot)
{
	return slot->report_words;
}

/* A word a row only where the device sums. */
static size_t report_bytes(const struct apsp_readback *rb)
{
	return sizeof(struct report) +
	       (rb->sums.kernel ? sizeof(uint32_t) * rb->rows_per_chunk : 0);
}

static void slot_done(struct slot *slot, const struct apsp_device *device)
{
	/* nothing may still write into what is about to go */
	clFinish(device->queue);
	if (slot->ready)
		clReleaseEvent(slot->ready);
	apsp_device_pinned_done(
		device, &slot->host_distances, &slot->distance_rows);
	apsp_device_pinned_done(
		device, &slot->host_predecessors, &slot->predecessor_rows);
	apsp_device_pinned_done(
		device, &slot->host_report, &slot->report_words);
	apsp_device_buffer_done(&slot->v);
	apsp_device_buffer_done(&slot->predecessors);
	apsp_device_buffer_done(&slot->report);
}

void apsp_readback_free(struct apsp_readback *rb)
{
	if (!rb)
		return;
	for (int s = 0; s < APSP_READBACK_SLOTS; s++)
		slot_done(&rb->slots[s], rb->device);
	apsp_sums_device_done(&rb->sums);
	apsp_sums_free(rb->host_sums);
	apsp_sum_arcs_done(&rb->arcs);
	free(rb);
}

/* Rows in whole batches; every unit of a CPU has as many, if it can. */
static uint64_t whole_batches(const struct apsp_readback *rb, uint64_t rows)
{
	uint64_t lanes = rb->predecessors->batch.lanes;
	uint64_t all = lanes * rb->device->info.compute_units;

	return rows -
	       rows % (rows < all || rb->device->tuning->gpu ? lanes : all);
}

/* V's, in whose place path sums may be made. */
static size_t wide_row(const struct apsp_readback *rb)
{
	return rb->predecessors->n_vertices *
	       apsp_element_size(apsp_element_wider(
		       rb->predecessors->element, rb->distance));
}

static uint64_t rows_together(const struct apsp_readback *rb)
{
	uint64_t n = rb->predecessors->n_vertices;
	uint64_t v_row = wide_row(rb);
	uint64_t p_row = n * rb->predecessors->vertex_size;
	uint64_t lanes = rb->predecessors->batch.lanes;
	uint64_t rows = rb->device->tuning->staging_bytes / (v_row + p_row);
	/* the rows of a batch look at each arc at once */
	uint64_t quick = rb->device->tuning->launch_arcs /
			 (rb->predecessors->n_arcs + n) * lanes;
	uint64_t whole = rb->device->info.largest_buffer_bytes /
			 (v_row > p_row ? v_row : p_row);

	rows = rows > APSP_READBACK_ROWS ? rows : APSP_READBACK_ROWS;
	rows = whole_batches(rb, rows);
	rows = rows < quick ? rows : quick;
	/* the last batch of rows is turned whole, too */
	whole -= whole % lanes;
	rows = rows < whole ? rows : whole;
	return rows < 1 ? 1 : rows > n ? n : rows;
}

static int slot_init(
	const struct apsp_readback *rb, struct slot *slot, struct apsp_err *err)
{
	size_t v_row = wide_row(rb);
	size_t d_row =
		rb->predecessors->n_vertices * apsp_element_size(rb->distance);
	size_t p_row =
		rb->predecessors->n_vertices * rb->predecessors->vertex_size;
	size_t rows = rb->rows_per_chunk;
	int r;

	r = apsp_device_buffer(rb->device, v_row * rows, NULL, &slot->v, err);
	if (r >= 0)
		r = apsp_device_buffer(rb->device, p_row * rows, NULL,
			&slot->predecessors, err);
	if (r >= 0)
		r = apsp_device_buffer(
			rb->device, report_bytes(rb), NULL, &slot->report, err);
	if (r >= 0)
		r = apsp_device_pinned(rb->device, d_row * rows,
			&slot->host_distances, &slot->distance_rows, err);
	if (r >= 0)
		r = apsp_device_pinned(rb->device, p_row * rows,
			&slot->host_predecessors, &slot->predecessor_rows, err);
	if (r >= 0)
		r = apsp_device_pinned(rb->device, report_bytes(rb),
			&slot->host_report, &slot->report_words, err);
	return r;
}

/* The predecessors' arcs once more, where they are few beside the tables. */
static int sums_init(struct apsp_readback *rb,
	const struct apsp_lengths *lengths, struct apsp_err *err)
{
	bool gpu = rb->device->tuning->gpu;
	bool few = gpu || apsp_sum_arcs_fit(rb->predecessors->n_vertices,
				  rb->predecessors->n_arcs, rb->distance);
	int r = 0;

	if (few)
		r = apsp_sum_arcs_load(
			rb->predecessors, lengths, &rb->arcs, err);
	if (r >= 0)
		r = apsp_sums_open(lengths, few ? &rb->arcs : NULL,
			rb->distance, &rb->host_sums, err);
	if (r >= 0 && gpu)
		r = apsp_sums_device_open(rb->predecessors, &rb->arcs,
			rb->distance, &rb->sums, err);
	return r;
}

int apsp_readback_open(struct apsp_predecessors *predecessors,
	struct apsp_monitor *monitor, struct apsp_result *result,
	struct apsp_readback **out, struct apsp_err *err)
{
	APSP_AUTO(readback_auto) struct apsp_readback *rb = NULL;
	const struct apsp_lengths *lengths = apsp_result_lengths(result);
	int r = 0;

	rb = calloc(1, sizeof(*rb));
	if (!rb)
		return apsp_fail(err, APSP_ENOMEM, "read rows back");
	rb->predecessors = predecessors;
	rb->monitor = monitor;
	rb->result = result;
	rb->device = predecessors->device;
	rb->distance = apsp_result_element(result);
	rb->rows_per_chunk = (uint32_t)rows_together(rb);
	if (lengths)
		r = sums_init(rb, lengths, err);
	if (r >= 0)
		r = apsp_predecessors_reserve(
			rb->predecessors, rb->rows_per_chunk, err);
	for (int s = 0; r >= 0 && s < APSP_READBACK_SLOTS; s++)
		r = slot_init(rb, &rb->slots[s], err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(rb);
	return 0;
}

static int slot_read(
	const struct apsp_readback *rb, struct slot *slot, struct apsp_err *err)
{
	cl_command_queue queue = rb->device->queue;
	size_t cells = (size_t)slot->n_rows * rb->predecessors->n_vertices;
	int r = 0;

	/* the host makes sums of predecessors alone */
	if (!rb->host_sums || rb->sums.kernel)
		r = apsp_device_check(
			clEnqueueReadBuffer(queue, slot->v, CL_FALSE, 0,
				cells * apsp_element_size(rb->distance),
				slot->distance_rows, 0, NULL, NULL),
			"read rows of distances", err);
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(queue, slot->predecessors, CL_FALSE,
				0, cells * rb->predecessors->vertex_size,
				slot->predecessor_rows, 0, NULL, NULL),
			"read rows of predecessors", err);
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(queue, slot->report, CL_FALSE, 0,
				report_bytes(rb), slot->report_words, 0, NULL,
				&slot->ready),
			"read the checks", err);
	if (r >= 0)
		clFlush(queue);
	return r;
}

/* Enqueue all that makes the panels' rows from `first` on. */
static int slot_start(const struct apsp_readback *rb,
	const struct apsp_panels *panels, struct slot *slot, uint32_t first,
	struct apsp_err *err)
{
	static const cl_uint zero = 0;
	uint32_t left = panels->first + panels->n_rows - first;
	int r;

	apsp_monitor_stage(rb->monitor, APSP_STAGE_PREDECESSOR);
	slot->first = first;
	slot->n_rows = left < rb->rows_per_chunk ? left : rb->rows_per_chunk;
	r = apsp_device_check(
		clEnqueueFillBuffer(rb->device->queue, slot->report, &zero,
			sizeof(zero), 0, report_bytes(rb), 0, NULL, NULL),
		"clear the checks", err);
	if (r >= 0)
		r = apsp_panels_rows(panels, first, slot->n_rows, slot->v, err);
	if (r >= 0)
		r = apsp_predecessors_rows(rb->predecessors, slot->v, first,
			slot->n_rows, slot->predecessors, slot->report, err);
	if (r >= 0 && rb->sums.kernel)
		r = apsp_sums_device_rows(&rb->sums, slot->predecessors, first,
			slot->n_rows, slot->v, slot->report,
			sizeof(struct report) / sizeof(uint32_t), err);
	apsp_monitor_stage(rb->monitor, APSP_STAGE_DOWNLOAD);
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
	const struct apsp_checks *counts = &slot_report(slot)->counts;

	/* past 2^53 sums round, so that this comes before the proof */
	if (counts->misfits > 0)
		return APSP_VERDICT_TOO_NARROW;
	if (counts->unproved > 0)
		return apsp_fail(err, APSP_EPROOF,
			"%u distances from the sources %u to %u do not prove "
			"themselves: the device computed them wrongly",
			counts->unproved, slot->first,
			slot->first + slot->n_rows - 1);
	return APSP_VERDICT_PROVED;
}

/* What the device left of the chunk's path sums, or all of them. */
static int slot_sum(const struct apsp_readback *rb, const struct slot *slot,
	struct apsp_err *err)
{
	return apsp_sums_rows(rb->host_sums, slot->first, slot->n_rows,
		slot->predecessor_rows,
		rb->sums.kernel ? slot_report(slot)->summed : NULL,
		slot->distance_rows, err);
}

/* To the result, once they are there. */
static int slot_pass(
	struct apsp_readback *rb, struct slot *slot, struct apsp_err *err)
{
	int r = slot_wait(slot, err);

	if (r == 0)
		r = slot_judge(slot, err);
	apsp_monitor_stage(rb->monitor, APSP_STAGE_WRITE);
	if (r == 0 && rb->host_sums)
		r = slot_sum(rb, slot, err);
	if (r == 0)
		r = apsp_result_rows(rb->result, slot->first, slot->n_rows,
			slot->distance_rows, slot->predecessor_rows, err);
	rb->finite += slot_report(slot)->counts.finite;
	return r;
}

int apsp_readback_rows(struct apsp_readback *rb,
	const struct apsp_panels *panels, struct apsp_err *err)
{
	uint32_t first = panels->first, end = first + panels->n_rows, turn = 0;
	int r = slot_start(rb, panels, &rb->slots[0], first, err);

	while (r == 0 && first < end) {
		struct slot *slot = &rb->slots[turn];

		first += slot->n_rows;
		turn ^= 1;
		if (first < end)
			r = slot_start(
				rb, panels, &rb->slots[turn], first, err);
		if (r == 0)
			r = slot_pass(rb, slot, err);
		if (r == 0)
			r = apsp_monitor_step(rb->monitor,
				(double)first / panels->n_vertices, err);
	}
	return r;
}

int apsp_readback_finish(const struct apsp_readback *rb, uint64_t n_reachable,
	struct apsp_err *err)
{
	if (rb->finite > n_reachable)
		return apsp_fail(err, APSP_EPROOF,
			"%llu pairs have a distance and only %llu a path",
			(unsigned long long)rb->finite,
			(unsigned long long)n_reachable);
	return rb->finite < n_reachable ? APSP_VERDICT_TOO_NARROW
					: APSP_VERDICT_PROVED;
}
