/*
 * The closure's algorithms by name (design.md, decision 11).
 */
#ifndef APSP_COMPUTE_CLOSURE_H
#define APSP_COMPUTE_CLOSURE_H

#include "compute/bits.h"
#include "compute/components.h"
#include "compute/device.h"
#include "compute/lengths.h"
#include "compute/monitor.h"
#include "daemon/base/err.h"

/* What a closure is made of; all borrowed. */
struct apsp_closure_task {
	const struct apsp_lengths *lengths;
	const struct apsp_components *components;
	const struct apsp_device
		*device; /* NULL: there is none, for closure-order */
};

struct apsp_closure {
	const char *name;
	/*
	 * The reflexive closure, n_vertices rows; the caller owns *out. Blocks;
	 * polls the monitor's stop between launches. In the stage of the
	 * closure, which it leaves and comes back to for arcs on their way to
	 * the device and rows on their way from it. APSP_ECANCELLED;
	 * APSP_ENOMEM; APSP_ELIMIT: not on this device; APSP_EDEVICE.
	 */
	int (*run)(const struct apsp_closure_task *task,
		struct apsp_monitor *monitor, struct apsp_bits *out,
		struct apsp_err *err);
};

/* By name; "" is the default. NULL: there is none of that name. */
const struct apsp_closure *apsp_closure_find(const char *name);

/*
 * `closure-order`: rows in reverse topological order of components, each the OR
 * of its successors' rows; the vertices of a component share one row. On the
 * device where there is one with room, if it is faster there for so much work
 * (tuning->bits.host_words), else on the host. m·n / 64 word operations at
 * most. Method: Purdom 1970.
 */
int apsp_closure_order_run(const struct apsp_closure_task *task,
	struct apsp_monitor *monitor, struct apsp_bits *out,
	struct apsp_err *err);

/*
 * `closure-warshall`: Warshall's algorithm on bits, in blocks of 32 pivots,
 * over the components. On the device: n² / 8 bytes for rows and c² / 8 for c
 * components' arcs, besides lists (closure_cost.h). c²·n / 1024 word operations
 * of 64 bits at most, four pivots each; what a component has no arcs to is
 * skipped. Method: Warshall 1962.
 */
int apsp_closure_warshall_run(const struct apsp_closure_task *task,
	struct apsp_monitor *monitor, struct apsp_bits *out,
	struct apsp_err *err);

/*
 * `closure-squaring`: boolean squarings of all vertices' rows until nothing
 * changes. On the device: n² / 4 bytes; n³ / 64 word operations a squaring, as
 * many squarings as the longest shortest path has binary digits, and one.
 * Method: Xiao et al., transitive closure in OpenCL.
 */
int apsp_closure_squaring_run(const struct apsp_closure_task *task,
	struct apsp_monitor *monitor, struct apsp_bits *out,
	struct apsp_err *err);

#endif
