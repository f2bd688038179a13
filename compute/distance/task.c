/*
 * Solving a task window by window; see task.h.
 */
#include "compute/distance/task.h"

int apsp_task_windows(const struct apsp_task *task, struct apsp_panels *panels,
	int (*solve)(void *work, struct apsp_progress *progress,
		struct apsp_err *err),
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	int r = 0;

	if (apsp_panels_whole(panels)) {
		apsp_contest_go(task->contest);
		return solve(work, progress, err);
	}
	for (uint32_t first = 0; r == 0 && first < panels->n_vertices;
		first += panels->n_rows) {
		r = apsp_panels_window(panels, task->order, first, err);
		apsp_contest_go(task->contest);
		if (r >= 0)
			r = solve(work, progress, err);
		apsp_contest_pause(task->contest);
		if (r >= 0 && task->take)
			r = task->take(task->ctx, err);
	}
	return r;
}
