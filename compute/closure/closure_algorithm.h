/*
 * The table of algorithms for reachability (compute/closure/README.md, Closure
 * is bits). Each algorithm has a file <stem>.c, whose first comment describes
 * the method.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_ALGORITHM_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_ALGORITHM_H

#include <stdbool.h>

#include "compute/bits.h"
#include "compute/device/device.h"
#include "compute/graph/components.h"
#include "compute/graph/lengths.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/* The input of a closure algorithm. All pointers are borrowed. */
struct apsp_closure_task {
	const struct apsp_lengths *lengths;
	const struct apsp_components *components;
	const struct apsp_device *device; /* NULL: there is no device, so only
					     closure-order can run */
};

struct apsp_closure_algorithm {
	const char *name;
	/*
	 * Compute the reflexive closure: store n_vertices rows of bits in *out,
	 * which the caller then owns. Blocks. Between launches, the function
	 * checks whether `progress` has a request to stop. `progress` must be
	 * in APSP_STAGE_CLOSURE at the call, and is in this stage again at the
	 * return. While arcs and rows are copied, `progress` is in the stages
	 * of upload and download. APSP_ECANCELLED: a stop was requested;
	 * APSP_ENOMEM; APSP_ELIMIT: the closure does not fit this device;
	 * APSP_EDEVICE.
	 */
	int (*run)(const struct apsp_closure_task *task,
		struct apsp_progress *progress, struct apsp_bits *out,
		struct apsp_err *err);
};

/* Find an algorithm by its name; "" finds the default. NULL: no algorithm has
   this name. */
const struct apsp_closure_algorithm *apsp_closure_algorithm_find(
	const char *name);

/*
 * Whether apsp_closure_order_run() uses the device. It does if the rows fit the
 * device's memory and the graph is so large that the device is faster than the
 * host (tuning->bits.host_words). apsp_closure_order_device_run() always uses
 * the device.
 */
bool apsp_closure_order_on_device(const struct apsp_closure_task *task);
int apsp_closure_order_device_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err);

/* Declare apsp_<stem>_run() for every closure in algorithm_list.h. */
#define APSP_CLOSURE(id, stem, name, ...)                                      \
	int apsp_##stem##_run(const struct apsp_closure_task *task,            \
		struct apsp_progress *progress, struct apsp_bits *out,         \
		struct apsp_err *err);
#include "compute/plan/algorithm_list.h"

#endif
