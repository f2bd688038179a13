/*
 * What each algorithm costs, counted: operations that are its work, steps that
 * are launches and waiting, bytes. A device's rates turn the counts into
 * seconds; rates.h and plan.h. Plain arithmetic.
 */
#ifndef APSP_COMPUTE_COST_H
#define APSP_COMPUTE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/tuning.h"
#include "daemon/base/table_file.h"

enum apsp_cost_id {
	APSP_COST_BF_DENSE_REDUCE,
	APSP_COST_BF_DENSE_TRANSPOSED,
	APSP_COST_BF_DENSE_VERTEX,
	APSP_COST_BF_EDGES,
	APSP_COST_BFS_LEVELS,
	APSP_COST_BLOCKED_FW,
	APSP_COST_FW,
	APSP_COST_MINPLUS_SQUARING,
	APSP_COST_MULTI_SOURCE,
	APSP_COST_REFERENCE,
	APSP_COST_STREAMED_FW,
	APSP_COST_IDS,
};

/* What is known of a graph before it is solved. */
struct apsp_workload {
	uint64_t n_vertices;
	uint64_t n_arcs;
	enum apsp_element element;  /* of V */
	enum apsp_element distance; /* of the table's distances */
	bool unit_lengths;	    /* V counts arcs */
	bool transformed;	    /* lengths are neither weights nor ones */
	/* Some shortest path has as many arcs, perhaps more; 0: not known. */
	uint64_t hops;
	double visits; /* compute/sweeps.h; 0: not known */
	/* Share of the pairs that have a path, 0 to 1; 1 where not known. */
	double reachable;
};

/* Where V is while it is made. */
enum apsp_cost_home {
	APSP_COST_ON_DEVICE,
	APSP_COST_STREAMED, /* in host memory, by and by on the device */
	APSP_COST_ON_HOST,  /* there is no device */
};

struct apsp_cost {
	const char *name;
	enum apsp_cost_home home;
	bool competes;	/* else it is done only where it is asked for by name */
	bool stands_in; /* competes only where blocked-fw does not fit */
	bool wide_atomics; /* f64 falls by such, unless items own their rows */
	double (*operations)(const struct apsp_workload *work);
	double (*steps)(const struct apsp_workload *work);
	double (*gpu_steps)(const struct apsp_workload *work); /* NULL: so */
	/*
	 * Steps go by pairs, which grow as operations do with the vertices:
	 * only graphs of different degrees tell their rates apart.
	 */
	bool steps_are_pairs;
	/*
	 * Rows of V that a window should have (panels.h): whole tiles, which
	 * may be more than there are. NULL: it has all at once.
	 */
	uint64_t (*window)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Rows that it makes together: a part of them takes as long. */
	uint64_t (*lanes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/*
	 * Bytes on the device that only it takes, beside the arcs and V, and
	 * gives back when all of V is there; with windows it never does. NULL:
	 * none. UINT64_MAX: overflow.
	 */
	uint64_t (*own_bytes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Of them, what it does not divide among buffers; NULL: rows at most.
	 */
	uint64_t (*own_buffer)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Why it cannot do this work, or NULL. May be NULL itself. */
	const char *(*unfit)(const struct apsp_workload *work);
};

/* By id. Every name of apsp_algorithm_names but closure's has a row. */
extern const struct apsp_cost apsp_costs[APSP_COST_IDS];

/* The cost's steps on a GPU or another device. */
double apsp_cost_steps(const struct apsp_cost *cost,
	const struct apsp_workload *work, bool gpu);

/* The row of that name, or -1. */
int apsp_cost_find(const char *name);

#endif
