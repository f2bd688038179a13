/*
 * Reading a part of a file whole.
 */
#ifndef APSP_DAEMON_BASE_FILE_READ_H
#define APSP_DAEMON_BASE_FILE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read size bytes at offset, past signals. Returns how many there are: fewer
 * where the file ends before. -1: see errno.
 */
ssize_t apsp_file_read(int fd, void *out, size_t size, uint64_t offset);

#endif
