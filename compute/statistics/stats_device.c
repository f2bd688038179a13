/*
 * Launches the kernels of kernels/stats.cl; see stats_device.h.
 */
#include "compute/statistics/stats_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/source_block.h"
#include "compute/statistics/row_stats_state.h"
#include "daemon/base/auto.h"

enum {
	/* kernels/stats.cl */
	ITEMS = 256,
	STRIP = 8192,
	LOCAL_BYTES = 2 * APSP_HISTOGRAM_BINS * sizeof(cl_uint),
	/* bytes of local memory that stay free for variables of the kernel and
	   of the driver */
	LOCAL_SPARE = 64,
	WORDS_BYTES = APSP_MADE_WORDS * sizeof(cl_uint),
	ROW_BYTES = APSP_N_MADE * sizeof(double),
};

static int kernels_make(struct apsp_stats_device *stats,
	enum apsp_element element, const struct apsp_stat_form *form,
	struct apsp_err *err)
{
	const struct apsp_kernel_wanted wanted[] = {{"begin", &stats->begin},
		{"by_target", &stats->by_target},
		{"by_source", &stats->by_source}, {"bins", &stats->bins}};
	char options[64];

	snprintf(options, sizeof(options),
		"-DCELL_BITS=%zu -DREALS=%d -DPARTED=%d",
		8 * apsp_element_size(form->element),
		form->kind == APSP_DISTANCE_SUM,
		form->kind == APSP_DISTANCE_SCALED);
	return apsp_kernel_cache_build(
		stats->device, "stats", element, options, wanted, 4, err);
}

static int slot_init(const struct apsp_device *device, uint32_t n_rows,
	struct apsp_stats_slot *slot, struct apsp_err *err)
{
	size_t rows = (size_t)n_rows * ROW_BYTES;
	int r = apsp_device_buffer_make(
		device, WORDS_BYTES, NULL, &slot->words, err);

	if (r >= 0)
		r = apsp_device_buffer_make(
			device, rows, NULL, &slot->rows, err);
	if (r >= 0)
		r = apsp_device_pinned_make(device, 2 * WORDS_BYTES,
			&slot->host_words, &slot->word_values, err);
	return r < 0 ? r
		     : apsp_device_pinned_make(device, 2 * rows,
			       &slot->host_rows, &slot->row_values, err);
}

/* Return the size in bytes of the statistics of all columns. The device has two
   copies of these statistics, one after the other. */
static size_t column_bytes(const struct apsp_stats_device *stats)
{
	return APSP_N_MADE_COLUMN * sizeof(double) * stats->n_vertices;
}

/* Allocate the buffers, and fill stats->left and stats->columns with their
   first values. */
static int memory_take(
	struct apsp_stats_device *stats, uint32_t n_rows, struct apsp_err *err)
{
	static const double none = -INFINITY, zero = 0;
	static const cl_uint no = 0;
	cl_command_queue queue = stats->device->queue;
	size_t row = stats->n_vertices * sizeof(double);
	size_t columns = column_bytes(stats);
	int r;

	stats->column_values = malloc(2 * columns);
	if (!stats->column_values)
		return apsp_fail(err, APSP_ENOMEM, "no memory for statistics");
	r = apsp_device_buffer_make(
		stats->device, sizeof(cl_uint), NULL, &stats->left, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			stats->device, 2 * columns, NULL, &stats->columns, err);
	for (int s = 0; r >= 0 && s < APSP_READBACK_SLOTS; s++)
		r = slot_init(stats->device, n_rows, &stats->slots[s], err);
	if (r >= 0)
		r = apsp_opencl_fill(queue, stats->left, &no, sizeof(no), 0,
			sizeof(no), "clear statistics", err);
	for (int q = 0; r >= 0 && q < 2 * APSP_N_MADE_COLUMN; q++)
		r = apsp_opencl_fill(queue, stats->columns,
			q % APSP_N_MADE_COLUMN == APSP_MADE_MOST ? &none
								 : &zero,
			sizeof(zero), q * row, row, "clear statistics", err);
	return r;
}

int apsp_stats_device_open(const struct apsp_stats_rows *rows,
	const struct apsp_row_stats *stats, struct apsp_stats_device *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_stats_device_done)
	struct apsp_stats_device made = {.device = rows->device};
	const struct apsp_stat_form *form = &stats->form;
	const struct apsp_tuning_limits *limits = &rows->device->info.limits;
	int r = 0;

	made.n_vertices = stats->lengths->n_vertices;
	made.scale = (cl_uint)form->scale;
	made.exponent = form->exponent;
	made.sums = form->kind == APSP_DISTANCE_SUM;
	if (rows->device->tuning->gpu && !form->below &&
		!stats->columns.keeps && (!made.sums || rows->has_sums) &&
		rows->device->info.has_double && limits->group_items >= ITEMS &&
		limits->local_bytes >= LOCAL_BYTES + LOCAL_SPARE) {
		r = memory_take(&made, rows->n_rows, err);
		if (r >= 0)
			r = kernels_make(&made, rows->v, form, err);
	}
	if (r < 0)
		return r;
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_stats_device_done(struct apsp_stats_device *stats)
{
	for (int s = 0; s < APSP_READBACK_SLOTS; s++) {
		struct apsp_stats_slot *slot = &stats->slots[s];

		apsp_device_pinned_done(
			stats->device, &slot->host_words, &slot->word_values);
		apsp_device_pinned_done(
			stats->device, &slot->host_rows, &slot->row_values);
		apsp_device_buffer_done(&slot->words);
		apsp_device_buffer_done(&slot->rows);
	}
	apsp_kernel_done(&stats->begin);
	apsp_kernel_done(&stats->by_target);
	apsp_kernel_done(&stats->by_source);
	apsp_kernel_done(&stats->bins);
	apsp_device_buffer_done(&stats->left);
	apsp_device_buffer_done(&stats->columns);
	free(stats->column_values);
	memset(stats, 0, sizeof(*stats));
}

static int kernels_launch(const struct apsp_stats_device *stats,
	const struct apsp_stats_slot *slot, cl_mem cells, cl_uint first,
	cl_uint n_rows, cl_mem summed, cl_uint summed_at, struct apsp_err *err)
{
	size_t strips = (stats->n_vertices + STRIP - 1) / STRIP;
	cl_uint n_summed = stats->sums ? n_rows : 0;
	cl_uint block_rows = apsp_source_block_rows(stats->n_vertices);
	const struct apsp_kernel_arg begin[] = {APSP_ARG(summed),
		APSP_ARG(summed_at), APSP_ARG(n_summed),
		APSP_ARG(stats->exponent), APSP_ARG(stats->left),
		APSP_ARG(slot->words)};
	const struct apsp_kernel_arg by_target[] = {APSP_ARG(cells),
		APSP_ARG(stats->n_vertices), APSP_ARG(first), APSP_ARG(n_rows),
		APSP_ARG(block_rows), APSP_ARG(stats->scale),
		APSP_ARG(slot->words), APSP_ARG(stats->columns)};
	const struct apsp_kernel_arg by_source[] = {APSP_ARG(cells),
		APSP_ARG(stats->n_vertices), APSP_ARG(first),
		APSP_ARG(stats->scale), APSP_ARG(stats->exponent),
		APSP_ARG(slot->words), APSP_ARG(slot->rows)};
	const struct apsp_kernel_arg bins[] = {APSP_ARG(cells),
		APSP_ARG(stats->n_vertices), APSP_ARG(first),
		APSP_ARG(stats->scale), APSP_ARG(slot->words)};
	const struct {
		cl_kernel kernel;
		const struct apsp_kernel_arg *args;
		cl_uint n_args;
		struct apsp_kernel_items items;
	} launches[] = {
		{stats->begin, begin, 6, {ITEMS, 1, ITEMS, 1}},
		{stats->by_target, by_target, 8,
			{stats->n_vertices, 1, stats->device->tuning->row_group,
				1}},
		{stats->by_source, by_source, 7,
			{(size_t)n_rows * ITEMS, 1, ITEMS, 1}},
		{stats->bins, bins, 5, {strips * ITEMS, n_rows, ITEMS, 1}},
	};
	int r = 0;

	for (int l = 0; r >= 0 && l < 4; l++)
		r = apsp_kernel_launch(stats->device, launches[l].kernel,
			launches[l].args, launches[l].n_args, launches[l].items,
			err);
	return r;
}

/* Enqueue two reads of the same statistics, which store two copies in `to`, one
   after the other. If a fault changes one copy on its way to the host, the
   copies differ. No other proof checks every bit of the statistics. */
static int twice_read(const struct apsp_stats_device *stats, cl_mem from,
	size_t size, void *to, struct apsp_err *err)
{
	cl_command_queue queue = stats->device->queue;
	int r = 0;

	for (int i = 0; r >= 0 && i < 2; i++)
		r = apsp_opencl_check(
			clEnqueueReadBuffer(queue, from, CL_FALSE, 0, size,
				(char *)to + i * size, 0, NULL, NULL),
			"read statistics", err);
	return r;
}

static int twice_check(const void *values, size_t size, struct apsp_err *err)
{
	if (memcmp(values, (const char *)values + size, size) == 0)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"two copies of the device's statistics differ");
}

int apsp_stats_device_rows(struct apsp_stats_device *stats, uint32_t slot,
	cl_mem cells, uint32_t first, uint32_t n_rows, cl_mem summed,
	uint32_t summed_at, struct apsp_err *err)
{
	struct apsp_stats_slot *to = &stats->slots[slot];
	int r;

	if (!stats->begin)
		return 0;
	to->is_last = first + n_rows == stats->n_vertices;
	r = kernels_launch(
		stats, to, cells, first, n_rows, summed, summed_at, err);
	to->n_rows = n_rows;
	if (r >= 0)
		r = twice_read(stats, to->rows, (size_t)n_rows * ROW_BYTES,
			to->row_values, err);
	return r < 0 ? r
		     : twice_read(stats, to->words, WORDS_BYTES,
			       to->word_values, err);
}

int apsp_stats_device_made(struct apsp_stats_device *stats, uint32_t slot,
	const struct apsp_made_hops *hops, const struct apsp_made_stats **out,
	struct apsp_err *err)
{
	struct apsp_stats_slot *from = &stats->slots[slot];
	const uint32_t *words = from->word_values;
	int r = 0;

	*out = NULL;
	if (!stats->begin)
		return 0;
	from->made = (struct apsp_made_stats){.words = words};
	if (!words[APSP_MADE_LEFT])
		from->made.rows = from->row_values;
	if (stats->sums)
		from->made.hops = *hops;
	if ((from->is_last || !from->made.rows) && !stats->is_read) {
		size_t size = column_bytes(stats);

		r = apsp_opencl_read(stats->device->queue, stats->columns, 0,
			2 * size, stats->column_values, "read statistics", err);
		if (r >= 0)
			r = twice_check(stats->column_values, size, err);
		stats->is_read = true;
		from->made.columns = stats->column_values;
	}
	if (r >= 0)
		r = twice_check(from->row_values,
			(size_t)from->n_rows * ROW_BYTES, err);
	if (r >= 0)
		r = twice_check(words, WORDS_BYTES, err);
	*out = &from->made;
	return r;
}
