/*
 * Blocked Floyd–Warshall on a matrix in host memory; see streamed_fw.h.
 */
#include "compute/streamed_fw.h"

#include <stdlib.h>

#include "compute/panels_host.h"
#include "compute/relax.h"
#include "compute/streamed_plan.h"
#include "daemon/base/auto.h"

enum {
	N_PIVOTS = 2, /* this round's and the next one's */
	/* Passes that may be queued: enough that the device never waits. */
	N_MARKS = 4,
};

/* Room for one slab on the device. Events are NULL where there is none yet. */
struct place {
	cl_mem buffer;
	cl_event filled;  /* its slab has come */
	cl_event drained; /* its slab is back in host memory */
	cl_event read;	  /* a pivot: its round is over */
};

struct streamed_fw {
	const struct apsp_device *device;
	const struct apsp_panels *panels;
	struct apsp_monitor *monitor;
	struct apsp_streamed_plan plan;
	struct apsp_relax relax;
	cl_command_queue up;
	cl_command_queue down;
	struct place places[APSP_STREAMED_PLACES]; /* pivots, then the ring */
	cl_event *written; /* of each slab: its last way to host memory */
	struct apsp_streamed_job *jobs; /* in order */
	size_t n_jobs;
	size_t n_brought;	 /* jobs whose slab is on its way up or came */
	uint32_t n_ringed;	 /* of them, those in the ring */
	struct place *at[2];	 /* of job j: at[j % 2] */
	size_t n_relaxed;	 /* jobs that are done but for their way down */
	cl_event marks[N_MARKS]; /* of the last passes */
	uint32_t n_marks;
	double n_products; /* of tiles, so far */
};

static void event_set(cl_event *at, cl_event event)
{
	if (*at)
		clReleaseEvent(*at);
	*at = event;
}

static void streamed_fw_done(struct streamed_fw *fw)
{
	/* nothing may still move when places and panels go */
	if (fw->up)
		clFinish(fw->up);
	clFinish(fw->device->queue);
	if (fw->down)
		clFinish(fw->down);
	for (int p = 0; p < APSP_STREAMED_PLACES; p++) {
		event_set(&fw->places[p].filled, NULL);
		event_set(&fw->places[p].drained, NULL);
		event_set(&fw->places[p].read, NULL);
		apsp_device_buffer_done(&fw->places[p].buffer);
	}
	for (uint32_t s = 0; fw->written && s < fw->plan.n_slabs; s++)
		event_set(&fw->written[s], NULL);
	for (int m = 0; m < N_MARKS; m++)
		event_set(&fw->marks[m], NULL);
	if (fw->up)
		clReleaseCommandQueue(fw->up);
	if (fw->down)
		clReleaseCommandQueue(fw->down);
	free(fw->written);
	free(fw->jobs);
	apsp_relax_done(&fw->relax);
}

static struct place *pivot_place(struct streamed_fw *fw, uint32_t slab)
{
	return &fw->places[slab % N_PIVOTS];
}

static struct place *ring_place(struct streamed_fw *fw, uint32_t turn)
{
	uint32_t n = apsp_streamed_places(fw->plan.n_slabs) - N_PIVOTS;

	return &fw->places[N_PIVOTS + turn % n];
}

/* Enqueue the way of a slab, in pieces that lie in one buffer at home. */
static int slab_move(const struct streamed_fw *fw, uint32_t slab, bool up,
	cl_mem buffer, const cl_event *wait, cl_uint n_wait,
	cl_event *out_event, struct apsp_err *err)
{
	uint64_t panel =
		apsp_panel_bytes(fw->panels->n_tiles, fw->panels->element);
	uint32_t first = apsp_streamed_first(&fw->plan, slab),
		 n = apsp_streamed_rows(&fw->plan, slab);
	int r = 0;

	for (uint32_t i = 0, rows; r >= 0 && i < n; i += rows) {
		void *home = apsp_host_panels_at(fw->panels, first + i, &rows);
		bool last;

		rows = rows < n - i ? rows : n - i;
		last = i + rows == n;
		r = apsp_device_check(
			up ? clEnqueueWriteBuffer(fw->up, buffer, CL_FALSE,
				     i * panel, rows * panel, home, n_wait,
				     n_wait > 0 ? wait : NULL,
				     last ? out_event : NULL)
			   : clEnqueueReadBuffer(fw->down, buffer, CL_FALSE,
				     i * panel, rows * panel, home, n_wait,
				     n_wait > 0 ? wait : NULL,
				     last ? out_event : NULL),
			up ? "bring a slab to the device"
			   : "take a slab to host memory",
			err);
	}
	clFlush(up ? fw->up : fw->down);
	return r;
}

/* Enqueue: a slab into a place, when both are free for it. */
static int slab_bring(struct streamed_fw *fw, uint32_t slab,
	struct place *place, struct apsp_err *err)
{
	cl_event wait[3], filled = NULL;
	cl_uint n_wait = 0;
	int r;

	if (fw->written[slab])
		wait[n_wait++] = fw->written[slab];
	if (place->drained)
		wait[n_wait++] = place->drained;
	if (place->read)
		wait[n_wait++] = place->read;
	r = slab_move(
		fw, slab, true, place->buffer, wait, n_wait, &filled, err);
	event_set(&place->filled, filled);
	return r;
}

/* The mark of the last pass. */
static cl_event last_mark(const struct streamed_fw *fw)
{
	return fw->marks[(fw->n_marks - 1) % N_MARKS];
}

/* Enqueue: what the last pass has left in a place back to its home. */
static int slab_drain(struct streamed_fw *fw, uint32_t slab,
	struct place *place, struct apsp_err *err)
{
	cl_event computed = last_mark(fw), drained = NULL;
	int r = slab_move(
		fw, slab, false, place->buffer, &computed, 1, &drained, err);

	event_set(&place->drained, drained);
	if (drained)
		clRetainEvent(drained);
	event_set(&fw->written[slab], drained);
	return r;
}

/* A pass has been enqueued: mark it, and wait until few are queued. */
static int pass_mark(struct streamed_fw *fw, struct apsp_err *err)
{
	double n = fw->panels->n_tiles;
	cl_event *mark = &fw->marks[fw->n_marks++ % N_MARKS];
	int r = 0;

	if (*mark)
		r = apsp_device_check(clWaitForEvents(1, mark),
			"run a pass of streamed-fw", err);
	event_set(mark, NULL);
	if (r >= 0)
		r = apsp_monitor_step(
			fw->monitor, fw->n_products / (n * n * n), err);
	if (r >= 0)
		r = apsp_device_check(clEnqueueMarkerWithWaitList(
					      fw->device->queue, 0, NULL, mark),
			"mark a pass", err);
	clFlush(fw->device->queue);
	return r;
}

/* Rows of a place's slab through some pivots, all columns of them. */
static int rows_relax(struct streamed_fw *fw, const struct apsp_slab *targets,
	const struct apsp_pivots *pivots, cl_uint4 rows, cl_uint4 columns,
	struct apsp_err *err)
{
	static const struct apsp_rectangle none;
	uint32_t n_columns = columns.s[APSP_RANGE_COUNT];
	uint32_t left = rows.s[APSP_RANGE_COUNT];
	uint64_t most = apsp_relax_limit(&fw->relax, pivots->n_k);
	int r = 0;

	if (n_columns == 0)
		return 0;
	most = most > n_columns ? most / n_columns : 1;
	fw->n_products += (double)left * n_columns * pivots->n_k;
	while (r >= 0 && left > 0) {
		uint32_t together = left < most ? left : (uint32_t)most;
		struct apsp_rectangle part = {rows, columns};

		part.rows.s[APSP_RANGE_COUNT] = together;
		r = apsp_relax_launch(&fw->relax, fw->device->queue, targets,
			pivots, &part, &none, err);
		rows.s[APSP_RANGE_FIRST] += together;
		left -= together;
	}
	return r;
}

/* Tile rows that slabs are relaxed through in one pass: the tuned depth, even.
 */
static uint32_t depth_of(const struct streamed_fw *fw, uint32_t n_rows)
{
	uint32_t depth = fw->device->tuning->pivot_tiles;
	uint32_t n_passes = (n_rows + depth - 1) / depth;

	return (n_rows + n_passes - 1) / n_passes;
}

/*
 * Bring the rows [k0, k0 + d) of a pivot up to date among themselves. Tile
 * (k0, k0) is closed; each step closes the next one.
 */
static int block_close(struct streamed_fw *fw, const struct apsp_slab *slab,
	uint32_t k0, uint32_t d, struct apsp_err *err)
{
	uint32_t n = fw->panels->n_tiles;
	int r = 0;

	for (uint32_t k = k0; r >= 0 && k < k0 + d; k++) {
		const struct apsp_pivots own = {*slab, k, 1, APSP_NO_TILE};
		const struct apsp_pivots next = {*slab, k, 1, k + 1};

		r = rows_relax(fw, slab, &own, apsp_range(k, 1),
			apsp_range_but(0, n, k, 1), err);
		if (r >= 0)
			r = rows_relax(fw, slab, &next,
				apsp_range_but(k0, d, k, 1), apsp_range(0, n),
				err);
	}
	return r;
}

/* Close a pivot slab, whose first tile is closed, block by block. */
static int pivot_close(
	struct streamed_fw *fw, uint32_t pivot, struct apsp_err *err)
{
	uint32_t first = apsp_streamed_first(&fw->plan, pivot),
		 n = apsp_streamed_rows(&fw->plan, pivot);
	uint32_t end = first + n, depth = depth_of(fw, n);
	const struct apsp_slab slab = {pivot_place(fw, pivot)->buffer, first};
	int r = 0;

	for (uint32_t k0 = first; r >= 0 && k0 < end; k0 += depth) {
		uint32_t d = depth < end - k0 ? depth : end - k0;
		const struct apsp_pivots block = {slab, k0, d, k0 + d};

		r = block_close(fw, &slab, k0, d, err);
		if (r >= 0)
			r = rows_relax(fw, &slab, &block,
				apsp_range_but(first, n, k0, d),
				apsp_range(0, fw->panels->n_tiles), err);
		if (r >= 0)
			r = pass_mark(fw, err);
	}
	return r;
}

/* Wait on the device for a slab on its way up. */
static int filled_wait(const struct streamed_fw *fw, const struct place *place,
	struct apsp_err *err)
{
	return apsp_device_check(clEnqueueBarrierWithWaitList(fw->device->queue,
					 1, &place->filled, NULL),
		"wait for a slab", err);
}

/* Relax a job's slab through its pivot, and close the next one's first tile. */
static int job_relax(struct streamed_fw *fw,
	const struct apsp_streamed_job *job, const struct place *place,
	struct apsp_err *err)
{
	uint32_t first = apsp_streamed_first(&fw->plan, job->pivot);
	uint32_t end = first + apsp_streamed_rows(&fw->plan, job->pivot);
	uint32_t depth = depth_of(fw, end - first);
	const struct apsp_slab targets = {
		place->buffer, apsp_streamed_first(&fw->plan, job->slab)};
	int r = filled_wait(fw, place, err);

	for (uint32_t k = first; r >= 0 && k < end; k += depth) {
		uint32_t d = depth < end - k ? depth : end - k;
		const struct apsp_pivots pivots = {
			{pivot_place(fw, job->pivot)->buffer, first}, k, d,
			k + d == end ? end : APSP_NO_TILE};

		r = rows_relax(fw, &targets, &pivots,
			apsp_range(targets.base,
				apsp_streamed_rows(&fw->plan, job->slab)),
			apsp_range(0, fw->panels->n_tiles), err);
		if (r >= 0)
			r = pass_mark(fw, err);
	}
	return r;
}

/* Bring the slabs of the jobs before `end` that are not yet on their way. */
static int jobs_bring(struct streamed_fw *fw, size_t end, struct apsp_err *err)
{
	int r = 0;

	for (; r >= 0 && fw->n_brought < end; fw->n_brought++) {
		const struct apsp_streamed_job *job = &fw->jobs[fw->n_brought];
		struct place *place = apsp_streamed_is_next(&fw->plan, job)
					      ? pivot_place(fw, job->pivot + 1)
					      : ring_place(fw, fw->n_ringed++);

		fw->at[fw->n_brought % 2] = place;
		r = slab_bring(fw, job->slab, place, err);
	}
	return r;
}

/*
 * How many jobs may be on their way while job `at` is relaxed: the next one
 * too, unless its place is this round's pivot's.
 */
static size_t jobs_ahead(const struct streamed_fw *fw, size_t at)
{
	const struct apsp_streamed_job *job = &fw->jobs[at];

	if (at + 1 == fw->n_jobs ||
		(apsp_streamed_is_next(&fw->plan, &job[1]) &&
			job[1].pivot != job->pivot))
		return at + 1;
	return at + 2;
}

/* The jobs of one round. */
static int jobs_run(
	struct streamed_fw *fw, uint32_t pivot, struct apsp_err *err)
{
	bool last = pivot + 1 == fw->plan.n_slabs;
	int r = 0;

	for (; r >= 0 && fw->n_relaxed < fw->n_jobs; fw->n_relaxed++) {
		const struct apsp_streamed_job *job = &fw->jobs[fw->n_relaxed];
		struct place *place = fw->at[fw->n_relaxed % 2];

		if (job->pivot != pivot)
			break;
		r = jobs_bring(fw, jobs_ahead(fw, fw->n_relaxed), err);
		if (r >= 0)
			r = job_relax(fw, job, place, err);
		/* the next pivot stays */
		if (r >= 0 && (last || !apsp_streamed_is_next(&fw->plan, job)))
			r = slab_drain(fw, job->slab, place, err);
	}
	return r;
}

static int round_run(
	struct streamed_fw *fw, uint32_t pivot, struct apsp_err *err)
{
	struct place *own = pivot_place(fw, pivot);
	int r = 0;

	if (fw->n_relaxed < fw->n_jobs)
		r = jobs_bring(fw, fw->n_relaxed + 1, err);
	if (r >= 0)
		r = pivot_close(fw, pivot, err);
	if (r >= 0)
		r = slab_drain(fw, pivot, own, err);
	if (r >= 0)
		r = jobs_run(fw, pivot, err);
	if (r < 0)
		return r;
	clRetainEvent(last_mark(fw));
	event_set(&own->read, last_mark(fw));
	return 0;
}

/* The first pivot comes, and its first tile is closed through nothing. */
static int first_bring(struct streamed_fw *fw, struct apsp_err *err)
{
	struct place *place = pivot_place(fw, 0);
	const struct apsp_slab slab = {place->buffer, 0};
	const struct apsp_pivots none = {slab, 0, 0, 0};
	int r = slab_bring(fw, 0, place, err);

	if (r >= 0)
		r = filled_wait(fw, place, err);
	if (r < 0)
		return r;
	return rows_relax(
		fw, &slab, &none, apsp_range(0, 1), apsp_range(0, 1), err);
}

static int queue_make(const struct apsp_device *device, cl_command_queue *out,
	struct apsp_err *err)
{
	cl_int status;

	*out = clCreateCommandQueue(device->context, device->id, 0, &status);
	return apsp_device_check(status, "make an OpenCL queue", err);
}

static int streamed_fw_open(struct streamed_fw *fw,
	const struct apsp_task *task, struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	uint64_t panel = apsp_panel_bytes(panels->n_tiles, panels->element);
	int r = apsp_streamed_fw_plan(fw->device, panels->n_vertices,
		task->arcs->n_arcs, panels->element, &fw->plan, err);

	if (r >= 0)
		r = apsp_streamed_jobs(&fw->plan,
			apsp_host_panels_finite(panels), &fw->jobs, &fw->n_jobs,
			err);
	if (r < 0)
		return r;
	fw->written = calloc(fw->plan.n_slabs, sizeof(cl_event));
	if (!fw->written)
		return apsp_fail(err, APSP_ENOMEM, "order the slabs");
	r = apsp_relax_open(fw->device, panels->element, panels->n_tiles,
		panels->finite, &fw->relax, err);
	if (r >= 0)
		r = queue_make(fw->device, &fw->up, err);
	if (r >= 0)
		r = queue_make(fw->device, &fw->down, err);
	for (uint32_t p = 0;
		r >= 0 && p < apsp_streamed_places(fw->plan.n_slabs); p++)
		r = apsp_device_buffer(fw->device, fw->plan.slab * panel, NULL,
			&fw->places[p].buffer, err);
	return r;
}

int apsp_streamed_fw_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err)
{
	APSP_AUTO(streamed_fw_done)
	struct streamed_fw fw = {
		.device = panels->device, .panels = panels, .monitor = monitor};
	int r = streamed_fw_open(&fw, task, err);

	if (r >= 0)
		r = first_bring(&fw, err);
	for (uint32_t pivot = 0; r >= 0 && pivot < fw.plan.n_slabs; pivot++)
		r = round_run(&fw, pivot, err);
	if (r >= 0)
		r = apsp_device_check(
			clFinish(fw.device->queue), "run streamed-fw", err);
	if (r >= 0)
		r = apsp_device_check(clFinish(fw.down),
			"take the last slabs to host memory", err);
	return r;
}
