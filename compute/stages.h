/*
 * Where the time of a solve goes: a clock that is always in one stage.
 */
#ifndef APSP_COMPUTE_STAGES_H
#define APSP_COMPUTE_STAGES_H

#include <stddef.h>

enum apsp_stage {
	APSP_STAGE_READ,	/* graph file, lengths and their integers */
	APSP_STAGE_CLOSURE,	/* components, order, closure's work */
	APSP_STAGE_SELF_TEST,	/* with the kernels that it builds */
	APSP_STAGE_UPLOAD,	/* arcs, the closure's too, and panels */
	APSP_STAGE_DISTANCE,	/* the algorithm */
	APSP_STAGE_PREDECESSOR, /* their arcs, they themselves, the proof */
	APSP_STAGE_DOWNLOAD,	/* rows from the device, the closure's too */
	APSP_STAGE_WRITE,	/* rows into the table file */
	APSP_N_STAGES,
};

/* As logs and benchmarks call them. */
extern const char *const apsp_stage_names[APSP_N_STAGES];

/*
 * What a stage left to the device may run on in the next, whose wait for it
 * then counts there; so predecessors mostly show as download. A benchmark sets
 * settle, which is called at each border and waits for the device: each stage
 * then has what is its own, at the price of what would have overlapped.
 */
struct apsp_stages {
	double seconds[APSP_N_STAGES];
	enum apsp_stage stage;
	double since_s;
	void (*settle)(void *ctx); /* NULL: nobody waits */
	void *ctx;
};

/* Start in APSP_STAGE_READ, all else being 0. */
void apsp_stages_init(struct apsp_stages *stages);

/* Leave the stage for this one; for the same, bring its seconds up to date. */
void apsp_stages_enter(struct apsp_stages *stages, enum apsp_stage stage);

/* As one line for a log: "read 0.012 s, closure 0.003 s, …". */
void apsp_stages_describe(
	const struct apsp_stages *stages, char *out, size_t size);

#endif
