/*
 * Files without a name; see unnamed_file.h.
 */
#include "daemon/base/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int apsp_unnamed_file_open(const char *dir)
{
	char name[4096];
	int fd, length;

	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	length = snprintf(name, sizeof(name), "%s/unnamed.XXXXXX", dir);
	if (length < 0 || (size_t)length >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}
