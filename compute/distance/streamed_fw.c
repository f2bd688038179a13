/*
 * `streamed-fw`: blocked Floyd–Warshall on a matrix in host memory
 * (host_panels.h), for graphs whose matrix does not fit the device's memory.
 *
 * The matrix is divided into slabs of neighbouring tile rows. In each round,
 * one slab K is the pivot. K is closed on the device, which means that its rows
 * are relaxed through each other. Every other slab is copied to the device,
 * relaxed through K and copied back. The device has memory for five slabs: the
 * pivot, the next pivot, and a ring of three slabs. The next pivot is the last
 * slab of the round, and stays on the device. The ring uses three queues. At
 * the same time, one slab is copied to the device, another slab is relaxed, and
 * the third slab is copied back.
 *
 * Method: Xing et al., section 5; Katz & Kider 2008. slab_passes.h says why one
 * pass over each slab is enough.
 */
#include "compute/distance/task.h"

#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/host_panels.h"
#include "compute/device/opencl.h"
#include "compute/distance/slab_passes.h"
#include "compute/distance/streamed_plan.h"
#include "daemon/base/auto.h"

enum {
	/* number of places for pivots: one for this round's pivot, and one for
	   the next round's pivot */
	N_PIVOTS = 2,
};

/* Memory for one slab on the device. An event is NULL until its command is
   enqueued. */
struct place {
	cl_mem buffer;
	/* completes when a slab has been copied from host memory to this
	   place */
	cl_event filled;
	/* completes when the slab has been copied from this place back to host
	   memory */
	cl_event drained;
	/* completes at the end of the last round that had its pivot in this
	   place */
	cl_event read;
};

struct streamed_fw {
	const struct apsp_device *device;
	const struct apsp_panels *panels;
	struct apsp_streamed_plan plan;
	struct apsp_slab_passes passes;
	cl_command_queue up;
	cl_command_queue down;
	/* first the places for pivots, then the places of the ring */
	struct place places[APSP_STREAMED_PLACES];
	/* for each slab, an event that completes when host memory has the
	   slab's newest values */
	cl_event *written;
	/* all jobs, in the order in which they run; each job relaxes one slab
	   through the pivot of its round */
	struct apsp_streamed_job *jobs;
	size_t n_jobs;
	/* number of jobs for which the copy of the slab to the device has been
	   enqueued */
	size_t n_brought;
	/* number of slabs for which the copy to a place of the ring has been
	   enqueued */
	uint32_t n_ringed;
	struct place *at[2]; /* at[j % 2] is the place of the slab of job j */
	/* number of jobs for which the slab has been relaxed */
	size_t n_relaxed;
};

static void event_set(cl_event *at, cl_event event)
{
	if (*at)
		clReleaseEvent(*at);
	*at = event;
}

static void streamed_fw_done(struct streamed_fw *fw)
{
	/* wait for all queues first, because a transfer may still use the
	   places or the panels */
	if (fw->up)
		apsp_opencl_finish(fw->up);
	apsp_opencl_finish(fw->device->queue);
	if (fw->down)
		apsp_opencl_finish(fw->down);
	for (int p = 0; p < APSP_STREAMED_PLACES; p++) {
		event_set(&fw->places[p].filled, NULL);
		event_set(&fw->places[p].drained, NULL);
		event_set(&fw->places[p].read, NULL);
		apsp_device_buffer_done(&fw->places[p].buffer);
	}
	for (uint32_t s = 0; fw->written && s < fw->plan.n_slabs; s++)
		event_set(&fw->written[s], NULL);
	if (fw->up)
		clReleaseCommandQueue(fw->up);
	if (fw->down)
		clReleaseCommandQueue(fw->down);
	free(fw->written);
	free(fw->jobs);
	apsp_slab_passes_done(&fw->passes);
}

static struct place *pivot_place(struct streamed_fw *fw, uint32_t slab)
{
	return &fw->places[slab % N_PIVOTS];
}

/* Enqueue the copy of a slab, to the device if `up` is true, else to host
   memory. The slab is copied in pieces; each piece lies in one host buffer. */
static int slab_move(const struct streamed_fw *fw, uint32_t slab, bool up,
	cl_mem buffer, const cl_event *wait, cl_uint n_wait,
	cl_event *out_event, struct apsp_err *err)
{
	uint64_t panel =
		apsp_panel_bytes(fw->panels->n_tiles, fw->panels->element);
	struct apsp_slab_rows all = apsp_streamed_plan_slab(&fw->plan, slab);
	int r = 0;

	for (uint32_t i = 0, rows; r >= 0 && i < all.n; i += rows) {
		void *home =
			apsp_host_panels_at(fw->panels, all.first + i, &rows);
		bool last;

		rows = rows < all.n - i ? rows : all.n - i;
		last = i + rows == all.n;
		r = apsp_opencl_check(
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

/* Enqueue the copy of a slab from host memory to a place on the device. The
   copy starts when host memory has the slab's newest values and nothing uses
   the place. */
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

/* Enqueue the copy of a slab from its place on the device to host memory. The
   copy starts after the last enqueued pass. */
static int slab_drain(struct streamed_fw *fw, uint32_t slab,
	struct place *place, struct apsp_err *err)
{
	cl_event drained = NULL;
	int r = slab_move(fw, slab, false, place->buffer, &fw->passes.last, 1,
		&drained, err);

	event_set(&place->drained, drained);
	if (drained)
		clRetainEvent(drained);
	event_set(&fw->written[slab], drained);
	return r;
}

/* Make the device's queue wait until the place's slab has been copied to the
   device. */
static int filled_wait(const struct streamed_fw *fw, const struct place *place,
	struct apsp_err *err)
{
	return apsp_opencl_check(clEnqueueBarrierWithWaitList(fw->device->queue,
					 1, &place->filled, NULL),
		"wait for a slab", err);
}

static struct apsp_rows rows_of(
	const struct streamed_fw *fw, const struct place *place, uint32_t slab)
{
	struct apsp_slab_rows rows = apsp_streamed_plan_slab(&fw->plan, slab);

	return (struct apsp_rows){
		{place->buffer, rows.first}, rows.first, rows.n};
}

/* A job relaxes one slab through the pivot. Enqueue the copies of the slabs of
   all jobs before job `end` to the device, except the copies that were already
   enqueued. */
static int jobs_bring(struct streamed_fw *fw, size_t end, struct apsp_err *err)
{
	int r = 0;

	for (; r >= 0 && fw->n_brought < end; fw->n_brought++) {
		const struct apsp_streamed_job *job = &fw->jobs[fw->n_brought];
		struct place *place = pivot_place(fw, job->pivot + 1);

		if (!job->is_next)
			place = &fw->places[N_PIVOTS +
					    fw->n_ringed++ %
						    (fw->plan.n_places -
							    N_PIVOTS)];
		fw->at[fw->n_brought % 2] = place;
		r = slab_bring(fw, job->slab, place, err);
	}
	return r;
}

/*
 * A job relaxes one slab through the pivot. Return how many jobs may have their
 * slabs copied to the device before the slab of job `at` is relaxed: the jobs 0
 * to `at` and, usually, the next job. The next job is not counted if its slab
 * must go to the place that still holds this round's pivot.
 */
static size_t jobs_ahead(const struct streamed_fw *fw, size_t at)
{
	const struct apsp_streamed_job *job = &fw->jobs[at];

	if (at + 1 == fw->n_jobs ||
		(job[1].is_next && job[1].pivot != job->pivot))
		return at + 1;
	return at + 2;
}

/* Run the jobs of one round: relax each job's slab through the pivot. */
static int jobs_run(struct streamed_fw *fw, uint32_t pivot,
	const struct apsp_rows *pivots, struct apsp_err *err)
{
	bool last = pivot + 1 == fw->plan.n_slabs;
	int r = 0;

	for (; r >= 0 && fw->n_relaxed < fw->n_jobs; fw->n_relaxed++) {
		const struct apsp_streamed_job *job = &fw->jobs[fw->n_relaxed];
		struct place *place = fw->at[fw->n_relaxed % 2];
		struct apsp_rows targets;

		if (job->pivot != pivot)
			break;
		targets = rows_of(fw, place, job->slab);
		r = jobs_bring(fw, jobs_ahead(fw, fw->n_relaxed), err);
		if (r >= 0)
			r = filled_wait(fw, place, err);
		if (r >= 0)
			r = apsp_slab_passes_relax(
				&fw->passes, &targets, 1, pivots, err);
		/* the slab of the next pivot stays on the device, except in the
		   last round */
		if (r >= 0 && (last || !job->is_next))
			r = slab_drain(fw, job->slab, place, err);
	}
	return r;
}

static int round_run(
	struct streamed_fw *fw, uint32_t pivot, struct apsp_err *err)
{
	struct place *own = pivot_place(fw, pivot);
	const struct apsp_rows rows = rows_of(fw, own, pivot);
	int r = 0;

	if (fw->n_relaxed < fw->n_jobs)
		r = jobs_bring(fw, fw->n_relaxed + 1, err);
	if (r >= 0)
		r = apsp_slab_passes_spread(
			&fw->passes, rows.first, rows.n, err);
	if (r >= 0)
		r = apsp_slab_passes_close(&fw->passes, &rows, err);
	if (r >= 0)
		r = slab_drain(fw, pivot, own, err);
	if (r >= 0)
		r = jobs_run(fw, pivot, &rows, err);
	if (r < 0)
		return r;
	clRetainEvent(fw->passes.last);
	event_set(&own->read, fw->passes.last);
	return 0;
}

static int streamed_fw_open(struct streamed_fw *fw,
	const struct apsp_task *task, struct apsp_progress *progress,
	struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	uint64_t panel = apsp_panel_bytes(panels->n_tiles, panels->element);
	int r = apsp_streamed_plan_make(fw->device, panels->n_vertices,
		task->arcs->n_arcs, panels->element, &fw->plan, err);

	if (r >= 0)
		r = apsp_streamed_plan_jobs(&fw->plan, panels->host->finite,
			&fw->jobs, &fw->n_jobs, err);
	if (r < 0)
		return r;
	fw->written = calloc(fw->plan.n_slabs, sizeof(cl_event));
	if (!fw->written)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to list the slabs");
	r = apsp_slab_passes_open(
		panels, panels->host->finite, progress, &fw->passes, err);
	if (r >= 0)
		r = apsp_device_queue_make(fw->device, &fw->up, err);
	if (r >= 0)
		r = apsp_device_queue_make(fw->device, &fw->down, err);
	for (uint32_t p = 0; r >= 0 && p < fw->plan.n_places; p++)
		r = apsp_device_buffer_make(fw->device, fw->plan.slab * panel,
			NULL, &fw->places[p].buffer, err);
	return r;
}

int apsp_streamed_fw_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(streamed_fw_done)
	struct streamed_fw fw = {.device = panels->device, .panels = panels};
	int r = streamed_fw_open(&fw, task, progress, err);

	if (r >= 0)
		r = slab_bring(&fw, 0, pivot_place(&fw, 0), err);
	if (r >= 0)
		r = filled_wait(&fw, pivot_place(&fw, 0), err);
	for (uint32_t pivot = 0; r >= 0 && pivot < fw.plan.n_slabs; pivot++)
		r = round_run(&fw, pivot, err);
	if (r >= 0)
		r = apsp_opencl_check(apsp_opencl_finish(fw.device->queue),
			"run streamed-fw", err);
	if (r >= 0)
		r = apsp_opencl_check(apsp_opencl_finish(fw.down),
			"take the last slabs to host memory", err);
	return r;
}
