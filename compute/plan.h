/*
 * The plan of a solve: what each algorithm would take in seconds and bytes,
 * which is chosen, and why, in words. Plain arithmetic over plain data: the
 * solver plans with what it knows of the graph, the daemon estimates with what
 * it knows before.
 */
#ifndef APSP_COMPUTE_PLAN_H
#define APSP_COMPUTE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/closure_cost.h"
#include "compute/cost.h"
#include "compute/rates.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"

enum {
	APSP_PLAN_REASON_SIZE = 192,
};

#define APSP_PLAN_UNKNOWN UINT64_MAX

/* The device, as much of it as plans need. */
struct apsp_plan_device {
	const char *name;
	bool host_memory;  /* its buffers lie there */
	bool lacks_double; /* cannot do f64 */
	bool lacks_wide_atomics;
	uint64_t memory_bytes;
	uint64_t largest_buffer_bytes;
	const struct apsp_tuning *tuning;
};

/* Where there is none: only the host's algorithms are feasible. */
struct apsp_plan_device apsp_plan_no_device(void);

/* Everything that a plan is made from. */
struct apsp_plan_facts {
	struct apsp_workload work;
	struct apsp_plan_device device;
	struct apsp_rates rates;
	uint64_t host_bytes; /* what may be used; APSP_PLAN_UNKNOWN */
	uint64_t disk_bytes; /* free for the tables; APSP_PLAN_UNKNOWN */
};

/* One algorithm's. Bytes of UINT64_MAX: more than any machine has. */
struct apsp_estimate {
	const char *name;  /* static */
	double seconds;	   /* from arcs in memory to tables in the file, */
	double distance_s; /* of which for V alone */
	uint64_t rows;	   /* of V at once: all, or a window (panels.h) */
	uint64_t device_bytes;
	uint64_t buffer_bytes; /* of them, in one buffer at least */
	uint64_t host_bytes;   /* with the device's, where it is the host */
	uint64_t disk_bytes;
	bool feasible;
	enum apsp_code code;		    /* why not */
	char reason[APSP_PLAN_REASON_SIZE]; /* why not, in words */
};

struct apsp_plan {
	struct apsp_estimate algorithms[APSP_COST_IDS];
	/*
	 * What the closure takes before V is begun; nobody has its rates, so
	 * its seconds are NAN.
	 */
	struct apsp_estimate closures[APSP_CLOSURE_COSTS];
	int closure;	     /* index of what was asked for, or -1 */
	int choice;	     /* index, or -1: nothing is feasible */
	enum apsp_code code; /* then: APSP_ELIMIT, APSP_ENOMEM, APSP_ENOSPACE */
	/* The most at once: of the choice, or of that closure before it. */
	uint64_t device_bytes;
	uint64_t host_bytes;
	/* "multi-source: 0.12 s estimated, …", or why there is no choice. */
	char text[APSP_PLAN_TEXT_SIZE];
};

/*
 * Plan. algorithm is "" for the fastest of those that compete, or the name that
 * was asked for; a closure's name counts as "", if there is room for it too.
 */
void apsp_plan_make(const struct apsp_plan_facts *facts, const char *algorithm,
	struct apsp_plan *out);

/* The estimate that was chosen, or NULL. */
const struct apsp_estimate *apsp_plan_choice(const struct apsp_plan *plan);

/*
 * 0 where there is a choice; else APSP_ELIMIT (the device, or no machine),
 * APSP_ENOMEM or APSP_ENOSPACE, with the plan's text.
 */
int apsp_plan_check(const struct apsp_plan *plan, struct apsp_err *err);

#endif
