/*
 * Counting blocks; see cache_use.h.
 */
#include "storage/directories/cache_use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/directories/directory_layout.h"

enum {
	STAT_BLOCK = 512, /* the unit of st_blocks, whatever the file system */
};

/*
 * Add up the files in directory `name` of `dir` and, `depth` levels down, in
 * its directories. A file that is removed meanwhile does not count. Returns 0
 * or an errno.
 */
static int bytes_add(int dir, const char *name, int depth, uint64_t *sum)
{
	APSP_AUTO(apsp_dir_close) DIR *below = NULL;
	const struct dirent *entry;
	struct stat st;
	int fd, r = 0;

	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : errno;
	below = fdopendir(fd);
	if (!below) {
		apsp_close(&fd);
		return ENOMEM;
	}
	while (r == 0 && (entry = readdir(below))) {
		if (strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0 ||
			fstatat(dirfd(below), entry->d_name, &st,
				AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			*sum += (uint64_t)st.st_blocks * STAT_BLOCK;
		else if (S_ISDIR(st.st_mode) && depth > 0)
			r = bytes_add(
				dirfd(below), entry->d_name, depth - 1, sum);
	}
	return r;
}

int apsp_cache_use_read(
	const char *cache_dir, struct apsp_cache_use *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct apsp_cache_use use = {0};
	int r;

	fd = open(cache_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? errno
		   : bytes_add(fd, APSP_DIRECTORY_TABLES, 0, &use.tables);
	if (r == 0)
		r = bytes_add(fd, APSP_DIRECTORY_JOBS, 1, &use.jobs);
	if (r != 0)
		return apsp_fail_errno(
			err, r, "measure what '%s' holds", cache_dir);
	*out = use;
	return 0;
}
