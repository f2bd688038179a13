/*
 * How a group of processes (compute/group) shares the rows of one attempt. The
 * process of rank 0 plans, writes everything but rows to the table file, and
 * finishes the file. All processes take windows of rows, one after the other:
 * they compute V and predecessors, prove them and write them. An algorithm that
 * needs all rows at once runs on rank 0 alone, and the others wait.
 */
#ifndef APSP_COMPUTE_SOLVE_SHARED_ROWS_H
#define APSP_COMPUTE_SOLVE_SHARED_ROWS_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "compute/group/row_windows.h"
#include "compute/plan/plan.h"
#include "compute/tables/table_rows.h"
#include "daemon/base/err.h"

struct apsp_shared_rows {
	bool works;    /* this process has rows to compute */
	uint32_t unit; /* number of rows of a source block */
	/* empty: this process computes all rows, or none */
	struct apsp_row_windows windows;
	uint8_t *taken; /* for each window, 1 if this process has taken it, else
			   0; owned */
};

/* Give all processes the algorithm that rank 0 has chosen, and the tables that
   it keeps. `name` has at least APSP_ALGORITHM_SIZE bytes. If rank 0 has
   failed, what all get means nothing. Collective. */
void apsp_shared_rows_choice(char *name, enum apsp_tables_kept *tables);

/*
 * Divide n_vertices rows among the processes. `algorithm` is the chosen one;
 * `rows` is the number of rows that this process has room for, and `lanes` is
 * the number of rows that a processor computes at a time. The caller ends *out
 * with apsp_shared_rows_done(). Collective. APSP_ENOMEM.
 */
int apsp_shared_rows_divide(uint32_t n_vertices, const char *algorithm,
	const struct apsp_device *device, uint64_t rows, uint32_t lanes,
	struct apsp_shared_rows *out, struct apsp_err *err);
void apsp_shared_rows_done(struct apsp_shared_rows *shared);

/* The largest number of rows of a window; 0: the rows are not divided. */
uint32_t apsp_shared_rows_most(const struct apsp_shared_rows *shared);

/* Take the next window. False: none is left. */
bool apsp_shared_rows_next(struct apsp_shared_rows *shared, uint32_t *out_first,
	uint32_t *out_n_rows);

/*
 * All processes have written their rows, and none has failed. Bring what each
 * knows of its rows to `rows` of rank 0. Afterwards rank 0 can finish the
 * tables as if it had computed all rows. Collective. APSP_ENOMEM, APSP_EIO.
 */
int apsp_shared_rows_gather(const struct apsp_shared_rows *shared,
	struct apsp_table_rows *rows, struct apsp_err *err);

#endif
