/*
 * Directories; see directory.h.
 */
#include "storage/directories/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"

static int one_make(const char *path, struct apsp_err *err)
{
	struct stat st;

	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno == EEXIST) {
		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	return apsp_fail_errno(
		err, errno, "cannot make the directory '%s'", path);
}

int apsp_directory_make(const char *path, struct apsp_err *err)
{
	char part[PATH_MAX];
	struct stat st;
	int r = 0;

	if (strlen(path) >= sizeof(part))
		return apsp_fail(
			err, APSP_EIO, "the directory's name is too long");
	/* if the directory exists, there is nothing to make */
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	strcpy(part, path);
	for (char *c = part + 1; *c && r == 0; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		if (stat(part, &st) < 0)
			r = one_make(part, err);
		*c = '/';
	}
	return r < 0 ? r : one_make(part, err);
}

int apsp_directory_sync(const char *path, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0)
		return apsp_fail_errno(
			err, errno, "cannot sync the directory '%s'", path);
	return 0;
}
