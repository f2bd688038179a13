/*
 * The estimated seconds and bytes of an algorithm, and whether it can run on
 * the device and on the host.
 */
#ifndef APSP_COMPUTE_PLAN_ALGORITHM_ESTIMATE_H
#define APSP_COMPUTE_PLAN_ALGORITHM_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/algorithm.h"
#include "compute/plan/closure_cost.h"
#include "compute/plan/job_cost.h"
#include "compute/plan/plan_facts.h"
#include "daemon/base/err.h"

/* The estimated seconds and bytes of one algorithm. */
struct apsp_estimate {
	const char *name; /* a static string */
	/*
	 * Seconds of the whole job: the sum of the stages in `cost`. NAN: the
	 * speed of the algorithm is not known, because it does not compete. In
	 * this case, `cost` has the seconds of `blocked-fw` for the stage of
	 * the distances.
	 */
	double seconds;
	double rated_s; /* the seconds of the whole job without corrections by
			   earlier jobs */
	/* index of the row of apsp_rates.rows from which the seconds of the
	   distances are estimated */
	int rate;
	struct apsp_job_cost cost;
	/* number of rows of the distance matrix V that are computed at a time:
	   all rows, or the rows of a window */
	uint64_t rows;
	/* number of rows that a processor computes at a time; 0: the algorithm
	   computes all rows together */
	uint64_t lanes;
	uint64_t device_bytes;
	uint64_t buffer_bytes; /* bytes of the largest buffer on the device */
	/* bytes of the host's memory; if the device is the host, they include
	   device_bytes */
	uint64_t host_bytes;
	uint64_t disk_bytes;
	bool feasible;
	bool unfit; /* the algorithm could not run even with unlimited memory */
	/* if the algorithm is not feasible: the reason, as an error code */
	enum apsp_code code;
	/* if the algorithm is not feasible: the reason, in words */
	char reason[192];
};

void apsp_algorithm_estimate_make(const struct apsp_plan_facts *facts,
	enum apsp_algorithm_id id, struct apsp_estimate *out);

/* Estimate a closure. The components are not known yet, so the estimate assumes
   that the graph is one component. The solver checks the closure's memory again
   when it knows the components. */
void apsp_algorithm_estimate_closure(const struct apsp_plan_facts *facts,
	const struct apsp_closure_cost *cost, struct apsp_estimate *out);

/* Estimate a job that computes no tables. */
void apsp_algorithm_estimate_rows(
	const struct apsp_plan_facts *facts, struct apsp_estimate *out);

/*
 * Return the seconds to compute the distance matrix V in windows of `rows` rows
 * on one device. If the last batch of a window is not full, it takes the same
 * time as a full batch. If the algorithm computes all rows at once, `rows` is
 * ignored. To estimate an algorithm without rates by the rates of `blocked-fw`,
 * pass the id of `blocked-fw`.
 */
double apsp_algorithm_estimate_distance_s(const struct apsp_plan_facts *facts,
	const struct apsp_workload *work, enum apsp_algorithm_id id,
	uint64_t rows);

/*
 * If the device's arithmetic excludes all algorithms that compete, return the
 * algorithm that runs in their place. If V needs doubles and the device has
 * none, the result is `reference`. If the device can read doubles half-written,
 * the result is `fw`, in which no work-item reads a value while another
 * work-item writes it. -1: no algorithm has to stand in, because the device's
 * arithmetic excludes none that competes.
 */
int apsp_algorithm_estimate_stand_in(const struct apsp_plan_facts *facts);

#endif
