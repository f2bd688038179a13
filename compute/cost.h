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
	/* Some shortest path has as many arcs, perhaps more; 0: not known. */
	uint64_t hops;
	double visits; /* compute/sweeps.h; 0: not known */
	/* Share of the pairs that have a path, 0 to 1; 1 where not known. */
	double reachable;
};

struct apsp_cost {
	const char *name;
	bool competes;	/* else it is done only where it is asked for by name */
	bool stands_in; /* competes only where blocked-fw does not fit */
	double (*operations)(const struct apsp_workload *work);
	double (*steps)(const struct apsp_workload *work);
	/*
	 * Steps are pairs, which grow as operations do with the vertices: only
	 * graphs of different degrees tell their rates apart.
	 */
	bool steps_are_pairs;
	/*
	 * All but the arcs; `after` is what is wanted once V is there. NULL: no
	 * device. UINT64_MAX: overflow.
	 */
	uint64_t (*device_bytes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning, uint64_t after);
	/*
	 * The least that one buffer must hold: the largest part that it does
	 * not divide, the arcs apart. NULL: no device.
	 */
	uint64_t (*buffer_bytes)(const struct apsp_workload *work,
		const struct apsp_tuning *tuning);
	/* Of its own, beside what every solve takes; NULL: none. */
	uint64_t (*host_bytes)(const struct apsp_workload *work);
	/* Why it cannot do this work, or NULL. May be NULL itself. */
	const char *(*unfit)(const struct apsp_workload *work);
};

/* By id. Every name of apsp_algorithm_names but closure's has a row. */
extern const struct apsp_cost apsp_costs[APSP_COST_IDS];

/* The row of that name, or -1. */
int apsp_cost_find(const char *name);

#endif
