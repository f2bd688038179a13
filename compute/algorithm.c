/*
 * The table of algorithms.
 */
#include "compute/algorithm.h"
#include "compute/bf_dense.h"

#include <stddef.h>
#include <string.h>

#include "compute/closure.h"
#include "compute/multi_source.h"
#include "compute/panels_host.h"
#include "compute/streamed_fw.h"
#include "daemon/base/auto.h"

/* The first is the default. */
static const struct apsp_algorithm algorithms[] = {
	{"blocked-fw", APSP_START_ARCS, apsp_blocked_fw_run},
	{"bf-dense-reduce", APSP_START_ARCS, apsp_bf_dense_reduce_run},
	{"bf-dense-transposed", APSP_START_ARCS, apsp_bf_dense_transposed_run},
	{"bf-dense-vertex", APSP_START_ARCS, apsp_bf_dense_vertex_run},
	{"bf-edges", APSP_START_BLANK, apsp_bf_edges_run},
	{"bfs-levels", APSP_START_BLANK, apsp_bfs_levels_run, true},
	{"fw", APSP_START_ARCS, apsp_fw_run},
	{"minplus-squaring", APSP_START_ARCS, apsp_minplus_squaring_run},
	{"multi-source", APSP_START_BLANK, apsp_multi_source_run,
		.windows = true},
	{"reference", APSP_START_HOST, NULL},
	{"streamed-fw", APSP_START_STREAMED, apsp_streamed_fw_run},
};

const struct apsp_algorithm *apsp_algorithm_find(const char *name)
{
	if (!name[0] || apsp_closure_find(name))
		return &algorithms[0];
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++)
		if (strcmp(algorithms[i].name, name) == 0)
			return &algorithms[i];
	return NULL;
}

int apsp_algorithm_takes(const struct apsp_algorithm *algorithm,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	if (!algorithm->hops_only || integers->kind == APSP_DISTANCE_HOPS)
		return 0;
	return apsp_fail(err, APSP_EDATA,
		"%s counts arcs and here they have lengths; ask for "
		"transform=hops or another algorithm",
		algorithm->name);
}

int apsp_algorithm_panels(const struct apsp_algorithm *algorithm,
	const struct apsp_device *device, const struct apsp_task *task,
	enum apsp_element element, uint32_t rows, struct apsp_panels *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	int r;

	if (algorithm->start == APSP_START_STREAMED)
		return apsp_host_panels_open(device, task->lengths,
			task->integers, task->order, element, out, err);
	if (!algorithm->windows)
		rows = task->order->n_vertices;
	r = apsp_panels_open(device, task->order, element, rows, &panels, err);
	if (r >= 0 && algorithm->start == APSP_START_ARCS)
		r = apsp_panels_load(&panels, task->arcs, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(panels);
	return 0;
}

int apsp_algorithm_windows(const struct apsp_task *task,
	struct apsp_panels *panels, const uint8_t *useless,
	int (*solve)(
		void *work, struct apsp_monitor *monitor, struct apsp_err *err),
	void *work, struct apsp_monitor *monitor, struct apsp_err *err)
{
	int r = 0;

	if (apsp_panels_whole(panels))
		return solve(work, monitor, err);
	for (uint32_t first = 0; r == 0 && first < panels->n_vertices;
		first += panels->n_rows) {
		r = apsp_panels_window(panels, task->order, first, err);
		if (r >= 0)
			r = solve(work, monitor, err);
		if (r >= 0 && task->take)
			r = task->take(task->ctx, useless, err);
	}
	return r;
}
