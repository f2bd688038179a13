/*
 * The statistics of the self-test's graph, by the device and by the host.
 */
#ifndef APSP_COMPUTE_SOLVE_STATS_TEST_H
#define APSP_COMPUTE_SOLVE_STATS_TEST_H

#include <CL/cl.h>

#include "compute/graph/lengths.h"
#include "compute/tables/predecessors.h"
#include "compute/tables/sums_device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* All rows of a table, on the device and on the host; all borrowed. */
struct apsp_stats_test {
	const struct apsp_predecessors *predecessors;
	const struct apsp_sums_device *sums;
	const struct apsp_lengths *lengths;
	enum apsp_distance_kind kind;
	enum apsp_element element;
	cl_mem rows;
	void *row_values;
	const void *tails;
	cl_mem words; /* that apsp_sums_device_rows() filled */
	const uint32_t *word_values;
	struct apsp_sums_at at;
};

/* APSP_EDEVICE: the device makes other statistics; APSP_ELIMIT, APSP_ENOMEM. */
int apsp_stats_test_run(
	const struct apsp_stats_test *test, struct apsp_err *err);

#endif
