/*
 * A file that is written through a shared mapping: writing needs no system
 * call, all processors write at once, and the pages are made while the device
 * computes (compute/tables/README.md, The file).
 *
 * A page that cannot be had (the disk is full or fails, or somebody truncated
 * the file) raises SIGBUS. Where a thread of this room touches such a page, the
 * process's one handler jumps back out of the copy, and the caller writes by
 * pwrite(), which returns the error.
 */
#ifndef APSP_COMPUTE_TABLES_FILE_MAP_H
#define APSP_COMPUTE_TABLES_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/stop.h"

enum {
	APSP_FILE_MAP_SHARE = 4 << 20, /* bytes whose pages are made together */
};

struct apsp_file_map {
	unsigned char *bytes; /* NULL: there is no mapping */
	size_t size;
};

/*
 * Map the first size bytes of fd. The file must be at least as long; fd may be
 * closed afterwards. False: the file system has no shared mappings. The caller
 * ends *out with apsp_file_map_close().
 */
bool apsp_file_map_open(int fd, uint64_t size, struct apsp_file_map *out);
void apsp_file_map_close(struct apsp_file_map *map);

/* The pages to be made, and the function to be called for each share. */
struct apsp_page_making {
	const uint32_t *shares; /* in this order */
	size_t n;
	const struct apsp_stop *stop;
	void (*made)(void *ctx, uint32_t share); /* by any thread */
	void *ctx;
};

/*
 * Make the pages of the shares, in some threads. False: a page cannot be had,
 * or a stop was asked for.
 */
bool apsp_file_map_populate(
	const struct apsp_file_map *map, const struct apsp_page_making *making);

/*
 * Copy n blocks of a table file to offset. Any number of threads may write, at
 * different offsets. False: a page cannot be had.
 */
bool apsp_file_map_write(const struct apsp_file_map *map, uint64_t offset,
	const unsigned char *data, size_t n);

#endif
