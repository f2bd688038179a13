/* The functions by which the worker of rows uses the storage. */
#ifndef APSP_COMPUTE_WORKER_ROW_OPS_H
#define APSP_COMPUTE_WORKER_ROW_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/row_batch.h"

/* daemon/links.c sets these functions. They are called on the thread of the
   worker of rows, and do not block. */
struct apsp_row_ops {
	void *ctx;

	/* Take rows to compute. False: no rows are wanted. */
	bool (*take)(void *ctx, struct apsp_row_batch *out);

	/* Give row i of the batch back. `bytes` is the row, from malloc().
	   NULL: the row could not be computed, and `why` is the error. Each row
	   that was taken is given back once. */
	void (*give)(void *ctx, struct apsp_row_batch *batch, uint32_t i,
		unsigned char *bytes, const struct apsp_err *why);
};

#endif
