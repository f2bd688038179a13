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
	const struct apsp_device *device; /* unused where the host does it */
	const struct apsp_algorithm *algorithm;
	const char *algorithm_name; /* for the table file's header */
	struct apsp_monitor *monitor;
	const char *path; /* of the table file */
};

/*
 * Write the tables. APSP_EDATA: the algorithm does not take such lengths;
 * APSP_EOVERFLOW: V fits no width; APSP_EPROOF; APSP_ELIMIT; APSP_EDEVICE;
 * APSP_ENOSPACE; APSP_ENOMEM; APSP_ECANCELLED.
 */
int apsp_attempt_run(const struct apsp_attempt *attempt, struct apsp_err *err);

#endif
