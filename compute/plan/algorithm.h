/*
 * The properties of each algorithm, in a table that is made from
 * algorithm_list.h. The daemon shows the names, and uses the other members to
 * estimate seconds and bytes. The table has no pointers to the functions that
 * run the algorithms: these functions need OpenCL, which the daemon does not
 * link (compute/worker/README.md, A child owns the device). The functions that
 * run the algorithms are in compute/distance.
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

/* The contents of the panels when an algorithm begins. The panels hold V, the
   matrix of distances (compute/device/panels.h). */
enum apsp_start {
	APSP_START_ARCS,     /* the panels have the arcs' lengths, and 0 on the
				diagonal */
	APSP_START_BLANK,    /* the contents are undefined, because the
				algorithm stores every row itself */
	APSP_START_STREAMED, /* the panels have the arcs' lengths, and are in
				host memory (compute/device/host_panels.h) */
	/* there are no panels: the host computes all rows, without a device
	   (compute/tables/host_solve.h) */
	APSP_START_HOST,
};

enum {
	/*
	 * The number of slabs (rows of tiles) that `streamed-fw` holds on the
	 * device. Two slabs hold the pivot and the next pivot. The other three
	 * slabs are handled at the same time: one is copied to the device, one
	 * is relaxed, and one is copied back.
	 */
	APSP_STREAMED_PLACES = 5,
};

enum apsp_races {
	APSP_RACES_NEVER,
	/* a work-item can read a distance while another work-item lowers it,
	   but only in the kernels for GPUs */
	APSP_RACES_ON_GPU,
	APSP_RACES_ALWAYS,
};

struct apsp_algorithm {
	const char *name;
	enum apsp_start start;
	bool hops_only; /* the algorithm works only if all lengths are 1 */
	/* the algorithm can compute widest paths in place of shortest paths */
	bool widest;
	/* false: the algorithm runs only if a user asks for it by name */
	bool competes;
	/* the algorithm is a candidate only if `blocked-fw` does not fit the
	   device */
	bool stands_in;
	/* true: several processes can compute the distance matrix V together,
	   and each process has a part of the rows (struct apsp_task_group) */
	bool divides;
	/* True: if several work-items write to a row (apsp_tuning_owns_rows()),
	   the algorithm lowers 64-bit distances with atomic minima of 64 bits,
	   which the device must support. */
	bool wide_atomics;
	/* Whether it can happen that a work-item reads a distance while another
	   work-item lowers it (compute/distance/README.md, Why in place is
	   right). */
	enum apsp_races races;

	/* Counts the operations (cost.h). NULL only if the algorithm does not
	   compete. */
	double (*operations)(const struct apsp_workload *work);
	/* Counts the steps (cost.h). NULL only if the algorithm does not
	   compete. */
	double (*steps)(const struct apsp_workload *work);
	/* Counts the operations on a GPU. NULL: `operations` counts them. */
	double (*gpu_operations)(const struct apsp_workload *work);
	/* Counts the steps on a GPU. NULL: `steps` counts them. */
	double (*gpu_steps)(const struct apsp_workload *work);
	/*
	 * A window is the rows of the distance matrix V that are computed at a
	 * time. Returns the number of rows that a window should have. This
	 * number is a multiple of the tile's side, so it can be larger than the
	 * number of rows of V. NULL: the algorithm computes all rows at once.
	 */
	uint64_t (*window)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Returns the number of rows that a processor computes at a time: the
	   rows of a full batch of `multi-source`, or the rows that a work-item
	   of `bf-edges` or `bfs-levels` computes. Fewer rows take a processor
	   the same time. The pointer is NULL if `window` is NULL. */
	uint64_t (*lanes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);

	/*
	 * Returns the bytes of device memory that the algorithm allocates in
	 * addition to the distance matrix V and the arcs. The algorithm frees
	 * this memory after the last window of V. NULL: the algorithm allocates
	 * no such memory.
	 */
	uint64_t (*own_bytes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Of the buffers that own_bytes() counts, takes the largest, and
	   returns the smallest size in bytes with which the algorithm can still
	   run. The pointer is NULL if none of these buffers is larger than a
	   row of tiles. */
	uint64_t (*own_buffer)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);

	/*
	 * Default rates for CPUs and GPUs whose rates were not measured. The
	 * index is apsp_rates_index() of the number type of the distance matrix
	 * V. Two kinds of algorithms have no default rates: those that do not
	 * compete, and `streamed-fw`, whose rates are computed
	 * (apsp_rates_stream()).
	 */
	struct apsp_rate cpu[APSP_RATE_ELEMENTS];
	struct apsp_rate gpu[APSP_RATE_ELEMENTS];
};

/* The index is an enum apsp_algorithm_id. */
extern const struct apsp_algorithm apsp_algorithms[APSP_N_ALGORITHMS];

/* Return the id of the algorithm with this name. -1: no algorithm has this
   name, for example because the name is empty or is the name of a closure. */
int apsp_algorithm_find(const char *name);

/* Return the number of seconds that an algorithm needs to compute the distance
   matrix V. `rate` has the seconds of one operation and of one step. The member
   `competes` of the algorithm must be true. */
double apsp_algorithm_seconds(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, bool gpu,
	const struct apsp_rate *rate);

/* The names of all algorithms, then of all closures; NULL-terminated. */
extern const char *const apsp_algorithm_names[];

/* The names of the algorithms that work only if all lengths are 1;
   NULL-terminated. */
extern const char *const apsp_algorithm_hops_only[];

/* The names of the algorithms that do not compute widest paths;
   NULL-terminated. */
extern const char *const apsp_algorithm_shortest_only[];

#endif
