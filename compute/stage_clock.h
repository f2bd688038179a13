/*
 * The seconds that a solve spends in each stage. The clock is always in exactly
 * one stage. Stages are for logs and benchmarks, phases (progress.h) for
 * clients.
 */
#ifndef APSP_COMPUTE_STAGE_CLOCK_H
#define APSP_COMPUTE_STAGE_CLOCK_H

#include <stddef.h>

#include "daemon/base/job_stages.h"

enum apsp_stage {
	APSP_STAGE_READ,	/* graph file, lengths and their integers */
	APSP_STAGE_OPEN,	/* waiting for the device to open */
	APSP_STAGE_CLOSURE,	/* components, order, closure */
	APSP_STAGE_SELF_TEST,	/* with compiling the kernels */
	APSP_STAGE_UPLOAD,	/* arcs and panels, also for the closure */
	APSP_STAGE_DISTANCE,	/* the algorithm */
	APSP_STAGE_PREDECESSOR, /* their arcs, the search, the proof */
	APSP_STAGE_DOWNLOAD,	/* rows, also of the closure */
	APSP_STAGE_WRITE,	/* rows into the table file */
	APSP_STAGE_MEASURE,	/* betweenness */
	APSP_N_STAGES,
};

/* The names in logs and benchmarks. */
extern const char *const apsp_stage_names[APSP_N_STAGES];

/*
 * The device may still run what one stage has enqueued when the next stage
 * begins; the next stage's wait then counts as its own. Predecessors, for one,
 * mostly show as download. A benchmark sets settle, which waits for the device
 * and is called at the end of each stage: each then has its own seconds, but
 * nothing overlaps.
 */
struct apsp_stage_clock {
	double seconds[APSP_N_STAGES];
	enum apsp_stage stage;
	double since_s;
	void (*settle)(void *ctx); /* NULL: no wait */
	void *ctx;
};

/* Start in APSP_STAGE_READ, with 0 seconds everywhere. */
void apsp_stage_clock_init(struct apsp_stage_clock *clock);

/* Leave the current stage for this one. The same one: update its seconds. */
void apsp_stage_clock_enter(
	struct apsp_stage_clock *clock, enum apsp_stage stage);

/* The seconds as a part of the job's timeline. */
void apsp_stage_clock_tell(
	const struct apsp_stage_clock *clock, struct apsp_job_stages *out);

/* As one line for a log: "read 0.012 s, closure 0.003 s, …". */
void apsp_stage_clock_describe(
	const struct apsp_stage_clock *clock, char *out, size_t size);

#endif
