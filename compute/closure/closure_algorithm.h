/*
 * The table of algorithms for reachability (compute/closure/README.md, Closure
 * is bits). Each has a file <stem>.c, whose first comment describes the method.
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

/* The input of a closure; everything is borrowed. */
struct apsp_closure_task {
	const struct apsp_lengths *lengths;
	const struct apsp_components *components;
	const struct apsp_device *device; /* NULL: there is no device, so only
					     closure-order can run */
};

struct apsp_closure_algorithm {
	const char *name;
	/*
	 * Compute the reflexive closure: n_vertices rows in *out, which the
	 * caller owns. Blocks. Between launches it checks whether `progress`
	 * has a request to stop. It must be called in APSP_STAGE_CLOSURE. While
	 * arcs and rows are copied, it is in the stages of upload and download;
	 * it returns in APSP_STAGE_CLOSURE. APSP_ECANCELLED: it was stopped;
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
 * Whether `closure-order` runs on the device. It does if the rows fit there,
 * and if there are so many vertices and arcs that the device is faster
 * (tuning->bits.host_words). apsp_closure_order_device_run() runs it on the
 * device in any case.
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
