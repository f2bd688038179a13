/*
 * The table of closure algorithms. A closure says for each pair of vertices
 * whether there is a path from the first vertex to the second
 * (compute/closure/README.md, Closure is bits). The method of each algorithm is
 * described in the first comment of its file, compute/closure/<stem>.c.
 * algorithm_list.h has the stems.
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
	 * Compute the reflexive closure, and store it in *out as n_vertices
	 * rows of bits. The caller then owns *out. The function blocks, and
	 * checks now and then whether a stop was requested.
	 *
	 * The stage of `progress` must be APSP_STAGE_CLOSURE at the call. The
	 * function sets the stage APSP_STAGE_UPLOAD while it copies arcs to the
	 * device, and APSP_STAGE_DOWNLOAD while it copies rows to the host. At
	 * the return, the stage is APSP_STAGE_CLOSURE again.
	 *
	 * APSP_ECANCELLED: a stop was requested; APSP_ENOMEM; APSP_ELIMIT: the
	 * device has too little memory for the closure; APSP_EDEVICE: the
	 * device or its driver failed.
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
 * Whether apsp_closure_order_run() uses the device. It uses the device if the
 * rows fit the device's memory and the graph is so large that the device is
 * faster than the host (tuning->bits.host_words).
 * apsp_closure_order_device_run() always uses the device.
 */
bool apsp_closure_order_on_device(const struct apsp_closure_task *task);
int apsp_closure_order_device_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err);

/* Declare apsp_<stem>_run() for every closure algorithm in algorithm_list.h. */
#define APSP_CLOSURE(id, stem, name, ...)                                      \
	int apsp_##stem##_run(const struct apsp_closure_task *task,            \
		struct apsp_progress *progress, struct apsp_bits *out,         \
		struct apsp_err *err);
#include "compute/plan/algorithm_list.h"

#endif
