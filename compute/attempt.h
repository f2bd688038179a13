/*
 * From a problem to a complete table file: the attempts at V, narrow first,
 * until one proves itself (widths.h).
 */
#ifndef APSP_COMPUTE_ATTEMPT_H
#define APSP_COMPUTE_ATTEMPT_H

#include "compute/algorithm.h"
#include "compute/device.h"
#include "compute/monitor.h"
#include "compute/problem.h"
#include "daemon/base/err.h"

struct apsp_attempt {
	struct apsp_problem *problem;	  /* lengths and closure are made */
	const struct apsp_device *device; /* NULL: the host does it */
	const struct apsp_algorithm *algorithm; /* NULL: the plan's choice */
	/* For the table file's header; NULL: the name of what was chosen. */
	const char *algorithm_name;
	struct apsp_monitor *monitor;
	const char *path; /* of the table file */
};

/*
 * Plan each width (plan.h), tell the plan, and write the tables.
 * APSP_EDATA: the algorithm does not take such lengths; APSP_EOVERFLOW: V fits
 * no width; APSP_EPROOF; APSP_ELIMIT, APSP_ENOMEM: the
 * plan refused, before anything was allocated; APSP_EDEVICE; APSP_ENOSPACE;
 * APSP_ECANCELLED.
 */
int apsp_attempt_run(const struct apsp_attempt *attempt, struct apsp_err *err);

#endif
