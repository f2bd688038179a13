/*
 * Runs an algorithm window by window; see task.h.
 */
#include "compute/distance/task.h"

int apsp_task_windows(const struct apsp_task *task, struct apsp_panels *panels,
	int (*solve)(void *work, struct apsp_progress *progress,
		struct apsp_err *err),
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	uint32_t first = 0, n_rows = panels->n_rows;
	int r = 0;

	if (panels->n_panels == panels->n_tiles) { /* the panels hold all rows
						      of the distance matrix */
		apsp_contest_go(task->contest);
		return solve(work, progress, err);
	}
	for (; r == 0; first += n_rows) {
		if (task->next ? !task->next(task->ctx, &first, &n_rows)
			       : first >= panels->n_vertices)
			break;
		r = apsp_panels_window(panels, task->order, first, n_rows, err);
		apsp_contest_go(task->contest);
		if (r >= 0)
			r = solve(work, progress, err);
		apsp_contest_pause(task->contest);
		if (r >= 0 && task->take)
			r = task->take(task->ctx, err);
	}
	return r;
}
