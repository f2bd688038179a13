/*
 * Reading `size` bytes of a file, even if pread() reads fewer bytes at once.
 */
#ifndef APSP_DAEMON_BASE_FILE_READ_H
#define APSP_DAEMON_BASE_FILE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read `size` bytes at `offset`. Signals do not end the call early. Returns the
 * number of bytes that were read, which is less than `size` if the file ends
 * too early. -1: reading failed, and errno has the reason.
 */
ssize_t apsp_file_read(int fd, void *out, size_t size, uint64_t offset);

#endif
