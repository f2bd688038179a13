/*
 * The algorithms for reachability by name (compute/closure/README.md, Closure
 * is bits). The file <stem>.c says the method.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_ALGORITHM_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_ALGORITHM_H

#include "compute/bits.h"
#include "compute/graph/components.h"
#include "compute/device/device.h"
#include "compute/graph/lengths.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/* The input of a closure; all borrowed. */
struct apsp_closure_task {
	const struct apsp_lengths *lengths;
	const struct apsp_components *components;
	const struct apsp_device *device; /* NULL: there is none, and only
					     closure-order runs */
};

struct apsp_closure_algorithm {
	const char *name;
	/*
	 * The reflexive closure, n_vertices rows; the caller owns *out. Blocks;
	 * polls the progress's stop between launches. Called in
	 * APSP_STAGE_CLOSURE; enters the stages of upload and download where
	 * arcs and rows are copied, and comes back. APSP_ECANCELLED;
	 * APSP_ENOMEM; APSP_ELIMIT: not on this device; APSP_EDEVICE.
	 */
	int (*run)(const struct apsp_closure_task *task,
		struct apsp_progress *progress, struct apsp_bits *out,
		struct apsp_err *err);
};

/* By name; "" is the default. NULL: no closure has that name. */
const struct apsp_closure_algorithm *apsp_closure_algorithm_find(
	const char *name);

/* apsp_<stem>_run() of every closure in algorithm_list.h. */
#define APSP_CLOSURE(id, stem, name, ...)                                      \
	int apsp_##stem##_run(const struct apsp_closure_task *task,            \
		struct apsp_progress *progress, struct apsp_bits *out,         \
		struct apsp_err *err);
#include "compute/plan/algorithm_list.h"

#endif
