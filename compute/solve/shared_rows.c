/*
 * Shares the rows of an attempt among processes; see shared_rows.h.
 */
#include "compute/solve/shared_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "compute/group/group.h"
#include "compute/parallel.h"
#include "compute/plan/algorithm.h"
#include "compute/plan/footprint.h"
#include "compute/plan/plan_facts.h"
#include "compute/source_block.h"
#include "daemon/base/auto.h"

enum {
	/* On GPUs, a window (the rows that a process takes at a time) has at
	   least 1/LAST of a process's share. The share is the number of all
	   rows divided by the number of processes. */
	LAST = 8,
	/*
	 * A part (the rows of one process) has at least this number of pivot
	 * blocks, if it has that many tile rows. In each step, the process
	 * whose part has the next pivot block relaxes and closes this block. At
	 * the same time, the other processes relax their whole parts with the
	 * present block. With 2 blocks in each part, that process and the
	 * others would need the same time. With fewer blocks, the others would
	 * wait.
	 */
	PART_BLOCKS = 4,
};

/* Divide the rows into parts of about equal size, one for each process. `depth`
   limits the number of tile rows of a pivot block: it is the largest number
   that all devices of the group allow. */
static int parts_make(uint32_t n_vertices, uint32_t depth, bool gpu,
	struct apsp_shared_rows *out, struct apsp_err *err)
{
	uint32_t size = apsp_group_size(),
		 unit = apsp_plan_part_unit(n_vertices);
	uint64_t units = (n_vertices + unit - 1) / unit;
	uint32_t tiles = (uint32_t)(units / size) * (unit / APSP_TILE);
	uint32_t most = tiles / PART_BLOCKS, first = 0;
	struct apsp_row_window *windows = malloc(size * sizeof(*windows));
	uint32_t *ends = malloc(size * sizeof(*ends));

	out->works = out->together = true;
	out->windows = (struct apsp_row_windows){size, windows};
	out->taken = calloc(size, sizeof(*out->taken));
	out->group = (struct apsp_task_group){.ends = ends,
		.copiers = gpu ? apsp_parallel_processors() : 1,
		.depth = depth < most ? depth
			 : most > 0   ? most
				      : 1};
	if (!windows || !out->taken || !ends)
		return apsp_fail(err, APSP_ENOMEM, "divide rows");
	out->taken[apsp_group_rank()] = 1;
	for (uint32_t i = 0; i < size; i++) {
		uint64_t end = units * (i + 1) / size * unit;

		end = end < n_vertices ? end : n_vertices;
		windows[i] =
			(struct apsp_row_window){first, (uint32_t)end - first};
		ends[i] = first = (uint32_t)end;
	}
	return 0;
}

int apsp_shared_rows_divide(uint32_t n_vertices,
	const struct apsp_estimate *estimate, const struct apsp_device *device,
	struct apsp_shared_rows *out, struct apsp_err *err)
{
	uint32_t unit = apsp_source_block_rows(n_vertices);
	int id = estimate ? apsp_algorithm_find(estimate->name) : -1;
	bool divides = id >= 0 && apsp_algorithms[id].divides;
	bool has_windows = estimate && estimate->lanes > 0;
	uint32_t part = apsp_plan_part_rows(n_vertices, apsp_group_size());
	uint64_t least = 1, window, depth;
	uint64_t rows = has_windows || divides ? estimate->rows : 0;

	*out = (struct apsp_shared_rows){
		.works = apsp_group_rank() == 0, .unit = unit};
	if (apsp_group_size() == 1)
		return 0;
	if (has_windows)
		least = device->tuning->gpu
				? n_vertices / apsp_group_size() / LAST
				: estimate->lanes * apsp_parallel_processors();
	/* All processes must make the same list of windows. So each process
	   uses the smallest `rows` and the largest `least` of all processes. */
	rows = apsp_group_least(rows);
	least = UINT32_MAX - apsp_group_least(UINT32_MAX - least);
	depth = apsp_group_least(device ? device->tuning->pivot_tiles : 1);
	if (divides && (part == n_vertices || rows < part))
		return 0;
	if (divides)
		return parts_make(n_vertices, (uint32_t)depth,
			device->tuning->gpu, out, err);
	/* a window must be smaller than the distance matrix by at least one row
	   of tiles, because panels that hold the whole matrix are not treated
	   as a window (panels.h) */
	window = (apsp_panels_tiles(n_vertices) - 1) * APSP_TILE;
	if (rows > window)
		rows = window;
	if (rows < unit)
		return 0;
	apsp_row_windows_make(n_vertices, apsp_group_size(), unit,
		(uint32_t)least, (uint32_t)rows, &out->windows);
	out->taken = calloc(out->windows.n + 1, sizeof(*out->taken));
	if (!out->windows.windows || !out->taken)
		return apsp_fail(err, APSP_ENOMEM, "divide rows");
	out->works = true;
	return 0;
}

void apsp_shared_rows_done(struct apsp_shared_rows *shared)
{
	free(shared->windows.windows);
	free(shared->taken);
	free(shared->group.ends);
	*shared = (struct apsp_shared_rows){.works = false};
}

/* Read a message that lists the windows that the process of rank `rank` has
   taken. For each window w in this list, store rank + 1 in owners[w]. */
static int owners_get(const struct apsp_shared_rows *shared, uint32_t rank,
	struct apsp_message *message, uint32_t *owners, struct apsp_err *err)
{
	for (uint32_t w = 0; w < shared->windows.n; w++) {
		uint8_t taken;

		apsp_message_get(message, &taken, sizeof(taken));
		if (taken && owners[w])
			return apsp_fail(err, APSP_EBUG,
				"two processes have computed the rows from "
				"%u on",
				shared->windows.windows[w].first);
		if (taken)
			owners[w] = rank + 1;
	}
	return 0;
}

/*
 * Send messages to the process of rank 0. The first message has the results of
 * all rows of this process (apsp_table_rows_pack()), the number of finite
 * distances in these rows, and the list of the windows that this process has
 * taken. Then one message follows for each of these windows, with the
 * statistics of the window's source blocks.
 */
static int rows_send(const struct apsp_shared_rows *shared,
	struct apsp_table_rows *rows, uint64_t finite, struct apsp_err *err)
{
	APSP_AUTO(apsp_message_done) struct apsp_message message = {0};
	int r = apsp_table_rows_pack(rows, &message, err);

	apsp_message_put(&message, &finite, sizeof(finite));
	apsp_message_put(&message, shared->taken, shared->windows.n);
	if (r >= 0)
		apsp_group_send(&message);
	for (uint32_t w = 0; r >= 0 && w < shared->windows.n; w++) {
		const struct apsp_row_window *window =
			&shared->windows.windows[w];
		uint32_t end = window->first + window->n_rows;

		if (!shared->taken[w])
			continue;
		message.size = 0;
		for (uint32_t first = window->first; r >= 0 && first < end;
			first += shared->unit)
			r = apsp_table_rows_block_pack(
				rows, first / shared->unit, &message, err);
		if (r >= 0)
			apsp_group_send(&message);
	}
	return r;
}

/* Receive the statistics of the source blocks of window w from the process of
   rank `rank`. */
static int window_receive(const struct apsp_shared_rows *shared, uint32_t w,
	uint32_t rank, struct apsp_table_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(apsp_message_done) struct apsp_message message = {0};
	const struct apsp_row_window *window = &shared->windows.windows[w];
	uint32_t end = window->first + window->n_rows;
	int r = 0;

	apsp_group_receive(rank, &message);
	for (uint32_t first = window->first; r >= 0 && first < end;
		first += shared->unit)
		r = apsp_table_rows_block_unpack(
			rows, first / shared->unit, &message, err);
	return r;
}

static int rows_receive(const struct apsp_shared_rows *shared,
	struct apsp_table_rows *rows, uint64_t *finite, struct apsp_err *err)
{
	APSP_AUTO(apsp_free)
	uint32_t *owners = calloc(shared->windows.n, sizeof(*owners));
	int r = 0;

	if (!owners)
		return apsp_fail(err, APSP_ENOMEM, "gather rows");
	for (uint32_t w = 0; w < shared->windows.n; w++)
		owners[w] = shared->taken[w];
	for (uint32_t i = 1; r >= 0 && i < apsp_group_size(); i++) {
		APSP_AUTO(apsp_message_done) struct apsp_message message = {0};
		uint64_t counted;

		apsp_group_receive(i, &message);
		r = apsp_table_rows_unpack(rows, &message, err);
		apsp_message_get(&message, &counted, sizeof(counted));
		*finite += counted;
		if (r >= 0)
			r = owners_get(shared, i, &message, owners, err);
	}
	for (uint32_t w = 0; r >= 0 && w < shared->windows.n; w++) {
		if (owners[w] == 0)
			r = apsp_fail(err, APSP_EBUG,
				"nobody has computed the rows from %u on",
				shared->windows.windows[w].first);
		else if (owners[w] > 1)
			r = window_receive(shared, w, owners[w] - 1, rows, err);
	}
	return r;
}

int apsp_shared_rows_gather(const struct apsp_shared_rows *shared,
	struct apsp_table_rows *rows, uint64_t *finite, struct apsp_err *err)
{
	int r;

	if (shared->windows.n == 0)
		return 0;
	r = apsp_group_rank() > 0 ? rows_send(shared, rows, *finite, err)
				  : rows_receive(shared, rows, finite, err);
	/* end all processes, because another process may be waiting for this
	   process */
	if (r < 0) {
		fprintf(stderr, "<3>%s\n", err->message);
		apsp_group_abort();
	}
	return r;
}
