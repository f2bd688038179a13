/*
 * Calls pread() or pwrite() until all bytes are read or written; see file.h.
 */
#include "daemon/base/file.h"

#include <errno.h>
#include <unistd.h>

ssize_t apsp_file_read(int fd, void *out, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)out + done, size - done,
			(off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int apsp_file_write(int fd, const void *data, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(fd, (const char *)data + done, size - done,
			(off_t)(offset + done));

		if (n == 0)
			errno = EIO;
		if (n == 0 || (n < 0 && errno != EINTR))
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
