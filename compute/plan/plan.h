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
#include "compute/plan/job_cost.h"
#include "compute/plan/plan_facts.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"

enum {
	APSP_PLAN_REASON_SIZE = 192,
};

/* The estimated seconds and bytes of one algorithm. */
struct apsp_estimate {
	const char *name; /* static */
	/*
	 * Seconds of the whole job: the sum of the stages in `cost`. NAN: the
	 * algorithm does not compete; then `cost` has the seconds of blocked-fw
	 * for the distances.
	 */
	double seconds;
	double rated_s; /* seconds without corrections by earlier jobs */
	int rate;	/* index in apsp_rates.rows of the rates for the
			   distances */
	struct apsp_job_cost cost;
	uint64_t rows; /* number of rows of V that are computed at a time: all
			  rows, or a window */
	uint64_t device_bytes;
	uint64_t buffer_bytes; /* bytes of the largest buffer */
	uint64_t host_bytes;   /* the host's bytes; they include device_bytes if
				  the device is the host */
	uint64_t disk_bytes;
	bool feasible;
	/* why the algorithm is not feasible, as a code */
	enum apsp_code code;
	/* why the algorithm is not feasible, in words */
	char reason[APSP_PLAN_REASON_SIZE];
};

struct apsp_plan {
	struct apsp_estimate algorithms[APSP_N_ALGORITHMS];
	/* Closures have no rates: their seconds are NAN. */
	struct apsp_estimate closures[APSP_N_CLOSURES];
	int closure; /* index in `closures` of the closure that was asked for,
			or -1 */
	int choice;  /* index in `algorithms`; -1: no algorithm is feasible */
	/*
	 * If multi-source was chosen for a contest
	 * (compute/distance/contest.h): the estimated seconds in which its
	 * rival, the fastest other algorithm, would compute the distances.
	 * Otherwise 0.
	 */
	double rival_s;
	/*
	 * If rival_s is not 0: the largest number of seconds for the rest of
	 * multi-source's work. Multi-source is stopped when it would exceed
	 * this limit. The limit is rival_s plus a margin for the error of
	 * rival_s.
	 */
	double give_up_s;
	/* If no algorithm was chosen: APSP_ELIMIT, APSP_ENOMEM or
	   APSP_ENOSPACE. */
	enum apsp_code code;
	/* The larger of the device's bytes at the peak of the chosen algorithm
	   and at the peak of the closure that was asked for. */
	uint64_t device_bytes;
	uint64_t host_bytes;
	/* The tables that the file will hold: all, or `distance`. */
	enum apsp_tables_kept tables;
	/*
	 * "multi-source: 0.12 s estimated, …", or the reason why no algorithm
	 * was chosen. If earlier jobs corrected the seconds, the text also has
	 * the seconds by rates alone, on which the choice is based.
	 */
	char text[APSP_PLAN_TEXT_SIZE];
	/* Number of earlier jobs that are remembered (job_pace.h), including
	   jobs that corrected no estimate; 0: the seconds come from rates
	   alone. */
	size_t learnt_from;
	/*
	 * True: the chosen algorithm needs no kernels, or a remembered job has
	 * run its kernels. False: kernels may have to be compiled first, which
	 * takes seconds that are not in the estimate.
	 */
	bool compiled;
};

/*
 * Make a plan. `algorithm` is the name of the algorithm that was asked for, or
 * "" for the fastest algorithm that competes. `algorithm` may also be the name
 * of a closure: then an algorithm is chosen as for "", and the closure must be
 * feasible, too.
 */
void apsp_plan_make(const struct apsp_plan_facts *facts, const char *algorithm,
	struct apsp_plan *out);

/* Return the estimate of the chosen algorithm, or NULL if none was chosen. */
const struct apsp_estimate *apsp_plan_choice(const struct apsp_plan *plan);

/*
 * Check that an algorithm was chosen. Returns 0; otherwise returns a code, and
 * the message is the plan's text. APSP_ELIMIT: the device is too small, or more
 * memory would not help; APSP_ENOMEM: this machine has too little memory;
 * APSP_ENOSPACE: the cache's disk has too little space.
 */
int apsp_plan_check(const struct apsp_plan *plan, struct apsp_err *err);

#endif
