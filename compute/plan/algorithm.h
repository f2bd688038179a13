/*
 * The facts about each algorithm before a solve: the rows of algorithm_list.h
 * as a table. The daemon shows the names and estimates with the other members.
 * The functions that run an algorithm are in compute/distance, because the
 * daemon links no OpenCL (compute/worker/README.md, A child owns the device).
 */
#ifndef APSP_COMPUTE_PLAN_ALGORITHM_H
#define APSP_COMPUTE_PLAN_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/tuning.h"

enum apsp_algorithm_id {
#define APSP_ALGORITHM(id, ...) APSP_ALGORITHM_##id,
#include "compute/plan/algorithm_list.h"
	APSP_N_ALGORITHMS,
};

/* The contents of the panels when an algorithm begins. */
enum apsp_start {
	APSP_START_ARCS,     /* the arcs, 0 on the diagonal */
	APSP_START_BLANK,    /* nothing: the algorithm fills every row itself */
	APSP_START_STREAMED, /* the arcs, in host memory (host_panels.h) */
	APSP_START_HOST,     /* there are no panels: host_solve.h, no device */
};

enum apsp_races {
	APSP_RACES_NEVER,
	APSP_RACES_ON_GPU, /* with the kernels for GPUs only */
	APSP_RACES_ALWAYS,
};

struct apsp_algorithm {
	const char *name;
	enum apsp_start start;
	bool hops_only; /* lengths must all be 1 */
	bool competes;	/* false: it runs only if a user names it */
	bool stands_in; /* it competes only if blocked-fw does not fit */
	/* It lowers distances of 64 bits by atomic minima, unless each item has
	   rows of its own (apsp_tuning_owns_rows()). */
	bool wide_atomics;
	/* Where items read distances that other items lower in the same launch
	   (compute/distance/README.md, Why in place is right). */
	enum apsp_races races;

	/* If it competes: the amount of work, and the number of launches or
	   rows; see cost.h. */
	double (*operations)(const struct apsp_workload *work);
	double (*steps)(const struct apsp_workload *work);
	/* The same on a GPU; NULL: as on a CPU. */
	double (*gpu_operations)(const struct apsp_workload *work);
	double (*gpu_steps)(const struct apsp_workload *work);
	/*
	 * The number of rows of V to compute at a time, in whole tiles; it may
	 * exceed n. NULL: the algorithm computes all rows together.
	 */
	uint64_t (*window)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* The number of rows of a batch, which takes as long with fewer rows.
	   NULL if window is NULL. */
	uint64_t (*lanes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);

	/*
	 * Device memory that the algorithm takes beside the arcs and V. It is
	 * freed when V is whole, after the last window. NULL: none.
	 */
	uint64_t (*own_bytes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* The largest part of own_bytes that must lie in one buffer. NULL: no
	   part is larger than a row of tiles. */
	uint64_t (*own_buffer)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);

	/* If it competes: the rates of devices that are not measured, by
	   element (rates.h). */
	struct apsp_rate cpu[APSP_RATE_ELEMENTS];
	struct apsp_rate gpu[APSP_RATE_ELEMENTS];
};

/* By id, in the order of the list. */
extern const struct apsp_algorithm apsp_algorithms[APSP_N_ALGORITHMS];

/* The id of that name, or -1: "" and closures have none. */
int apsp_algorithm_find(const char *name);

/* Seconds of the distances at this rate, where the algorithm competes. */
double apsp_algorithm_seconds(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, bool gpu,
	const struct apsp_rate *rate);

/* All names, closures' last; NULL-terminated. */
extern const char *const apsp_algorithm_names[];

/* The names of those with hops_only; NULL-terminated. */
extern const char *const apsp_algorithm_hops_only[];

#endif
