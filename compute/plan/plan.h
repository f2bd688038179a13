/*
 * The plan of a solve: the seconds and bytes of each algorithm, the choice, and
 * the reason in words. Plain arithmetic over plain data. The solver plans with
 * the facts that it has counted; the daemon estimates with those that it knows
 * before.
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

/* The seconds and bytes of one algorithm. */
struct apsp_estimate {
	const char *name; /* static */
	/* Of the job: the sum of the stages in cost. NAN: the algorithm does
	   not compete, and cost has the distances of another one. */
	double seconds;
	double rated_s; /* the same from rates alone */
	int rate;	/* row of the rates (rates.h) of distances */
	struct apsp_job_cost cost;
	uint64_t rows; /* of V that are made at a time: all, or a window */
	uint64_t device_bytes;
	uint64_t buffer_bytes; /* the part that must lie in one buffer */
	uint64_t host_bytes; /* includes device_bytes if the device is the host
			      */
	uint64_t disk_bytes;
	bool feasible;
	enum apsp_code code;		    /* why it is not feasible */
	char reason[APSP_PLAN_REASON_SIZE]; /* the same in words */
};

struct apsp_plan {
	struct apsp_estimate algorithms[APSP_N_ALGORITHMS];
	/* The closure is computed before V and has no rates: seconds are NAN.
	 */
	struct apsp_estimate closures[APSP_N_CLOSURES];
	int closure; /* index of the one that was asked for, or -1 */
	int choice;  /* index, or -1: nothing is feasible */
	/*
	 * Not 0: the choice is multi-source, but the graph decides whether it
	 * is the fastest. These are the seconds of the next best algorithm's
	 * distances. When the rest of multi-source would take longer, the
	 * solver gives it up (compute/distance/race.h).
	 */
	double limit_s;
	/* If there is no choice: APSP_ELIMIT, APSP_ENOMEM, APSP_ENOSPACE. */
	enum apsp_code code;
	/* The peak of the choice or of that closure, whichever is higher. */
	uint64_t device_bytes;
	uint64_t host_bytes;
	/*
	 * "multi-source: 0.12 s estimated, …", or why there is no choice. If
	 * jobs corrected the seconds, the text also has those from rates alone,
	 * which decided the choice.
	 */
	char text[APSP_PLAN_TEXT_SIZE];
	/* Number of jobs that are remembered (job_pace.h), similar or not; 0:
	   seconds are from rates alone. */
	size_t learnt_from;
	/* The choice needs no kernels, or one of these jobs has run them. If
	   not, they may have to be compiled first, which seconds do not count.
	 */
	bool compiled;
};

/*
 * Plan. algorithm is "" for the fastest of the algorithms that compete, or the
 * name that was asked for. The name of a closure is treated as "", and the
 * closure must fit, too.
 */
void apsp_plan_make(const struct apsp_plan_facts *facts, const char *algorithm,
	struct apsp_plan *out);

/* The estimate of the chosen algorithm, or NULL. */
const struct apsp_estimate *apsp_plan_choice(const struct apsp_plan *plan);

/*
 * 0 if there is a choice. Otherwise APSP_ELIMIT (the device is too small, or no
 * memory would help), APSP_ENOMEM or APSP_ENOSPACE, with the plan's text.
 */
int apsp_plan_check(const struct apsp_plan *plan, struct apsp_err *err);

#endif
