/* Making, emptying and removing directories; see job_dir.h. */
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
	/* Directories that are nested more deeply than this are not removed.
	   The solver writes only files into a job's directory, but drivers
	   sometimes leave a few levels of directories. */
	DEPTH_MAX = 8,
	ID_SIZE = 24, /* largest size of a slash, a job's number and a NUL, in
			 bytes */
};

/* Open the directory `name`, which is in directory `at`. Returns 0 or an errno;
   ENOTDIR, ELOOP: `name` is a file or a link. */
static int dir_open(int at, const char *name, DIR **out)
{
	int fd = openat(
		at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return errno;
	*out = fdopendir(fd);
	if (*out)
		return 0;
	r = errno;
	close(fd);
	return r;
}

/*
 * Remove the directory `path`, which is in directory `at`, with its content.
 * Returns 0 or an errno; ENOTDIR, ELOOP: `path` is a file or a link.
 */
static int tree_remove(int at, const char *path, int depth)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;
	int r = dir_open(at, path, &dir);

	while (r == 0 && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			unlinkat(dirfd(dir), name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM)
			r = errno;
		else
			r = depth == DEPTH_MAX
				    ? ELOOP
				    : tree_remove(dirfd(dir), name, depth + 1);
	}
	if (r == 0 && unlinkat(at, path, AT_REMOVEDIR) < 0)
		r = errno;
	return r;
}

/* Whether `name` is the number of a job. apsp_job_dir_make() gives such names
   to directories. */
static bool is_job(const char *name)
{
	return *name >= '1' && *name <= '9' &&
	       name[strspn(name, "0123456789")] == '\0';
}

/* Remove the jobs' directories in the directory `path`. All other entries stay.
   Returns 0 or an errno. */
static int jobs_remove(const char *path)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;
	int r = dir_open(AT_FDCWD, path, &dir);

	while (r == 0 && (entry = readdir(dir))) {
		if (!is_job(entry->d_name))
			continue;
		r = tree_remove(dirfd(dir), entry->d_name, 0);
		if (r == ENOTDIR || r == ELOOP)
			r = 0;
	}
	return r;
}

/* Make the directory <cache_dir>/jobs, unless it exists, and store its path in
   `out`. The path leaves space in `out` for a slash and a job's number. */
static int jobs_make(const char *cache_dir, char out[APSP_JOB_PATH_SIZE],
	struct apsp_err *err)
{
	if (snprintf(out, APSP_JOB_PATH_SIZE, "%s/jobs", cache_dir) >=
		APSP_JOB_PATH_SIZE - ID_SIZE)
		return apsp_fail(err, APSP_EIO,
			"the cache directory's name is too long");
	if (mkdir(out, 0700) < 0 && errno != EEXIST)
		return apsp_fail_errno(err, errno, "make '%s'", out);
	return 0;
}

int apsp_job_dir_prepare(const char *cache_dir, struct apsp_err *err)
{
	char path[APSP_JOB_PATH_SIZE];
	int r = jobs_make(cache_dir, path, err);

	if (r < 0)
		return r;
	r = jobs_remove(path);
	return r == 0 ? 0 : apsp_fail_errno(err, r, "empty '%s'", path);
}

int apsp_job_dir_make(const char *cache_dir, uint64_t id,
	char out[APSP_JOB_PATH_SIZE], struct apsp_err *err)
{
	/* <cache_dir>/jobs may be missing, because a user who empties the cache
	   also removes this directory */
	int r = jobs_make(cache_dir, out, err);

	if (r < 0)
		return r;
	snprintf(out + strlen(out), ID_SIZE, "/%" PRIu64, id);
	r = mkdir(out, 0700) < 0 ? errno : 0;
	if (r == EEXIST) {
		r = tree_remove(AT_FDCWD, out, 0);
		if (r == 0 && mkdir(out, 0700) < 0)
			r = errno;
	}
	return r == 0 ? 0 : apsp_fail_errno(err, r, "make '%s' empty", out);
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
	int r = tree_remove(AT_FDCWD, path, 0);

	if (r != 0)
		return apsp_fail_errno(err, r, "remove '%s'", path);
	return 0;
}
