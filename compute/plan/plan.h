/*
 * The plan of a solve: the seconds and bytes of each algorithm, the chosen
 * algorithm, and the reason in words. All functions are plain arithmetic on
 * plain data. Before a job, the daemon makes a plan from the facts that it
 * knows. The solver makes a plan from facts that it has counted.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_H
#define APSP_COMPUTE_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/closure_cost.h"
#include "compute/plan/algorithm_estimate.h"
#include "compute/plan/job_cost.h"
#include "compute/plan/plan_facts.h"
#include "daemon/base/err.h"
#include "daemon/job/job.h"

enum {
	APSP_PLAN_ROWS = APSP_N_ALGORITHMS,
};

struct apsp_plan {
	struct apsp_estimate algorithms[APSP_N_ALGORITHMS];
	/* the estimate for a job that computes no tables; used if `choice` is
	   APSP_PLAN_ROWS */
	struct apsp_estimate rows;
	/* The seconds of a closure are NAN, because closures have no rates. */
	struct apsp_estimate closures[APSP_N_CLOSURES];
	int closure; /* index in `closures` of the closure that was asked for;
			-1: no closure was asked for */
	int choice;  /* index in `algorithms`; -1: no algorithm is feasible;
			APSP_PLAN_ROWS: no tables are computed */
	/*
	 * The rival of `multi-source` is the fastest other algorithm. rival_s
	 * is the estimated seconds in which it would compute the distances. 0:
	 * `multi-source` does not run in a contest with a rival
	 * (compute/distance/contest.h).
	 */
	double rival_s;
	/*
	 * In a contest with the rival, `multi-source` is stopped when its
	 * remaining work would take more than this number of seconds. The
	 * number is rival_s times a factor above 1, because rival_s is only an
	 * estimate. 0: there is no contest.
	 */
	double give_up_s;
	/* The error if no algorithm was chosen: APSP_ELIMIT, APSP_ENOMEM or
	   APSP_ENOSPACE (apsp_plan_check()). */
	enum apsp_code code;
	/* Bytes of the device's memory: the peak of the chosen algorithm or of
	   the closure that was asked for, whichever is larger. */
	uint64_t device_bytes;
	uint64_t host_bytes;
	/* The tables that the file will hold. APSP_TABLES_ALL: the tables of
	   distances and of predecessors; APSP_TABLES_DISTANCE: only one of the
	   two; APSP_TABLES_NONE: no table. */
	enum apsp_tables_kept tables;
	/*
	 * The chosen algorithm and the reason for the choice, for example
	 * "multi-source: 0.12 s estimated, …"; or the reason why no algorithm
	 * was chosen. If the estimate was corrected by the times of earlier
	 * jobs, the text also has the uncorrected estimate. The algorithm is
	 * chosen by the uncorrected estimate.
	 */
	char text[APSP_PLAN_TEXT_SIZE];
	/* Number of earlier jobs that the daemon remembers (job_pace.h),
	   including jobs that corrected no estimate. */
	size_t learnt_from;
	/*
	 * True: all kernels are known to be compiled, because a remembered job
	 * ran the same kernels, or because the chosen algorithm has no kernels.
	 * False: kernels may have to be compiled; the estimated seconds do not
	 * include the time to compile them.
	 */
	bool compiled;
};

/*
 * Make a plan. `algorithm` is the name of the algorithm that was asked for. If
 * `algorithm` is "", the plan chooses the fastest algorithm that competes. If
 * `algorithm` is the name of a closure, the plan chooses the algorithm in the
 * same way, but the closure must be feasible as well.
 */
void apsp_plan_make(const struct apsp_plan_facts *facts, const char *algorithm,
	struct apsp_plan *out);

/* Return the estimate of the chosen algorithm, or NULL if none was chosen. */
const struct apsp_estimate *apsp_plan_choice(const struct apsp_plan *plan);

/*
 * Check that an algorithm was chosen. If so, return 0. Otherwise return an
 * error code, with the plan's text as the message. APSP_ELIMIT: the device is
 * too small, or the algorithm cannot run even with more memory; APSP_ENOMEM:
 * this machine has too little memory; APSP_ENOSPACE: the cache's disk has too
 * little space.
 */
int apsp_plan_check(const struct apsp_plan *plan, struct apsp_err *err);

#endif
