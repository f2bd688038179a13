/*
 * Rows of bits on a device; see closure_rows.h.
 */
#include "compute/closure/closure_rows.h"

#include <stdio.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

static size_t rows_bytes(const struct apsp_device *device, size_t n)
{
	return n * apsp_closure_row_bytes(n, &device->tuning->bits);
}

int apsp_closure_rows_fit(const struct apsp_device *device, uint32_t n,
	const struct apsp_closure_bytes *bytes, struct apsp_err *err)
{
	uint64_t largest = device->info.largest_buffer_bytes;

	char needed[APSP_SIZE_TEXT_SIZE], there[APSP_SIZE_TEXT_SIZE];

	if (bytes->largest > largest) {
		apsp_sizes_format(bytes->largest, largest, needed, there);
		return apsp_fail(err, APSP_ELIMIT,
			"the closure of %u vertices needs %s in one buffer; "
			"'%s' allows %s",
			n, needed, device->info.name, there);
	}
	if (bytes->all <= device->memory_bytes)
		return 0;
	apsp_sizes_format(bytes->all, device->memory_bytes, needed, there);
	return apsp_fail(err, APSP_ELIMIT,
		"the closure of %u vertices needs %s on '%s', which has %s", n,
		needed, device->info.name, there);
}

/* Make rows->row_of on the device: for each vertex, the vertex whose row it
   has. If components is NULL, each vertex has its own row. */
static int row_of_make(struct apsp_closure_rows *rows,
	const struct apsp_components *components, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) cl_uint *row_of = NULL;
	size_t size = sizeof(*row_of) * rows->n_vertices;

	row_of = malloc(size + 1);
	if (!row_of)
		return apsp_fail(err, APSP_ENOMEM, "no memory for %u rows",
			rows->n_vertices);
	for (cl_uint v = 0; v < rows->n_vertices; v++)
		row_of[v] =
			components ? apsp_components_least(components, v) : v;
	return apsp_device_copy_make(
		rows->device, size, row_of, &rows->row_of, err);
}

static int arcs_load(struct apsp_closure_rows *rows,
	const struct apsp_lengths *lengths, struct apsp_err *err)
{
	size_t size = sizeof(cl_uint) * lengths->n_arcs;
	APSP_AUTO(apsp_free) cl_uint *tails = NULL;
	int r;

	rows->n_arcs = lengths->n_arcs;
	tails = malloc(size + 1);
	if (!tails)
		return apsp_fail(err, APSP_ENOMEM, "no memory for %llu arcs",
			(unsigned long long)lengths->n_arcs);
	for (cl_uint v = 0; v < lengths->n_vertices; v++)
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++)
			tails[e] = v;
	r = apsp_device_copy_make(rows->device, size, tails, &rows->tails, err);
	return r < 0 ? r
		     : apsp_device_copy_make(rows->device, size, lengths->heads,
			       &rows->heads, err);
}

int apsp_closure_rows_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_components *components, bool arcs,
	const struct apsp_closure_bytes *bytes, struct apsp_closure_rows *out,
	struct apsp_err *err)
{
	const struct apsp_bits_tuning *t = &device->tuning->bits;
	uint32_t n_vertices = lengths->n_vertices;
	APSP_AUTO(apsp_closure_rows_done)
	struct apsp_closure_rows rows = {
		.device = device,
		.n_vertices = n_vertices,
		.lines = (cl_uint)(apsp_closure_row_bytes(n_vertices, t) /
				   sizeof(cl_ulong) / t->line),
		.shared = components && components->n_components < n_vertices,
	};
	const struct apsp_kernel_wanted wanted[] = {{"members", &rows.members},
		{"arcs", &rows.arcs}, {"share", &rows.share}};
	int r = apsp_closure_rows_fit(device, n_vertices, bytes, err);

	snprintf(rows.options, sizeof(rows.options),
		"-DLINE=%u -DWIDE=%u -DTALL=%u -DSPREAD_ROWS=%u"
		" -DSQUARE_ROWS=%u",
		t->line, t->wide, t->tall, t->spread_rows, t->square_rows);
	if (r >= 0)
		r = apsp_kernel_cache_build(device, "closure_rows",
			APSP_ELEMENT_I32, rows.options, wanted, 3, err);
	if (r >= 0)
		r = row_of_make(&rows, components, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
			rows_bytes(device, n_vertices), NULL, &rows.bits, err);
	if (r >= 0 && arcs)
		r = arcs_load(&rows, lengths, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(rows);
	return 0;
}

void apsp_closure_rows_done(struct apsp_closure_rows *rows)
{
	apsp_device_buffer_done(&rows->bits);
	apsp_device_buffer_done(&rows->row_of);
	apsp_device_buffer_done(&rows->tails);
	apsp_device_buffer_done(&rows->heads);
	apsp_kernel_done(&rows->members);
	apsp_kernel_done(&rows->arcs);
	apsp_kernel_done(&rows->share);
}

struct apsp_kernel_items apsp_closure_rows_items(
	const struct apsp_closure_rows *rows, size_t n)
{
	const struct apsp_bits_tuning *t = &rows->device->tuning->bits;

	return (struct apsp_kernel_items){rows->lines, n, t->wide, t->tall};
}

uint32_t apsp_closure_rows_per_launch(
	const struct apsp_closure_rows *rows, uint64_t ors)
{
	const struct apsp_tuning *t = rows->device->tuning;
	/* The approximate time to compute one row, in units of the time of a
	   relaxation. The OR of 32 bits takes as long as a relaxation. */
	uint64_t row = 2 * (ors + 1) * rows->lines * t->bits.line;
	uint64_t most = t->launch_relaxations / (row + 1);

	return most < 1		      ? 1
	       : most > INT32_MAX / 2 ? INT32_MAX / 2
				      : (uint32_t)most;
}

int apsp_closure_rows_start(
	const struct apsp_closure_rows *rows, struct apsp_err *err)
{
	const struct apsp_kernel_arg args[] = {APSP_ARG(rows->bits),
		APSP_ARG(rows->lines), APSP_ARG(rows->row_of),
		APSP_ARG(rows->n_vertices)};
	const struct apsp_kernel_items items = {
		rows->n_vertices, 1, rows->device->tuning->row_group, 1};
	size_t size = rows_bytes(rows->device, rows->n_vertices);
	cl_ulong zero = 0;
	int r;

	if (size == 0)
		return 0;
	r = apsp_opencl_fill(rows->device->queue, rows->bits, &zero,
		sizeof(zero), 0, size, "clear the closure", err);
	return r < 0 ? r
		     : apsp_kernel_launch(rows->device, rows->members, args, 4,
			       items, err);
}

int apsp_closure_rows_share(
	const struct apsp_closure_rows *rows, struct apsp_err *err)
{
	uint32_t together = apsp_closure_rows_per_launch(rows, 1);
	int r = 0;

	for (cl_uint first = 0, end;
		r >= 0 && rows->shared && first < rows->n_vertices;
		first = end) {
		cl_uint left = rows->n_vertices - first;
		cl_uint n = left < together ? left : together;
		const struct apsp_kernel_arg args[] = {APSP_ARG(rows->bits),
			APSP_ARG(rows->lines), APSP_ARG(rows->row_of),
			APSP_ARG(first), APSP_ARG(end)};

		end = first + n;
		r = apsp_kernel_launch(rows->device, rows->share, args, 5,
			apsp_closure_rows_items(rows, n), err);
	}
	return r;
}

int apsp_closure_rows_wait(
	const struct apsp_closure_rows *rows, struct apsp_err *err)
{
	return apsp_opencl_check(
		apsp_opencl_finish(rows->device->queue), "close the rows", err);
}

int apsp_closure_rows_read(const struct apsp_closure_rows *rows,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits bits = {0};
	size_t pitch = sizeof(cl_ulong) * rows->lines *
		       rows->device->tuning->bits.line;
	const size_t origin[3] = {0};
	size_t region[3] = {0, rows->n_vertices, 1};
	cl_int status = CL_SUCCESS;
	int r;

	r = apsp_bits_init(&bits, rows->n_vertices, rows->n_vertices, err);
	if (r < 0)
		return r;
	apsp_progress_stage(progress, APSP_STAGE_DOWNLOAD);
	region[0] = sizeof(*bits.words) * bits.row_words;
	if (pitch == region[0] && pitch > 0)
		status = clEnqueueReadBuffer(rows->device->queue, rows->bits,
			CL_TRUE, 0, pitch * rows->n_vertices, bits.words, 0,
			NULL, NULL);
	else if (pitch > 0)
		status = clEnqueueReadBufferRect(rows->device->queue,
			rows->bits, CL_TRUE, origin, origin, region, pitch, 0,
			region[0], 0, bits.words, 0, NULL, NULL);
	apsp_progress_stage(progress, APSP_STAGE_CLOSURE);
	r = apsp_opencl_check(status, "read the closure", err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(bits);
	return 0;
}
