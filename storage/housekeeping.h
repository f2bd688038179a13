/*
 * What the writer thread does when nobody asks for anything: remove the rows of
 * dead generations, trim old jobs, give pages back, checkpoint, check blocks of
 * table files.
 */
#ifndef APSP_STORAGE_HOUSEKEEPING_H
#define APSP_STORAGE_HOUSEKEEPING_H

#include <stdbool.h>

/*
 * Do a short piece; ctx is the store, loading tells that an upload is being
 * stored. Returns when to come again: see struct apsp_writer_config.
 */
int apsp_housekeeping_run(void *ctx, bool loading);

#endif
