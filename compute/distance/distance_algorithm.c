/*
 * The table of algorithms, made from algorithm_list.h; see
 * distance_algorithm.h.
 */
#include "compute/distance/distance_algorithm.h"

#include <stddef.h>

#include "compute/device/host_panels.h"
#include "compute/group/group.h"
#include "daemon/base/auto.h"

#define RUN_ARCS(stem) apsp_##stem##_run
#define RUN_BLANK(stem) apsp_##stem##_run
#define RUN_STREAMED(stem) apsp_##stem##_run
#define RUN_HOST(stem) NULL

static const struct apsp_distance_algorithm algorithms[APSP_N_ALGORITHMS] = {
#define APSP_ALGORITHM(id, stem, name, start, lengths, ...)                    \
	[APSP_ALGORITHM_##id] = {                                              \
		&apsp_algorithms[APSP_ALGORITHM_##id], RUN_##start(stem)},
#include "compute/plan/algorithm_list.h"
};

const struct apsp_distance_algorithm *apsp_distance_algorithm_find(
	const char *name)
{
	int id = name[0] ? apsp_algorithm_find(name) : 0;

	return id < 0 ? NULL : &algorithms[id];
}

int apsp_distance_algorithm_takes(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	if (integers->kind == APSP_DISTANCE_WIDTH && !algorithm->entry->widest)
		return apsp_fail(err, APSP_EDATA,
			"%s computes shortest paths only, and the rule says "
			"path=widest; ask for blocked-fw, multi-source or "
			"reference",
			algorithm->entry->name);
	if (!algorithm->entry->hops_only ||
		integers->kind == APSP_DISTANCE_HOPS)
		return 0;
	return apsp_fail(err, APSP_EDATA,
		"%s counts arcs, but here arcs have lengths; ask for "
		"transform=hops or another algorithm",
		algorithm->entry->name);
}

/* Return which rows the panels hold: at most `rows` rows or, if the processes
   of a group compute the matrix together, this process's part. */
static struct apsp_panels_extent extent_of(const struct apsp_device *device,
	const struct apsp_task *task, uint32_t rows)
{
	const struct apsp_task_group *group = task->group;
	uint32_t n = task->order->n_vertices, own = apsp_group_rank();
	uint32_t first = 0;

	if (!group)
		return (struct apsp_panels_extent){0,
			apsp_panels_tiles(rows < n ? rows : n) * APSP_TILE,
			device->tuning->pivot_tiles};
	if (own > 0)
		first = group->ends[own - 1];
	return (struct apsp_panels_extent){
		first, group->ends[own] - first, group->depth};
}

int apsp_distance_algorithm_panels(
	const struct apsp_distance_algorithm *algorithm,
	const struct apsp_device *device, const struct apsp_task *task,
	enum apsp_element element, uint32_t rows, struct apsp_panels *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	const struct apsp_panels_extent extent = extent_of(device, task, rows);
	int r;

	if (algorithm->entry->start == APSP_START_STREAMED)
		r = apsp_host_panels_open(device, task->lengths, task->integers,
			task->order, element, &panels, err);
	else
		r = apsp_panels_open(
			device, task->order, element, &extent, &panels, err);
	if (r >= 0 && algorithm->entry->start == APSP_START_ARCS)
		r = apsp_panels_load(&panels, task->arcs, false, err);
	if (r < 0)
		return r;
	panels.kind = task->integers->kind;
	*out = APSP_TAKE(panels);
	return 0;
}
