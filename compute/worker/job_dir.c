/*
 * Making, emptying and removing; see job_dir.h.
 */
#include "compute/worker/job_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	/* Ours have no directories; what a driver leaves there is not deep. */
	DEPTH_MAX = 8,
};

/* Remove all that is in directory fd, and close fd. Returns 0 or an errno. */
static int dir_empty(int fd, int depth)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;

	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return errno;
	}
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;
		int below, r;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (unlinkat(dirfd(dir), name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM)
			return errno;
		if (depth == DEPTH_MAX)
			return ELOOP;
		below = openat(dirfd(dir), name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			return errno;
		r = dir_empty(below, depth + 1);
		if (r != 0)
			return r;
		if (unlinkat(dirfd(dir), name, AT_REMOVEDIR) < 0)
			return errno;
	}
	return 0;
}

static int path_empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? errno : dir_empty(fd, 0);
}

static int dir_make(const char *path, struct apsp_err *err)
{
	int r;

	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno != EEXIST)
		return apsp_fail_errno(err, errno, "make '%s'", path);
	r = path_empty(path);
	if (r != 0)
		return apsp_fail_errno(err, r, "empty '%s'", path);
	return 0;
}

/* Whether this is a name that apsp_job_dir_make() gives. */
static bool is_job(const char *name)
{
	return *name >= '1' && *name <= '9' &&
	       name[strspn(name, "0123456789")] == '\0';
}

/*
 * Remove the jobs' directories in directory fd, and close fd. What is neither
 * named as we name them nor a directory is not ours. Returns 0 or an errno.
 */
static int jobs_remove(int fd)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;

	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return errno;
	}
	while ((entry = readdir(dir))) {
		int job, r;

		if (!is_job(entry->d_name))
			continue;
		job = openat(dirfd(dir), entry->d_name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (job < 0 && (errno == ENOTDIR || errno == ELOOP))
			continue;
		r = job < 0 ? errno : dir_empty(job, 0);
		if (r == 0 &&
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) < 0)
			r = errno;
		if (r != 0)
			return r;
	}
	return 0;
}

int apsp_job_dir_prepare(const char *cache_dir, struct apsp_err *err)
{
	char path[APSP_JOB_PATH_SIZE];
	int fd, r;

	if (snprintf(path, sizeof(path), "%s/jobs", cache_dir) >=
		(int)sizeof(path))
		return apsp_fail(err, APSP_EIO,
			"the cache directory's name is too long");
	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno != EEXIST)
		return apsp_fail_errno(err, errno, "make '%s'", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? errno : jobs_remove(fd);
	if (r != 0)
		return apsp_fail_errno(err, r, "empty '%s'", path);
	return 0;
}

int apsp_job_dir_make(const char *cache_dir, uint64_t id,
	char out[APSP_JOB_PATH_SIZE], struct apsp_err *err)
{
	char path[APSP_JOB_PATH_SIZE];
	int r;

	if (snprintf(path, sizeof(path), "%s/jobs/%" PRIu64, cache_dir, id) >=
		(int)sizeof(path))
		return apsp_fail(err, APSP_EIO,
			"the cache directory's name is too long");
	/* a user who empties the cache removes <cache_dir>/jobs too */
	*strrchr(path, '/') = '\0';
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return apsp_fail_errno(err, errno, "make '%s'", path);
	path[strlen(path)] = '/';
	r = dir_make(path, err);
	if (r < 0)
		return r;
	memcpy(out, path, sizeof(path));
	return 0;
}

uint64_t apsp_job_dir_bytes(const char *cache_dir, uint64_t id)
{
	static const char *const names[] = {"graph", "tables"};
	uint64_t bytes = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[APSP_JOB_PATH_SIZE];
		struct stat st;

		if (snprintf(path, sizeof(path), "%s/jobs/%" PRIu64 "/%s",
			    cache_dir, id, names[i]) < (int)sizeof(path) &&
			lstat(path, &st) == 0)
			bytes += (uint64_t)st.st_blocks * 512;
	}
	return bytes;
}

int apsp_job_dir_remove(const char *path, struct apsp_err *err)
{
	int r = path_empty(path);

	if (r == 0 && rmdir(path) < 0)
		r = errno;
	if (r != 0)
		return apsp_fail_errno(err, r, "remove '%s'", path);
	return 0;
}
