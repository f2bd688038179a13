/*
 * The facts from which a plan is made: the workload, the device and its rates,
 * the free memory and the free disk space.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_FACTS_H
#define APSP_COMPUTE_PLAN_PLAN_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/device_info.h"
#include "compute/plan/held_memory.h"
#include "compute/plan/rates.h"
#include "compute/plan/tuning.h"

#define APSP_PLAN_UNKNOWN UINT64_MAX

/* Facts about a device, from which plans are made. */
struct apsp_plan_device {
	const char *name;  /* borrowed */
	bool host_memory;  /* true: device buffers are in the host's memory */
	bool lacks_double; /* true: the device cannot compute in float64 */
	bool lacks_wide_atomics;
	/* true: it can happen that a work-item reads a half-written value of 8
	   bytes */
	bool tears_doubles;
	/* bytes of the device's memory that the solve is allowed to use; 0:
	   there is no device */
	uint64_t memory_bytes;
	uint64_t largest_buffer_bytes;
	const struct apsp_tuning *tuning;
};

/* Describe the device `info` for plans. `tuning` is the device's row of the
   tuning table. The solve is allowed to use memory_bytes bytes of the device's
   memory (apsp_device_info_memory()). `info` must outlive *out. */
void apsp_plan_device_init(const struct apsp_device_info *info,
	const struct apsp_tuning *tuning, uint64_t memory_bytes,
	struct apsp_plan_device *out);

/* Return the description of a machine without a device. A plan that is made
   from this description can choose only algorithms that run on the host. */
struct apsp_plan_device apsp_plan_no_device(void);

struct apsp_job_pace;

enum {
	APSP_PLAN_GROUP_SIZE = 128,
};

/*
 * A group of processes that solve the job together (compute/group). All
 * processes compute rows if the algorithm works in windows or is `blocked-fw`;
 * otherwise one process computes all rows. If there is only one process, or if
 * the group is not known, all members are 0.
 */
struct apsp_plan_group {
	uint32_t processes;
	/* number of processes on the host of the process of rank 0 */
	uint32_t beside;
	/* number of different devices; the plan assumes that all are equally
	   fast */
	uint32_t devices;
	/* number of processes that use the same device as the process of rank
	   0 */
	uint32_t sharers;
	/* number of sets of processors (compute/group/group.h); the plan
	   assumes that all are equally fast */
	uint32_t hosts;
};

/* Write a group as the fields of an event `group` (solver_event.h), or read a
   group from these fields. If a field is missing, its member becomes 0. */
void apsp_plan_group_format(
	const struct apsp_plan_group *group, char out[APSP_PLAN_GROUP_SIZE]);
void apsp_plan_group_parse(const char *text, struct apsp_plan_group *out);

/* If several processes compute the distance matrix V together, each process
   computes a part: a range of rows. Return the unit of parts, in rows. Each
   part except the last has a multiple of this number of rows, so that it
   consists of whole source blocks and of whole tiles. */
uint32_t apsp_plan_part_unit(uint32_t n_vertices);

/* Return the largest number of rows of the distance matrix V that one process
   gets if `processes` processes compute V together. If the graph has too few
   rows to divide, or if there is only one process, return n_vertices, because
   one process then computes all rows. */
uint32_t apsp_plan_part_rows(uint32_t n_vertices, uint32_t processes);

struct apsp_plan_facts {
	struct apsp_workload work;
	struct apsp_plan_device device;
	struct apsp_rates rates;
	struct apsp_plan_group group;
	/* the seconds of earlier jobs; borrowed. NULL: the plan corrects no
	   estimates */
	const struct apsp_job_pace *pace;
	/* true: the profile asks for float32 distances, but distances will be
	   float64, because path sums did not fit float32 */
	bool sums_left_f32;
	/* true: the plan may let `multi-source` run in a contest with another
	   algorithm (apsp_plan.rival_s) */
	bool may_contest;
	/* if a contest with another algorithm has stopped `multi-source`: the
	   seconds after which it was stopped; otherwise 0 */
	double lost_s;
	bool solver_waits; /* a solver waits for a job, and the solver's device
			      is open */
	/* The memory that the waiting solver holds. If held.own_bytes is 0,
	   plans use rates.process_bytes in place of held.own_bytes. */
	struct apsp_held_memory held;
	/* bytes of usable host memory; APSP_PLAN_UNKNOWN: not known */
	uint64_t host_bytes;
	/* bytes of free disk for tables; APSP_PLAN_UNKNOWN: not known */
	uint64_t disk_bytes;
	/* The largest number of bytes that the table file is allowed to have;
	   0: not known. If all tables together have more bytes, the plan can
	   leave out tables (enum apsp_tables_kept). */
	uint64_t room_bytes;
};

#endif
