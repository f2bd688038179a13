/*
 * A batch of rows to be computed on demand. `storage` fills the batch, and
 * `compute/worker` passes it to the solver.
 */
#ifndef APSP_DAEMON_JOB_ROW_BATCH_H
#define APSP_DAEMON_JOB_ROW_BATCH_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/job/table_file.h"

enum {
	APSP_ROW_BATCH_MAX = 64, /* largest number of rows in a batch */
	APSP_ROW_BATCH_ID_SIZE = 33,
};

struct apsp_row_batch {
	char path[PATH_MAX]; /* the table file */
	/* a text that identifies the contents of the table file */
	char tables[APSP_ROW_BATCH_ID_SIZE];
	uint64_t file_bytes;
	enum apsp_demand demand;
	/* size in bytes of each row: apsp_demand_bytes() for `demand` */
	size_t row_bytes;
	/* the largest value of apsp_demand_bytes() over all kinds (enum
	   apsp_demand) */
	size_t most_bytes;
	uint32_t n;
	uint32_t vertices[APSP_ROW_BATCH_MAX];
	/* for each row of the batch, the struct in which storage/rows keeps the
	   row (row_cache.c) */
	void *rows[APSP_ROW_BATCH_MAX];
};

#endif
