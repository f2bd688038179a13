/*
 * `closure-order`: rows in reverse topological order of components, each the OR
 * of its successors' rows; the vertices of a component share one row. A
 * successor that is reached already is left out. m·n / 64 word operations at
 * most. Method: Purdom 1970.
 *
 * On the device if it has room and is faster for so much work
 * (tuning->bits.host_words), else on the host.
 */
#include <string.h>

#include "compute/closure/closure_algorithm.h"
#include "compute/closure/closure_levels.h"
#include "compute/closure/closure_order_device.h"
#include "compute/closure/closure_rows.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	ROWS_TOGETHER = 256, /* between two polls of stop */
};

/* The state of loops over rows. */
struct host {
	const struct apsp_components *components;
	const struct apsp_closure_levels *levels;
	struct apsp_bits bits;
};

static void host_done(struct host *host)
{
	apsp_bits_done(&host->bits);
}

static void or_row(uint64_t *restrict row, const uint64_t *restrict other,
	uint64_t n_words)
{
	for (uint64_t i = 0; i < n_words; i++)
		row[i] |= other[i];
}

static void close_row(struct host *host, uint32_t k)
{
	const struct apsp_components *components = host->components;
	const struct apsp_closure_levels *levels = host->levels;
	uint32_t c = levels->n - 1 - k;
	uint32_t row = levels->rows[k];

	for (uint32_t m = components->offsets[c];
		m < components->offsets[c + 1]; m++)
		apsp_bits_set(&host->bits, row, components->order[m]);
	for (uint64_t s = levels->offsets[k]; s < levels->offsets[k + 1]; s++) {
		uint32_t other = levels->successors[s];

		if (!apsp_bits_get(&host->bits, row, other))
			or_row(apsp_bits_row(&host->bits, row),
				apsp_bits_row(&host->bits, other),
				host->bits.row_words);
	}
}

/* Copy the row of v's component to v. */
static void share_row(void *ctx, unsigned int thread, size_t v)
{
	struct host *host = ctx;
	const struct apsp_components *components = host->components;
	uint32_t first =
		components->order[components->offsets[components->of[v]]];

	(void)thread;
	if (v != first)
		memcpy(apsp_bits_row(&host->bits, v),
			apsp_bits_row(&host->bits, first),
			host->bits.row_words * sizeof(*host->bits.words));
}

static int close_on_host(const struct apsp_closure_task *task,
	const struct apsp_closure_levels *levels,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(host_done)
	struct host host = {.components = task->components, .levels = levels};
	uint32_t n = task->lengths->n_vertices;
	int r = apsp_bits_init(&host.bits, n, n, err);

	for (uint32_t k = 0; r >= 0 && k < levels->n; k++) {
		close_row(&host, k);
		if (k % ROWS_TOGETHER == 0)
			r = apsp_progress_step(
				progress, (double)k / levels->n, err);
	}
	if (r < 0)
		return r;
	if (levels->n < n)
		apsp_parallel_for(n, apsp_parallel_width(), share_row, &host);
	*out = APSP_TAKE(host.bits);
	return 0;
}

bool apsp_closure_order_on_device(const struct apsp_closure_task *task)
{
	uint32_t n = task->lengths->n_vertices;
	uint64_t m = task->lengths->n_arcs;
	const struct apsp_closure_size size = {
		n, m, task->components->n_components};
	const struct apsp_bits_tuning *tuning;
	struct apsp_closure_bytes bytes;
	struct apsp_err ignored;

	if (!task->device)
		return false;
	tuning = &task->device->tuning->bits;
	bytes = apsp_closure_order_bytes(&size, tuning);
	return (n + m) * (n / 64) > tuning->host_words &&
	       apsp_closure_rows_fit(task->device, n, &bytes, &ignored) == 0;
}

int apsp_closure_order_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_closure_levels_done)
	struct apsp_closure_levels levels = {0};
	const struct apsp_closure_wanted wanted = {
		.nearest_first = true, .most_successors = UINT64_MAX};
	int r;

	if (apsp_closure_order_on_device(task))
		return apsp_closure_order_device_run(task, progress, out, err);
	r = apsp_closure_levels_build(
		task->lengths, task->components, &wanted, &levels, err);
	if (r < 0)
		return r;
	return close_on_host(task, &levels, progress, out, err);
}
