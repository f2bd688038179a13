/*
 * Copies rows from the device to the host through two slots, each with buffers
 * for a chunk of rows; see download.h.
 */
#include "compute/tables/download.h"

#include <stdlib.h>

#include "compute/device/opencl.h"
#include "compute/device/panel_rows.h"
#include "compute/device/readback.h"
#include "compute/graph/in_arcs.h"
#include "compute/plan/footprint.h"
#include "compute/statistics/stats_device.h"
#include "compute/tables/row_marks.h"
#include "compute/tables/sums.h"
#include "compute/tables/sums_device.h"
#include "daemon/base/auto.h"

/*
 * The device's report about a chunk of rows. `words` has six arrays, one after
 * another. Each of the first four arrays has one word for each row:
 *
 *	summed          1 if the device made the path sums of the row
 *	marks           the mark (row_marks.h) of the row's distances
 *	(after marks)   the mark of the row's predecessors
 *	row_hops        the total number of arcs of all paths of the row
 *	hops            word t: the number of paths of t arcs in the chunk
 *	wrong           two counts of wrong sums (struct apsp_sums_at)
 */
struct report {
	struct apsp_checks counts;
	uint32_t words[];
};

enum {
	/* the distances that the table stores: integer distances, or path
	   sums */
	DISTANCES,
	V, /* integer distances; used only if the table's distances are path
	      sums */
	PREDECESSORS,
	REPORT,
	N_BUFFERS,
};

/* Memory for one chunk of rows. */
struct slot {
	struct apsp_readback buffers[N_BUFFERS];
	bool has_v; /* the host gets the chunk's integer distances in addition
		       to its path sums */
	/* signalled when the last copy of the chunk to the host has ended */
	cl_event ready;
	uint32_t first;
	uint32_t n_rows;
};

struct apsp_download {
	/* borrowed, as are the next three members */
	struct apsp_predecessors *predecessors;
	struct apsp_progress *progress;
	struct apsp_table_rows *rows;
	const struct apsp_device *device;
	enum apsp_element distance; /* type of the table's distances */
	struct apsp_sum_arcs arcs;
	struct apsp_sums *host_sums; /* NULL: the table has integer distances,
					so no path sums are needed */
	struct apsp_sums_device sums;
	struct apsp_stats_device stats;
	/* if distances are path sums: for each row of a chunk, the mark of its
	   distances, which the host has computed, or which was copied from the
	   device; owned */
	uint32_t *sum_marks;
	struct slot slots[APSP_READBACK_SLOTS];
	uint32_t rows_per_chunk;
	/* the host had to make path sums for the previous chunk, because the
	   device did not make them for all rows of that chunk */
	bool left;
};

APSP_AUTO_DEFINE(download_auto, struct apsp_download, apsp_download_free);

static const struct report *slot_report(const struct slot *slot)
{
	return slot->buffers[REPORT].bytes;
}

static size_t report_bytes(const struct apsp_download *download)
{
	return sizeof(struct report) +
	       sizeof(uint32_t) * (4 * (size_t)download->rows_per_chunk +
					  APSP_SUMS_DEVICE_HOPS + 2);
}

/* Return the index of the first word of each array in a report. The marks of
   predecessors have no index, because they follow the marks of distances. */
static struct apsp_sums_at sums_at(const struct apsp_download *download)
{
	uint32_t n = download->rows_per_chunk;
	uint32_t at = sizeof(struct report) / sizeof(uint32_t);

	return (struct apsp_sums_at){.summed = at,
		.marks = at + n,
		.row_hops = at + 3 * n,
		.hops = at + 4 * n,
		.wrong = at + 4 * n + APSP_SUMS_DEVICE_HOPS};
}

void apsp_download_free(struct apsp_download *download)
{
	if (!download)
		return;
	for (int s = 0; s < APSP_READBACK_SLOTS; s++) {
		struct slot *slot = &download->slots[s];

		if (slot->ready)
			clReleaseEvent(slot->ready);
		for (int b = 0; b < N_BUFFERS; b++)
			apsp_readback_done(&slot->buffers[b]);
	}
	apsp_stats_device_done(&download->stats);
	apsp_sums_device_done(&download->sums);
	apsp_sums_free(download->host_sums);
	free(download->sum_marks);
	apsp_sum_arcs_done(&download->arcs);
	free(download);
}

/* Return the size in bytes of a row that has one element for each vertex. */
static size_t row_bytes(
	const struct apsp_download *download, enum apsp_element element)
{
	return download->predecessors->n_vertices * apsp_element_size(element);
}

/* Return the largest number of rows in a chunk. */
static uint32_t rows_together(const struct apsp_download *download)
{
	const struct apsp_predecessors *p = download->predecessors;
	const struct apsp_device *device = download->device;
	uint64_t n = p->n_vertices, lanes = p->batch.lanes;
	uint64_t p_row = row_bytes(download, p->stored);
	uint64_t v_row = row_bytes(
		download, apsp_element_wider(p->element, download->distance));
	uint64_t rows = apsp_download_chunk(n, p->n_arcs, v_row + p_row,
		p->batch.lanes, device->info.compute_units, device->tuning);
	uint64_t whole = device->info.largest_buffer_bytes /
			 (v_row > p_row ? v_row : p_row);

	/* round down to a multiple of the batch size, because a smaller last
	   batch takes as much memory as a full batch */
	whole -= whole % lanes;
	rows = rows < whole ? rows : whole;
	return (uint32_t)(rows < 1 ? 1 : rows > n ? n : rows);
}

static int slot_init(const struct apsp_download *download, struct slot *slot,
	struct apsp_err *err)
{
	const struct apsp_predecessors *p = download->predecessors;
	size_t rows = download->rows_per_chunk;
	const size_t sizes[] = {
		[DISTANCES] = row_bytes(download, download->distance) * rows,
		[V] = row_bytes(download, p->element) * rows,
		[PREDECESSORS] = row_bytes(download, p->stored) * rows,
		[REPORT] = report_bytes(download)};
	int r = 0;

	for (int b = 0; r >= 0 && b < N_BUFFERS; b++)
		if (b != V || download->host_sums)
			r = apsp_readback_make(download->device, sizes[b],
				&slot->buffers[b], err);
	return r;
}

/*
 * Prepare to make path sums on the host and, if the device is a GPU, also on
 * the device. They are made with the arcs among which predecessors are
 * searched. These arcs are read back from the device in two cases: the device
 * is a GPU; or predecessors are indices, and the arcs take much less memory
 * than the tables. Otherwise the host uses only the arcs of config.lengths.
 */
static int sums_init(struct apsp_download *download,
	struct apsp_sums_config config, struct apsp_err *err)
{
	bool gpu = download->device->tuning->gpu;
	/* Whether the arcs are read back. They always are on a GPU. A CPU needs
	   no list of arcs if predecessors are ranks, because each rank leads to
	   an arc of config.lengths. */
	bool few = gpu ||
		   (!apsp_in_arcs_ranks(config.lengths) &&
			   apsp_sum_arcs_fit(download->predecessors->n_vertices,
				   download->predecessors->n_arcs,
				   download->distance));
	int r = 0;

	download->sum_marks =
		malloc(download->rows_per_chunk * sizeof(*download->sum_marks));
	if (!download->sum_marks)
		return apsp_fail(err, APSP_ENOMEM, "download rows");
	config.arcs = few ? &download->arcs : NULL;
	if (few)
		r = apsp_sum_arcs_load(download->predecessors, config.lengths,
			&download->arcs, err);
	if (r >= 0)
		r = apsp_sums_open(&config, &download->host_sums, err);
	if (r >= 0 && gpu)
		r = apsp_sums_device_open(download->predecessors,
			&download->arcs, config.integers, config.distance,
			&download->sums, err);
	return r;
}

int apsp_download_open(struct apsp_predecessors *predecessors,
	struct apsp_progress *progress, struct apsp_table_rows *rows,
	struct apsp_download **out, struct apsp_err *err)
{
	APSP_AUTO(download_auto) struct apsp_download *download = NULL;
	const struct apsp_sums_config config = apsp_table_rows_sums(rows);
	struct apsp_stats_rows stats;
	int r = 0;

	download = calloc(1, sizeof(*download));
	if (!download)
		return apsp_fail(err, APSP_ENOMEM, "download rows");
	download->predecessors = predecessors;
	download->progress = progress;
	download->rows = rows;
	download->device = predecessors->device;
	download->distance = config.distance;
	download->rows_per_chunk = rows_together(download);
	if (config.integers->kind == APSP_DISTANCE_SUM)
		r = sums_init(download, config, err);
	stats = (struct apsp_stats_rows){.device = download->device,
		.v = predecessors->element,
		.has_sums = download->sums.kernel != NULL,
		.n_rows = download->rows_per_chunk};
	if (r >= 0)
		r = apsp_stats_device_open(
			&stats, config.stats, &download->stats, err);
	if (r >= 0)
		r = apsp_predecessors_reserve(
			download->predecessors, download->rows_per_chunk, err);
	for (int s = 0; r >= 0 && s < APSP_READBACK_SLOTS; s++)
		r = slot_init(download, &download->slots[s], err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(download);
	return 0;
}

/* Enqueue a command that copies the chunk's integer distances to the host. The
   host needs them to prove the path sums that it makes. */
static int slot_fetch_v(const struct apsp_download *download, struct slot *slot,
	cl_event *out_event, struct apsp_err *err)
{
	slot->has_v = true;
	return apsp_readback_fetch(&slot->buffers[V],
		slot->n_rows *
			row_bytes(download, download->predecessors->element),
		CL_MAP_READ, out_event, err);
}

/* Enqueue commands that copy the chunk's rows and its report to the host. */
static int slot_fetch(const struct apsp_download *download, struct slot *slot,
	struct apsp_err *err)
{
	size_t cells =
		(size_t)slot->n_rows * download->predecessors->n_vertices;
	/* true: the host makes all path sums, and writes them into the buffer
	   DISTANCES */
	bool sums = download->host_sums && !download->sums.kernel;
	int r = 0;

	slot->has_v = false;
	if (sums || download->left)
		r = slot_fetch_v(download, slot, NULL, err);
	if (r >= 0)
		r = apsp_readback_fetch(&slot->buffers[DISTANCES],
			cells * apsp_element_size(download->distance),
			sums ? CL_MAP_WRITE_INVALIDATE_REGION
			     : CL_MAP_READ | CL_MAP_WRITE,
			NULL, err);
	if (r >= 0)
		r = apsp_readback_fetch(&slot->buffers[PREDECESSORS],
			cells * apsp_element_size(
					download->predecessors->stored),
			CL_MAP_READ, NULL, err);
	if (r >= 0)
		r = apsp_readback_fetch(&slot->buffers[REPORT],
			report_bytes(download), CL_MAP_READ, &slot->ready, err);
	if (r >= 0)
		clFlush(download->device->queue);
	return r;
}

/*
 * Enqueue the kernels that find predecessors, path sums and statistics for the
 * next rows of the distance matrix. Also enqueue the commands that copy the
 * results to the host. The rows are in `panels`; the source of the first row is
 * the vertex `first`.
 */
static int slot_start(struct apsp_download *download,
	const struct apsp_panels *panels, uint32_t turn, uint32_t first,
	struct apsp_err *err)
{
	static const cl_uint zero = 0;
	const struct apsp_sums_at at = sums_at(download);
	struct slot *slot = &download->slots[turn];
	const struct apsp_marks_at marks = {
		at.marks, at.marks + download->rows_per_chunk};
	cl_mem distances = slot->buffers[DISTANCES].on_device;
	cl_mem v = download->host_sums ? slot->buffers[V].on_device : distances;
	cl_mem report = slot->buffers[REPORT].on_device;
	cl_mem tails = slot->buffers[PREDECESSORS].on_device;
	uint32_t left = panels->first + panels->n_rows - first;
	int r;

	apsp_progress_stage(download->progress, APSP_STAGE_PREDECESSOR);
	slot->first = first;
	slot->n_rows = left < download->rows_per_chunk
			       ? left
			       : download->rows_per_chunk;
	r = apsp_opencl_fill(download->device->queue, report, &zero,
		sizeof(zero), 0, report_bytes(download), "clear the checks",
		err);
	if (r >= 0)
		r = apsp_panel_rows_read(panels, first, slot->n_rows, v, err);
	if (r >= 0)
		r = apsp_predecessors_rows(download->predecessors, v, first,
			slot->n_rows, tails, report, marks, err);
	/* if the device makes path sums, the host gets them in place of the
	   integer distances; so `report` must get the checksums of the path
	   sums */
	if (r >= 0 && download->sums.kernel)
		r = apsp_sums_device_rows(&download->sums, tails, v, first,
			slot->n_rows, distances, report, &at, err);
	if (r >= 0)
		r = apsp_stats_device_rows(&download->stats, turn, distances,
			first, slot->n_rows, report, at.summed, err);
	apsp_progress_stage(download->progress, APSP_STAGE_DOWNLOAD);
	if (r >= 0)
		r = slot_fetch(download, slot, err);
	return r;
}

/* Check how many wrong cells the device has counted in a chunk. Returns an enum
   apsp_verdict, or APSP_EPROOF if distances or predecessors are wrong. */
static int slot_judge(const struct slot *slot, struct apsp_err *err)
{
	const struct apsp_checks *counts = &slot_report(slot)->counts;

	/* Check `misfits` before `unproved`. `misfits` also counts values above
	   2^53, which are rounded; then `unproved` means nothing. */
	if (counts->misfits > 0)
		return APSP_VERDICT_TOO_NARROW;
	if (counts->unproved > 0)
		return apsp_fail(err, APSP_EPROOF,
			"%u distances or predecessors from the sources %u to "
			"%u fail their proof: the device computed them "
			"wrongly",
			counts->unproved, slot->first,
			slot->first + slot->n_rows - 1);
	return APSP_VERDICT_PROVED;
}

/* Check the device's path sums of a chunk. Compute the path sums of the rows
   that the device has not summed. If `all_hops` is true, count the hops of all
   paths for the statistics (struct apsp_sums_rows). */
static int slot_sum(struct apsp_download *download, struct slot *slot,
	bool all_hops, struct apsp_err *err)
{
	const struct apsp_sums_at at = sums_at(download);
	const uint32_t *words = slot->buffers[REPORT].bytes;
	struct apsp_sums_rows rows = {.first = slot->first,
		.n_rows = slot->n_rows,
		.predecessors = slot->buffers[PREDECESSORS].bytes,
		.summed = download->sums.kernel ? words + at.summed : NULL,
		.n_outside = words[at.wrong + 1],
		.n_wrong = words[at.wrong],
		.all_hops = all_hops,
		.marks = download->sum_marks};
	int r = 0;

	download->left = false;
	for (uint32_t i = 0; rows.summed && i < slot->n_rows; i++) {
		download->left = download->left || !rows.summed[i];
		download->sum_marks[i] = words[at.marks + i];
	}
	if (download->left && !slot->has_v) {
		r = slot_fetch_v(download, slot, &slot->ready, err);
		if (r >= 0)
			r = apsp_opencl_await(
				&slot->ready, "compute predecessors", err);
	}
	rows.v = slot->buffers[V].bytes;
	return r == 0 ? apsp_sums_rows(download->host_sums, &rows,
				slot->buffers[DISTANCES].bytes, err)
		      : r;
}

/* Compute the path sums of the chunk's rows that the device has not summed.
   Then append the chunk's rows to the tables. */
static int slot_append(
	struct apsp_download *download, struct slot *slot, struct apsp_err *err)
{
	const struct apsp_sums_at at = sums_at(download);
	const uint32_t *words = slot->buffers[REPORT].bytes;
	const struct apsp_row_marks marks = {
		.distances = download->host_sums ? download->sum_marks
						 : words + at.marks,
		.predecessors = words + at.marks + download->rows_per_chunk,
	};
	struct apsp_row_strip strip = {.first = slot->first,
		.n_rows = slot->n_rows,
		.distances = slot->buffers[DISTANCES].bytes,
		.predecessors = slot->buffers[PREDECESSORS].bytes,
		.marks = &marks};
	const struct apsp_made_hops hops = apsp_sums_device_hops(words, &at);
	int r = apsp_stats_device_made(&download->stats,
		(uint32_t)(slot - download->slots), &hops, &strip.made, err);

	if (r == 0 && download->host_sums)
		r = slot_sum(
			download, slot, !apsp_made_stats_exist(&strip), err);
	return r == 0 ? apsp_table_rows_append(download->rows, &strip, err) : r;
}

/* Wait until the device has finished the chunk in a slot. Check the device's
   counts, and append the chunk's rows to the tables. Afterwards the device may
   write to the slot again. */
static int slot_finish(struct apsp_download *download, struct slot *slot,
	uint64_t *finite, struct apsp_err *err)
{
	int r = apsp_opencl_await(&slot->ready, "compute predecessors", err);

	if (r == 0)
		r = slot_judge(slot, err);
	apsp_progress_stage(download->progress, APSP_STAGE_WRITE);
	if (r == 0)
		r = slot_append(download, slot, err);
	*finite += slot_report(slot)->counts.finite;
	for (int b = 0; r == 0 && b < N_BUFFERS; b++)
		r = apsp_readback_release(&slot->buffers[b], 0, err);
	return r;
}

int apsp_download_rows(struct apsp_download *download,
	const struct apsp_panels *panels, uint64_t *finite,
	struct apsp_err *err)
{
	uint32_t first = panels->first, end = first + panels->n_rows, turn = 0;
	int r = slot_start(download, panels, turn, first, err);

	while (r == 0 && first < end) {
		struct slot *slot = &download->slots[turn];

		first += slot->n_rows;
		turn ^= 1;
		if (first < end)
			r = slot_start(download, panels, turn, first, err);
		if (r == 0)
			r = slot_finish(download, slot, finite, err);
		if (r == 0)
			r = apsp_progress_step(download->progress,
				(double)first / panels->n_vertices, err);
	}
	return r;
}
