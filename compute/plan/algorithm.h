/*
 * What is known of each algorithm before a solve: the rows of algorithm_list.h
 * as a table. The daemon shows the names and estimates with the rest; the
 * functions that run are compute/distance's, because the daemon links no OpenCL
 * (compute/worker/README.md, A child owns the device).
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

/* What the panels hold when an algorithm begins. */
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
	const char *kernels; /* files of kernels/ without ".cl"; NULL: none */
	enum apsp_start start;
	bool hops_only; /* lengths must all be 1 */
	bool competes;	/* false: runs only where a user names it */
	bool stands_in; /* competes only where blocked-fw does not fit */
	/* lowers distances of 64 bits by atomic minima, unless each item has
	   its rows to itself (tuning.h) */
	bool wide_atomics;
	/* items read distances that others lower in the same launch
	   (compute/distance/README.md, Why in place is right) */
	enum apsp_races races;

	/* How much work, and how many launches and waits; see cost.h. */
	double (*operations)(const struct apsp_workload *work);
	double (*steps)(const struct apsp_workload *work);
	/* Those of a GPU where they are others, or NULL. */
	double (*gpu_operations)(const struct apsp_workload *work);
	double (*gpu_steps)(const struct apsp_workload *work);
	/*
	 * steps() counts pairs of vertices. Operations and pairs then grow
	 * alike with n, and calibration needs two degrees to tell their rates
	 * apart.
	 */
	bool steps_are_pairs;

	/*
	 * The number of rows of V to make at a time, in whole tiles; it may
	 * exceed n. NULL: the algorithm makes all rows at once.
	 */
	uint64_t (*window)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Rows that are made together; fewer take as long. With window. */
	uint64_t (*lanes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);

	/*
	 * Device memory that the algorithm takes beside the arcs and V. It is
	 * freed when V is whole, after the last window. NULL: none.
	 * UINT64_MAX: overflow.
	 */
	uint64_t (*own_bytes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* The largest part of own_bytes that must lie in one buffer. NULL: no
	   part is larger than a row of tiles. */
	uint64_t (*own_buffer)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Why the algorithm cannot do this work, or NULL. May be NULL. */
	const char *(*unfit)(const struct apsp_workload *work);

	/* Rates of devices that were not measured, by element (rates.h). */
	struct apsp_rate cpu[APSP_RATE_ELEMENTS];
	struct apsp_rate gpu[APSP_RATE_ELEMENTS];
};

/* By id, in the order of the list. */
extern const struct apsp_algorithm apsp_algorithms[APSP_N_ALGORITHMS];

/* The id of that name, or -1: "" and closures have none. */
int apsp_algorithm_find(const char *name);

/* The algorithm's operations and steps on a GPU or on another device. */
double apsp_algorithm_operations(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, bool gpu);
double apsp_algorithm_steps(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, bool gpu);

/* All names, closures' last; NULL-terminated. */
extern const char *const apsp_algorithm_names[];

/* The names of those with hops_only; NULL-terminated. */
extern const char *const apsp_algorithm_hops_only[];

#endif
