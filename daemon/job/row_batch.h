/*
 * A batch of rows that are to be computed on demand. The storage fills the
 * batch, and the worker has these rows computed.
 */
#ifndef APSP_DAEMON_JOB_ROW_BATCH_H
#define APSP_DAEMON_JOB_ROW_BATCH_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/job/table_file.h"

enum {
	APSP_ROW_BATCH_MAX = 64, /* largest number of rows */
	APSP_ROW_BATCH_ID_SIZE = 33,
};

struct apsp_row_batch {
	char path[PATH_MAX];		     /* the table file */
	char tables[APSP_ROW_BATCH_ID_SIZE]; /* identifies its contents */
	uint64_t file_bytes;
	enum apsp_demand demand;
	size_t row_bytes; /* apsp_demand_bytes() */
	/* the largest apsp_demand_bytes() that any enum apsp_demand gives */
	size_t most_bytes;
	uint32_t n;
	uint32_t vertices[APSP_ROW_BATCH_MAX];
	void *rows[APSP_ROW_BATCH_MAX]; /* for the storage */
};

#endif
