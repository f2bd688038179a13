/*
 * The writer thread's work while there is no command: it removes the rows of
 * dead generations and old jobs, gives free pages back, checkpoints, and checks
 * blocks of table files.
 */
#ifndef APSP_STORAGE_HOUSEKEEPING_H
#define APSP_STORAGE_HOUSEKEEPING_H

#include <stdbool.h>
#include <stdint.h>

struct apsp_store;

struct apsp_housekeeping {
	struct apsp_store *store; /* borrowed */
	int64_t scrub_at_ms;	  /* monotonic: when blocks are checked next */
};

/*
 * Do a short piece of that work; ctx is a struct apsp_housekeeping, and loading
 * is true while an upload is being stored. Returns when to call again (struct
 * apsp_writer_config).
 */
int apsp_housekeeping_run(void *ctx, bool loading);

#endif
