/*
 * The disk space that the files of a job need.
 */
#ifndef APSP_DAEMON_BASE_JOB_FILES_H
#define APSP_DAEMON_BASE_JOB_FILES_H

#include <stdint.h>

#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

/*
 * The bytes of two files: the table file with distances and predecessors of
 * these types (apsp_rank_element()), and the graph file of n_arcs uploaded
 * arcs, without its labels. If `tables` is APSP_TABLES_DISTANCE, one
 * of the two tables is absent (table_file.h); for APSP_TABLES_AUTO, the smaller
 * size is returned. UINT64_MAX: too many for a file.
 */
uint64_t apsp_job_files_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, enum apsp_element predecessor,
	enum apsp_tables_kept tables);

#endif
