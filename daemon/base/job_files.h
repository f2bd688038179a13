/*
 * What the files of a job take on the cache's disk.
 */
#ifndef APSP_DAEMON_BASE_JOB_FILES_H
#define APSP_DAEMON_BASE_JOB_FILES_H

#include <stdint.h>

#include "daemon/base/table_file.h"

/*
 * Bytes of the table file, with distances of this element, and of the graph
 * file of n_arcs uploaded arcs, but for its labels. UINT64_MAX: too many for a
 * file.
 */
uint64_t apsp_job_files_bytes(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

#endif
