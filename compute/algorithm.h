/*
 * The algorithms by name: what fills panels with V. What memory each takes is
 * told by its plan, before it starts (cost.h).
 */
#ifndef APSP_COMPUTE_ALGORITHM_H
#define APSP_COMPUTE_ALGORITHM_H

#include <stdbool.h>

#include "compute/lengths.h"
#include "compute/monitor.h"
#include "compute/order.h"
#include "compute/panels.h"
#include "daemon/base/err.h"

/* What an algorithm solves, on the host and on the device; all borrowed. */
struct apsp_task {
	const struct apsp_lengths *lengths; /* upload indices */
	const struct apsp_integers *integers;
	const struct apsp_order *order;
	/* Positions; NULL where the panels are for a window. */
	const struct apsp_device_arcs *arcs;
	/*
	 * Called for each window of rows once they are V, in upload order; not
	 * where the panels are for all rows. useless, n_arcs bytes or NULL: 1
	 * for arcs that no shortest path takes. What is not 0 ends the run,
	 * which returns it. NULL: nobody wants them.
	 */
	int (*take)(void *ctx, const uint8_t *useless, struct apsp_err *err);
	void *ctx;
};

/* What the panels hold when an algorithm begins. */
enum apsp_start {
	APSP_START_ARCS,     /* the arcs, 0 on the diagonal */
	APSP_START_BLANK,    /* nothing: it fills every row itself */
	APSP_START_STREAMED, /* the arcs, in host memory (panels_host.h) */
	APSP_START_HOST,     /* there are none: host_solve.h, no device */
};

struct apsp_algorithm {
	const char *name;
	enum apsp_start start;
	/*
	 * Fill the panels with V. Blocks; polls the monitor's stop between
	 * launches. APSP_ECANCELLED; APSP_EDEVICE; APSP_ELIMIT, APSP_EDATA: not
	 * for this device or these lengths. NULL with APSP_START_HOST.
	 */
	int (*run)(const struct apsp_task *task, struct apsp_panels *panels,
		struct apsp_monitor *monitor, struct apsp_err *err);
	bool hops_only; /* all lengths must be 1 (APSP_DISTANCE_HOPS) */
	bool windows;	/* makes each row by itself: panels may be for fewer */
};

/*
 * Whether it takes such lengths. APSP_EDATA: it counts arcs, and the lengths
 * are not all 1.
 */
int apsp_algorithm_takes(const struct apsp_algorithm *algorithm,
	const struct apsp_integers *integers, struct apsp_err *err);

/* By name; "" is the default. NULL: there is none of that name. */
const struct apsp_algorithm *apsp_algorithm_find(const char *name);

/*
 * Open the panels, for a window of at most `rows` if the algorithm does with
 * one, and for APSP_START_ARCS and _STREAMED load the task's arcs into them; in
 * the latter the task must outlive them. Errors as apsp_panels_open(),
 * apsp_panels_load() and apsp_host_panels_open().
 */
int apsp_algorithm_panels(const struct apsp_algorithm *algorithm,
	const struct apsp_device *device, const struct apsp_task *task,
	enum apsp_element element, uint32_t rows, struct apsp_panels *out,
	struct apsp_err *err);

/*
 * For algorithms that do with windows: have solve() fill one after the other,
 * or all rows, from what `work` has. useless is what task->take is told.
 * Returns what the first of them does that is not 0, or 0.
 */
int apsp_algorithm_windows(const struct apsp_task *task,
	struct apsp_panels *panels, const uint8_t *useless,
	int (*solve)(
		void *work, struct apsp_monitor *monitor, struct apsp_err *err),
	void *work, struct apsp_monitor *monitor, struct apsp_err *err);

/*
 * `bf-edges`: Bellman–Ford over the list of arcs, for batches of sources: a
 * launch relaxes every arc for every source of the batch, until one changes
 * nothing. Two arcs of one length between the same pair are one edge, relaxed
 * both ways, and edges are ordered for the cache (edge_list.h). Rounds of m·n
 * relaxations for m arcs, at most as many as a shortest path has arcs, and one
 * more. APSP_ELIMIT: V is a double and the device has no 64-bit atomic minima.
 * Method: "SSSP and BFS on Kepler", 2014.
 */
int apsp_bf_edges_run(const struct apsp_task *task, struct apsp_panels *panels,
	struct apsp_monitor *monitor, struct apsp_err *err);

/*
 * `bfs-levels`: breadth-first search over the same list, hops only: a launch
 * settles one level of every source of a batch. Levels are bytes, of several
 * sources in a word; past 254 levels they start anew. Method: the same.
 */
int apsp_bfs_levels_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

/*
 * `fw`: Floyd–Warshall, one launch a pivot vertex. n launches of n²
 * relaxations. Method: Harish & Narayanan 2007.
 */
int apsp_fw_run(const struct apsp_task *task, struct apsp_panels *panels,
	struct apsp_monitor *monitor, struct apsp_err *err);

/*
 * `blocked-fw`: pivot blocks of tuning->pivot_tiles tiles. Within a block, tile
 * by tile, the diagonal tile is closed and its row and column of tiles are
 * brought up to date; the whole matrix then passes through the block at once.
 * Method: Venkataraman et al. 2003; Katz & Kider 2008.
 */
int apsp_blocked_fw_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

/*
 * `minplus-squaring`: V ← V ⊗ V until nothing changes, at most log2(n − 1)
 * times rounded up, each of n³ relaxations. Method: Xing et al., section 2.1.
 */
int apsp_minplus_squaring_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

#endif
