/*
 * The disk space that the files of a job need.
 */
#ifndef APSP_DAEMON_BASE_JOB_FILES_H
#define APSP_DAEMON_BASE_JOB_FILES_H

#include <stdint.h>

#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

/*
 * Return the number of bytes of two files together: the graph file of n_arcs
 * uploaded arcs, without its labels, and the table file whose distances and
 * predecessors have these types (apsp_rank_element()). If `tables` is
 * APSP_TABLES_DISTANCE, the table file has only one of the two tables
 * (apsp_table_dispensable()). If `tables` is APSP_TABLES_AUTO, the result is
 * the smaller of the sizes with one table and with both. UINT64_MAX: a file
 * cannot have so many bytes.
 */
uint64_t apsp_job_files_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, enum apsp_element predecessor,
	enum apsp_tables_kept tables);

#endif
