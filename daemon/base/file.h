/*
 * These functions read or write all `size` bytes of a part of a file, even if
 * one system call reads or writes fewer bytes. Signals do not end these
 * functions early.
 */
#ifndef APSP_DAEMON_BASE_FILE_H
#define APSP_DAEMON_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read `size` bytes at `offset`. Returns the number of bytes that were read,
 * which is less than `size` if the file ends too early. -1: reading failed, and
 * errno has the reason.
 */
ssize_t apsp_file_read(int fd, void *out, size_t size, uint64_t offset);

/* Write `size` bytes at `offset`. Returns 0. -1: writing failed, and errno has
   the reason. */
int apsp_file_write(int fd, const void *data, size_t size, uint64_t offset);

#endif
