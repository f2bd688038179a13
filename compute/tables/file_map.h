/*
 * Writes a file through a shared mapping. With a mapping, a write needs no
 * system call, and all processors can write at the same time
 * (compute/tables/README.md, The file).
 *
 * Writing to a page raises SIGBUS if the kernel cannot allocate the page. The
 * reason is a full disk, a disk error, or a file that somebody truncated. The
 * handler in file_map.c then ends the copy, and the caller writes by pwrite(),
 * which returns the error.
 */
#ifndef APSP_COMPUTE_TABLES_FILE_MAP_H
#define APSP_COMPUTE_TABLES_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct apsp_file_map {
	unsigned char *bytes; /* NULL: there is no mapping */
	size_t size;
};

/*
 * Map the first `size` bytes of the file `fd`, which must have at least `size`
 * bytes. `fd` may be closed afterwards. False: the file cannot be mapped, for
 * example because its file system does not support shared mappings. The caller
 * ends *out with apsp_file_map_close().
 */
bool apsp_file_map_open(int fd, uint64_t size, struct apsp_file_map *out);
void apsp_file_map_close(struct apsp_file_map *map);

/*
 * Copy n blocks of a table file into the mapping, at `offset`. Any number of
 * threads may write at different offsets at the same time. False: the kernel
 * cannot allocate a page.
 */
bool apsp_file_map_write(const struct apsp_file_map *map, uint64_t offset,
	const unsigned char *data, size_t n);

#endif
