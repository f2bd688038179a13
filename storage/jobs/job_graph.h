/*
 * Writes a job's graph as a file for the solver.
 */
#ifndef APSP_STORAGE_JOBS_JOB_GRAPH_H
#define APSP_STORAGE_JOBS_JOB_GRAPH_H

#include "daemon/base/err.h"
#include "daemon/job/job.h"
#include "daemon/base/stop.h"

struct apsp_store;

/*
 * Write the job's graph to `path`, a file named "graph", as a graph file
 * (daemon/job/graph_file.h). If a bundle has brought the job's tables, the file
 * "tables" in the same directory becomes a link to these tables
 * (received_tables.h). The call runs on the worker's thread, and needs memory
 * for one chunk of arcs. `stop`, if it is not NULL, is checked before each
 * chunk. After an error, part of the file may exist. APSP_ECANCELLED: a stop
 * was asked for, or the graph was deleted. APSP_EROW: the graph cannot be read,
 * or its labels and arcs have changed since they were stored. APSP_EDB,
 * APSP_ENOSPACE, APSP_EIO.
 */
int apsp_job_graph_write(struct apsp_store *store,
	const struct apsp_job_spec *job, const char *path,
	const struct apsp_stop *stop, struct apsp_err *err);

#endif
