/*
 * The disk space of a job: the bytes of the job's files, the largest number of
 * bytes that the files are allowed to have, and which tables the table file
 * holds.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_FILES_H
#define APSP_COMPUTE_PLAN_PLAN_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/plan_facts.h"

/* Return the number of bytes of the job's files together, if the table file
   holds the tables that `tables` names. */
uint64_t apsp_plan_files_bytes(
	const struct apsp_workload *work, enum apsp_tables_kept tables);

/* Return the largest number of bytes that the job's files together are allowed
   to have. */
uint64_t apsp_plan_files_room(const struct apsp_plan_facts *facts);

/* Return a lower bound of the bytes of a job's files together, if the table
   file holds at least one table of all pairs. */
uint64_t apsp_plan_files_least(uint64_t n_vertices, uint64_t n_arcs);

/*
 * Whether the job computes no tables, and rows are computed when they are asked
 * for: the rule says tables=none, or it does not say which tables, and even the
 * least possible tables have no room. `room_bytes` is the largest number of
 * bytes that the job's files together are allowed to have.
 */
bool apsp_plan_files_on_demand(uint64_t n_vertices, uint64_t n_arcs,
	const struct apsp_profile *rule, uint64_t room_bytes);

/*
 * Return which tables the table file will hold. If the profile says which
 * tables, the result is the profile's answer. Otherwise the result is the first
 * of these for which there is room: all tables, APSP_TABLES_DISTANCE,
 * APSP_TABLES_NONE.
 */
enum apsp_tables_kept apsp_plan_files_kept(const struct apsp_plan_facts *facts);

#endif
