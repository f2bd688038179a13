/*
 * The disk space of a job: the bytes of its files, the room that they may take,
 * and which tables the table file holds.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_FILES_H
#define APSP_COMPUTE_PLAN_PLAN_FILES_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/plan_facts.h"

/* Return the number of bytes of the job's files if the table file holds the
   tables that `tables` names. */
uint64_t apsp_plan_files_bytes(
	const struct apsp_workload *work, enum apsp_tables_kept tables);

/* Return the largest number of bytes that the job's files may have. */
uint64_t apsp_plan_files_room(const struct apsp_plan_facts *facts);

/* Return which tables the table file will hold: those that the profile asks
   for. If it leaves the choice to us, all tables, or fewer if there is no room
   for all. */
enum apsp_tables_kept apsp_plan_files_kept(const struct apsp_plan_facts *facts);

#endif
