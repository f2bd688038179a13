/*
 * The solver's steps without a device: a graph file's tables, by `reference`.
 */
#ifndef APSP_TESTS_HOST_TABLES_H
#define APSP_TESTS_HOST_TABLES_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/solve/prepared_graph.h"
#include "compute/solve/width_attempts.h"
#include "daemon/job/job.h"
#include "tests/fixture_check.h"

/* The labels of a negative cycle, as the solver tells them. */
static inline void host_tables_cycle(const struct apsp_graph *graph,
	const struct apsp_negative_cycle *cycle,
	struct apsp_job_failure *failure)
{
	char *end = calloc(cycle->n, 64);

	CHECK(end);
	failure->cycle = end;
	for (size_t i = 0; i < cycle->n; i++) {
		apsp_graph_label(graph, cycle->vertices[i], end, 64);
		end += strlen(end) + 1;
	}
	failure->cycle_size = (size_t)(end - failure->cycle);
}

/*
 * Write the tables to path. Returns 0, or a negative code with *failure, which
 * is empty before and ended with apsp_job_failure_done() after.
 */
static inline int host_tables_write(const char *graph_path, const char *path,
	struct apsp_job_failure *failure)
{
	struct apsp_prepared_graph prepared = {0};
	struct apsp_negative_cycle cycle = {0};
	struct apsp_progress progress;
	struct apsp_width_attempts attempt = {
		.prepared = &prepared,
		.algorithm = apsp_distance_algorithm_find("reference"),
		.progress = &progress,
		.path = path,
	};
	int r;

	apsp_progress_init(&progress, NULL, NULL);
	CHECK(apsp_prepared_graph_open(graph_path, &prepared, NULL) == 0);
	/* the table file's header has this name */
	strcpy(prepared.graph.profile.algorithm, "reference");
	r = apsp_prepared_graph_lengths(&prepared, &cycle, &failure->err);
	if (cycle.n)
		host_tables_cycle(&prepared.graph, &cycle, failure);
	free(cycle.vertices);
	if (r == 0)
		r = apsp_prepared_graph_closure(
			&prepared, NULL, NULL, &progress, &failure->err);
	if (r == 0)
		r = apsp_width_attempts_run(&attempt, &failure->err);
	apsp_prepared_graph_done(&prepared);
	return r;
}

#endif
