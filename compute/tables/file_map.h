/*
 * A file that is written through a shared mapping: no system call for each
 * piece, all processors at once, and its pages are made while the device
 * computes (README.md has figures).
 *
 * A page that cannot be had (a disk that is full or fails, a file that somebody
 * cut) is a SIGBUS. Where a thread of this room touches such a page, the
 * process's one handler takes it back out of that touch, and the caller writes
 * by pwrite(), which tells the error.
 */
#ifndef APSP_COMPUTE_TABLES_FILE_MAP_H
#define APSP_COMPUTE_TABLES_FILE_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	APSP_FILE_MAP_SHARE = 4 << 20, /* bytes whose pages are made together */
};

struct apsp_file_map {
	unsigned char *bytes; /* NULL: there is no mapping */
	size_t size;
};

/*
 * Map the first size bytes of fd, which has as many and may be closed
 * afterwards. False: the file system has no such mappings. The caller ends *out
 * with apsp_file_map_close().
 */
bool apsp_file_map_open(int fd, uint64_t size, struct apsp_file_map *out);
void apsp_file_map_close(struct apsp_file_map *map);

/* Which pages are to be made, and who is told. */
struct apsp_page_making {
	const uint32_t *shares; /* in this order */
	size_t n;
	const atomic_bool *stop;
	void (*made)(void *ctx, uint32_t share); /* by any thread */
	void *ctx;
};

/*
 * Make the pages of shares, on some processors. False: one cannot be had, or
 * *stop was set.
 */
bool apsp_file_map_populate(
	const struct apsp_file_map *map, const struct apsp_page_making *making);

/*
 * Write n blocks of a table file at offset; then, with an offset that is found
 * in another way, the checksums of what is there. Any thread may, at other
 * offsets. False: a page cannot be had.
 */
bool apsp_file_map_write(const struct apsp_file_map *map, uint64_t offset,
	const unsigned char *data, size_t n);
bool apsp_file_map_sum(const struct apsp_file_map *map, uint64_t offset,
	size_t n, uint64_t *out_checksums);

#endif
