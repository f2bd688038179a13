/*
 * How much disk the tables of a cache directory take, those that are being
 * computed included.
 */
#ifndef APSP_STORAGE_DIRECTORIES_CACHE_USE_H
#define APSP_STORAGE_DIRECTORIES_CACHE_USE_H

#include <stdint.h>

#include "daemon/base/err.h"

/* Bytes on disk. */
struct apsp_cache_use {
	uint64_t tables; /* tables/: served, or about to be */
	uint64_t jobs;	 /* jobs/: of the job that runs */
};

/*
 * Look at every file in cache_dir's tables/ and in its jobs' directories: a
 * microsecond a file. Compiled kernels do not count. What is absent counts as
 * empty. Any thread. APSP_EIO.
 */
int apsp_cache_use_read(const char *cache_dir, struct apsp_cache_use *out,
	struct apsp_err *err);

#endif
