/*
 * The plan of a solve: what each algorithm would take in seconds and bytes,
 * which is chosen, and why, in words. Plain arithmetic over plain data: the
 * solver plans with what it knows of the graph, the daemon estimates with what
 * it knows before.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_H
#define APSP_COMPUTE_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/closure_cost.h"
#include "compute/plan/job_cost.h"
#include "compute/plan/plan_facts.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"

enum {
	APSP_PLAN_REASON_SIZE = 192,
};

/* What one algorithm takes. Bytes of UINT64_MAX: they overflow. */
struct apsp_estimate {
	const char *name; /* static */
	double seconds;	  /* of the job: the sum of cost's stages */
	double rated_s;	  /* the same by rates alone, and the part of it */
	double read_s;	  /* in which arcs are read, before the choice */
	int rate;	  /* row of the rates (rates.h) of distances */
	struct apsp_job_cost cost;
	uint64_t rows; /* of V at once: all, or a window (panels.h) */
	uint64_t device_bytes;
	uint64_t buffer_bytes; /* the part that must lie in one buffer */
	uint64_t host_bytes;   /* with the device's, where it is the host */
	uint64_t disk_bytes;
	bool feasible;
	enum apsp_code code;		    /* why not */
	char reason[APSP_PLAN_REASON_SIZE]; /* why not, in words */
};

struct apsp_plan {
	struct apsp_estimate algorithms[APSP_N_ALGORITHMS];
	/* The closure is made before V. It has no rates: seconds are NAN. */
	struct apsp_estimate closures[APSP_N_CLOSURES];
	int closure;	     /* index of the one asked for, or -1 */
	int choice;	     /* index, or -1: nothing is feasible */
	enum apsp_code code; /* then: APSP_ELIMIT, APSP_ENOMEM, APSP_ENOSPACE */
	/* The peak of the choice or of that closure, whichever is higher. */
	uint64_t device_bytes;
	uint64_t host_bytes;
	/*
	 * "multi-source: 0.12 s estimated, …", or why there is no choice. Where
	 * jobs corrected seconds, also by rates alone, as the choice was made.
	 */
	char text[APSP_PLAN_TEXT_SIZE];
	/* Jobs that the pace knows (job_pace.h), alike or not; 0: none, and
	   seconds are the rates' alone. */
	size_t learnt_from;
	/* The choice needs no kernels, or one of these jobs has run them. Else
	   they may have to be compiled first, which no seconds count. */
	bool compiled;
};

/*
 * Plan. algorithm is "" for the fastest of those that compete, or the name that
 * was asked for. A closure's name counts as "", and needs room of its own.
 */
void apsp_plan_make(const struct apsp_plan_facts *facts, const char *algorithm,
	struct apsp_plan *out);

/* The estimate that was chosen, or NULL. */
const struct apsp_estimate *apsp_plan_choice(const struct apsp_plan *plan);

/*
 * 0 where there is a choice; else APSP_ELIMIT (the device, or no machine),
 * APSP_ENOMEM or APSP_ENOSPACE, with the plan's text.
 */
int apsp_plan_check(const struct apsp_plan *plan, struct apsp_err *err);

#endif
