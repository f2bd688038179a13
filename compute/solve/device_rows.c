/*
 * Brings rows of the distance matrix from a device to the tables; see
 * device_rows.h.
 */
#include "compute/solve/device_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/panel_rows.h"
#include "compute/group/group.h"
#include "compute/plan/batch_size.h"
#include "compute/solve/self_test.h"
#include "compute/tables/download.h"
#include "compute/tables/verdict.h"
#include "daemon/base/auto.h"

static_assert(APSP_VERDICT_ELSEWHERE == 1,
	"apsp_group_check() returns the verdict that another process decides");

int apsp_device_rows_graph(struct apsp_prepared_graph *prepared,
	struct apsp_table_rows *rows, struct apsp_err *err)
{
	struct apsp_lengths *lengths = &prepared->lengths;
	int r = apsp_group_rank() == 0 ? apsp_table_rows_write_graph(rows, err)
				       : apsp_lengths_check(lengths, err);

	if (r < 0 || lengths->weights == lengths->lengths)
		return r;
	free(lengths->weights);
	lengths->weights = NULL;
	return r;
}

/* The state of apsp_device_rows_compute(). */
struct passage {
	const struct apsp_device_rows *work;
	/* the positions of all vertices, divided into one part for each
	   process; empty unless several processes compute the distance matrix
	   together */
	struct apsp_positions divided;
	/* the arcs on the device; empty if the distance matrix is computed in
	   several windows of rows */
	struct apsp_device_arcs arcs;
	struct apsp_panels panels;
	/* for each arc, 1 if the search for predecessors reads the arc, else 0;
	   owned */
	uint8_t *kept;
	struct apsp_predecessors predecessors;
	struct apsp_download *download; /* NULL: no row has been downloaded
					   yet */
	uint64_t finite; /* number of finite distances that the device has
			    counted so far */
	/* number of rows in the windows (ranges of rows) that this process has
	   taken so far */
	uint32_t taken;
};

static void passage_done(struct passage *p)
{
	apsp_download_free(p->download);
	apsp_predecessors_done(&p->predecessors);
	apsp_panels_done(&p->panels);
	apsp_device_arcs_done(&p->arcs);
	apsp_positions_done(&p->divided);
	free(p->kept);
}

/* Whether this process computes all of its rows of the distance matrix V at
   once, and not in several windows. If so, the panels hold all of V or, if
   processes compute V together, this process's part of V. */
static bool is_once(const struct apsp_device_rows *work)
{
	uint32_t n = work->prepared->lengths.n_vertices;

	return work->shared->together ||
	       apsp_panels_tiles(work->n_rows) == apsp_panels_tiles(n);
}

/* Select the arcs that the search for predecessors reads. If is_once(p->work)
   is true, only essential arcs are selected: the arcs that can be the last arc
   of a shortest path. Otherwise, all useful arcs are selected. */
static int arcs_select(struct passage *p, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint8_t *flags = NULL;
	const struct apsp_prepared_graph *prepared = p->work->prepared;
	const struct apsp_lengths *arcs = apsp_prepared_graph_arcs(prepared);
	const uint8_t *useless = prepared->useful.useless;
	uint64_t n_arcs = prepared->lengths.n_arcs;
	int r = 0;

	flags = malloc(arcs->n_arcs + 1);
	p->kept = malloc(n_arcs + 1);
	if (!flags || !p->kept)
		return apsp_fail(err, APSP_ENOMEM, "select arcs");
	if (is_once(p->work))
		r = apsp_panel_rows_essential(&p->panels, &p->arcs, flags, err);
	else
		memset(flags, 1, arcs->n_arcs);
	for (uint64_t e = 0, i = 0; r >= 0 && e < n_arcs; e++)
		p->kept[e] = !(useless && useless[e]) && flags[i++];
	apsp_device_arcs_done(&p->arcs);
	return r;
}

/*
 * Add the arcs that other processes have selected. Each process knows only some
 * essential arcs: the arcs with tails in its part of the distance matrix. `r`
 * is the result of this process so far. All processes of the group must call
 * this function.
 */
static int arcs_unite(struct passage *p, int r)
{
	r = apsp_group_check(r);
	if (r == 0)
		apsp_group_unite(p->kept, p->work->prepared->lengths.n_arcs);
	return r;
}

/* Prepare to download rows. First write arcs and closure to the table file:
   these sections do not depend on rows. */
static int passage_open(struct passage *p, struct apsp_err *err)
{
	struct apsp_progress *progress = p->work->progress;
	struct apsp_prepared_graph *prepared = p->work->prepared;
	int r;

	apsp_progress_stage(progress, APSP_STAGE_WRITE);
	r = apsp_device_rows_graph(prepared, p->work->rows, err);
	apsp_progress_stage(progress, APSP_STAGE_PREDECESSOR);
	if (r >= 0)
		r = arcs_select(p, err);
	if (p->work->shared->together)
		r = arcs_unite(p, r);
	apsp_table_rows_kept(p->work->rows, p->kept);
	if (r == 0)
		r = apsp_predecessors_open(&p->panels, &prepared->lengths,
			&prepared->integers, p->kept, p->work->root,
			&p->predecessors, err);
	return r != 0 ? r
		      : apsp_download_open(&p->predecessors, progress,
				p->work->rows, &p->download, err);
}

/* Take the next window of rows that no process has taken. False: no window is
   left. This is the function next() of struct apsp_task if the processes of a
   group share the windows. */
static bool window_next(void *ctx, uint32_t *out_first, uint32_t *out_n_rows)
{
	struct passage *p = ctx;
	struct apsp_shared_rows *shared = p->work->shared;
	uint32_t ticket = apsp_group_ticket();

	if (ticket >= shared->windows.n)
		return false;
	shared->taken[ticket] = 1;
	*out_first = shared->windows.windows[ticket].first;
	*out_n_rows = shared->windows.windows[ticket].n_rows;
	p->work->progress->skipped = (double)(*out_first - p->taken) /
				     p->work->prepared->lengths.n_vertices;
	p->taken += *out_n_rows;
	return true;
}

/*
 * Download the rows of the distance matrix that the panels hold, find their
 * predecessors, and append both to the tables. This is the function take() of
 * struct apsp_task, which an algorithm calls for each window of rows. If the
 * panels hold all rows of this process, apsp_device_rows_compute() calls it
 * once at the end.
 */
static int rows_take(void *ctx, struct apsp_err *err)
{
	struct passage *p = ctx;
	struct apsp_progress *progress = p->work->progress;
	const struct apsp_panels *panels = &p->panels;
	int r = p->download ? 0 : passage_open(p, err);

	if (r == 0 && p->work->shared->windows.n > 0)
		r = apsp_table_rows_seek(p->work->rows, panels->first, err);
	if (p->work->shared->together)
		progress->skipped = (double)panels->first / panels->n_vertices;
	if (is_once(p->work) && !p->work->shared->together && r == 0)
		r = apsp_progress_enter(progress, APSP_STAGE_PREDECESSOR, err);
	else
		apsp_progress_turn(progress, APSP_STAGE_PREDECESSOR);
	if (r == 0)
		r = apsp_download_rows(p->download, panels, &p->finite, err);
	if (!is_once(p->work) &&
		panels->first + panels->n_rows < panels->n_vertices)
		apsp_progress_turn(progress, APSP_STAGE_DISTANCE);
	return r;
}

int apsp_device_rows_compute(const struct apsp_device_rows *work,
	uint64_t *out_finite, struct apsp_err *err)
{
	APSP_AUTO(passage_done) struct passage p = {.work = work};
	struct apsp_prepared_graph *prepared = work->prepared;
	struct apsp_progress *progress = work->progress;
	enum apsp_element element = work->element;
	const struct apsp_shared_rows *shared = work->shared;
	bool once = is_once(work);
	const struct apsp_lengths *arcs = apsp_prepared_graph_arcs(prepared);
	const struct apsp_task task = {.lengths = arcs,
		.integers = &prepared->integers,
		.order = shared->together ? &p.divided : &prepared->order,
		.root = work->root,
		.arcs = once ? &p.arcs : NULL,
		.group = shared->together ? &shared->group : NULL,
		.take = rows_take,
		.next = shared->windows.n > 0 ? window_next : NULL,
		.ctx = &p,
		.contest = work->contest->give_up_s > 0 ? work->contest : NULL};
	const struct apsp_self_test test = {.algorithm = work->algorithm,
		.element = element,
		.sums = prepared->integers.kind == APSP_DISTANCE_SUM
				? apsp_prepared_graph_distance(
					  prepared, element)
				: APSP_ELEMENT_NONE,
		.hops = prepared->integers.kind == APSP_DISTANCE_HOPS,
		.widths = prepared->integers.kind == APSP_DISTANCE_WIDTH,
		.rank = prepared->lengths.in.rank,
		.lane_bytes = apsp_batch_size_lane_bytes(
			prepared->lengths.n_vertices, work->device->tuning)};
	int r;

	apsp_progress_stage(progress, APSP_STAGE_SELF_TEST);
	r = apsp_self_test_run(work->device, &test, err);
	apsp_progress_stage(progress, APSP_STAGE_UPLOAD);
	if (r >= 0 && shared->together)
		r = apsp_positions_divide(&prepared->order, shared->group.ends,
			shared->windows.n, &p.divided, err);
	if (r >= 0 && once)
		r = apsp_device_arcs_load(work->device, arcs,
			&prepared->integers, task.order, element, &p.arcs, err);
	if (r >= 0)
		r = apsp_distance_algorithm_panels(work->algorithm,
			work->device, &task, element, work->n_rows, &p.panels,
			err);
	apsp_progress_stage(progress, APSP_STAGE_DISTANCE);
	if (shared->together)
		r = apsp_group_check(r);
	if (r == 0)
		r = work->algorithm->run(&task, &p.panels, progress, err);
	if (work->contest->lost)
		return APSP_VERDICT_SLOW;
	if (r == 0 && once)
		r = rows_take(&p, err);
	else if (r == 0 && !p.download)
		/* rows_take() was never called, because other processes have
		   taken all windows; so arcs and closure are not written yet */
		r = apsp_device_rows_graph(prepared, work->rows, err);
	*out_finite = p.finite;
	return r;
}
