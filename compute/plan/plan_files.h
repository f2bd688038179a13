/*
 * The disk space of a job: the bytes of the job's files, the largest number of
 * bytes that the files are allowed to have, and which tables the table file
 * holds.
 */
#ifndef APSP_COMPUTE_PLAN_PLAN_FILES_H
#define APSP_COMPUTE_PLAN_PLAN_FILES_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/plan_facts.h"

/* Return the total number of bytes of the job's files if the table file holds
   the tables that `tables` names. */
uint64_t apsp_plan_files_bytes(
	const struct apsp_workload *work, enum apsp_tables_kept tables);

/* Return the largest total number of bytes that the job's files are allowed to
   have. */
uint64_t apsp_plan_files_room(const struct apsp_plan_facts *facts);

/*
 * Return which tables the table file will hold. The first condition that is
 * true decides:
 *
 *	condition                                           result
 *	the profile names the tables                        these tables
 *	the profile asks for betweenness                    APSP_TABLES_ALL
 *	the smallest tables exceed work.capacity_bytes      APSP_TABLES_NONE
 *	there is room for all tables                        APSP_TABLES_ALL
 *	there is not room for all tables                    APSP_TABLES_DISTANCE
 */
enum apsp_tables_kept apsp_plan_files_kept(const struct apsp_plan_facts *facts);

#endif
