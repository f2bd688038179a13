/* The functions by which the thread of row_worker.h uses the storage. */
#ifndef APSP_COMPUTE_WORKER_ROW_OPS_H
#define APSP_COMPUTE_WORKER_ROW_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/row_batch.h"

struct apsp_row_cache;

/* daemon/main.c sets these functions, which belong to storage/rows. The
   functions are called on the thread of row_worker.h, and do not block. The
   worker knows nothing about `cache`, and only passes it on. */
struct apsp_row_ops {
	struct apsp_row_cache *cache;

	/* Store in *out the next rows to compute. False: no rows are wanted. */
	bool (*take)(struct apsp_row_cache *cache, struct apsp_row_batch *out);

	/* Give row i of the batch back to the cache. `bytes` has the row, in
	   memory from malloc(). NULL: the row could not be computed, and `why`
	   is the error. Each row that was taken is given back once. */
	void (*give)(struct apsp_row_cache *cache, struct apsp_row_batch *batch,
		uint32_t i, unsigned char *bytes, const struct apsp_err *why);
};

#endif
