/*
 * The writer thread's work while there is no command. It removes the rows of
 * deleted generations, attributes to which no generation refers, and the oldest
 * records of ended jobs. It returns free pages of the database to the
 * filesystem, and checkpoints the write-ahead log. It also checks table files
 * for damage (the scrub).
 */
#ifndef APSP_STORAGE_HOUSEKEEPING_H
#define APSP_STORAGE_HOUSEKEEPING_H

#include <stdbool.h>

/*
 * Do a short piece of housekeeping. `ctx` is a struct apsp_store; `loading` is
 * true while an upload is being stored. Returns the milliseconds until the next
 * call (struct apsp_writer_config).
 */
int apsp_housekeeping_run(void *ctx, bool loading);

#endif
