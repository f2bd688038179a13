/*
 * The disk space that the files of a job need.
 */
#ifndef APSP_DAEMON_JOB_JOB_FILES_H
#define APSP_DAEMON_JOB_JOB_FILES_H

#include <stdint.h>

#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

/*
 * Return how many bytes a job's graph file and table file have together. The
 * graph file has n_arcs uploaded arcs; its labels do not count. `distance` and
 * `predecessor` (apsp_rank_element()) are the types of the elements in the
 * table file. If `tables` is APSP_TABLES_DISTANCE, the table file has only one
 * of the distance table and the predecessor table (apsp_table_dispensable()).
 * If `tables` is APSP_TABLES_AUTO, the result is the smaller of the sizes with
 * APSP_TABLES_ALL and APSP_TABLES_DISTANCE. UINT64_MAX: the size overflows, or
 * n_vertices is more than tables can have.
 */
uint64_t apsp_job_files_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, enum apsp_element predecessor,
	enum apsp_tables_kept tables);

/*
 * Whether a job computes no tables, so that rows are computed on demand. The
 * result is true if the rule says APSP_TABLES_NONE. The result is also true if
 * the rule says APSP_TABLES_AUTO and asks for no measures, and the smallest
 * possible tables need more than capacity_bytes. capacity_bytes is the largest
 * size of a job's files in an empty cache.
 */
bool apsp_job_files_on_demand(uint64_t n_vertices, uint64_t n_arcs,
	const struct apsp_profile *rule, uint64_t capacity_bytes);

/* Return the least number of bytes that the files of a job with tables can
   have. */
uint64_t apsp_job_files_least(uint64_t n_vertices, uint64_t n_arcs);

#endif
