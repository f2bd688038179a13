/*
 * Shares the rows of one attempt among a group of processes (compute/group).
 * The process of rank 0 plans, writes everything but rows to the table file,
 * and finishes the file. Each process takes one window of rows after the other.
 * For each window, it computes, proves and writes the rows of the distance
 * matrix V and of predecessors.
 *
 * The algorithm `blocked-fw` needs all rows at once. Each process has one
 * window, which is its part of V, and all processes compute V together. Then
 * each process finds and proves the predecessors of its window, and writes them
 * and its rows of V. Any other algorithm that needs all rows at once runs only
 * in the process of rank 0, and the other processes wait.
 */
#ifndef APSP_COMPUTE_SOLVE_SHARED_ROWS_H
#define APSP_COMPUTE_SOLVE_SHARED_ROWS_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "compute/distance/task.h"
#include "compute/group/row_windows.h"
#include "compute/plan/plan.h"
#include "compute/tables/table_rows.h"
#include "daemon/base/err.h"

struct apsp_shared_rows {
	bool works;    /* true: this process computes rows */
	uint32_t unit; /* number of rows of a source block (source_block.h) */
	/* the windows into which all rows are divided; empty: the process of
	   rank 0 computes all rows, and the other processes compute none */
	struct apsp_row_windows windows;
	uint8_t *taken; /* for each window, 1 if this process has taken it, else
			   0; owned */
	/* the processes compute the distance matrix together, and window i is
	   the part of the process of rank i */
	bool together;
	/* if `together` is set: the parts of the distance matrix; the array
	   group.ends is owned */
	struct apsp_task_group group;
};

/*
 * Divide n_vertices rows among the processes. `estimate` is the estimate that
 * this process has made for the chosen algorithm; it is NULL if this process
 * has no memory for rows. The process of rank 0 computes all rows in three
 * cases: the algorithm cannot be shared; a process has no memory for rows; or
 * there are too few vertices for windows or parts. The caller ends *out with
 * apsp_shared_rows_done(). All processes must call this function. APSP_ENOMEM.
 */
int apsp_shared_rows_divide(uint32_t n_vertices,
	const struct apsp_estimate *estimate, const struct apsp_device *device,
	struct apsp_shared_rows *out, struct apsp_err *err);
void apsp_shared_rows_done(struct apsp_shared_rows *shared);

/*
 * Call this when all processes have written their rows, and none has failed.
 * All processes must call this function. The processes of other ranks send
 * their statistics, and everything else that the process of rank 0 needs to
 * finish the file. This process adds the received data to `rows`. Afterwards it
 * can finish the tables as if it had computed all rows. *finite is the number
 * of finite distances that this process has counted; in the process of rank 0,
 * the numbers of the other processes are added to it. If this function fails,
 * all processes of the group end. APSP_EBUG, APSP_EPROOF: the process of rank 0
 * has received wrong data. APSP_ENOMEM.
 */
int apsp_shared_rows_gather(const struct apsp_shared_rows *shared,
	struct apsp_table_rows *rows, uint64_t *finite, struct apsp_err *err);

#endif
