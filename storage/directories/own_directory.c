/*
 * Owners, modes, links and the marker; see own_directory.h.
 */
#include "storage/directories/own_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/directories/directory_layout.h"

static const char marker_text[] =
	"This directory belongs to apspd, which keeps its files here and "
	"removes\nthem again. What lies here without being apspd's is left "
	"alone.\n";

static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* A directory in which others could replace our files. */
static int access_check(
	const char *path, const struct stat *st, struct apsp_err *err)
{
	if (!S_ISDIR(st->st_mode))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' must be a directory, and is %s; move it away or "
			"choose another directory",
			path,
			S_ISLNK(st->st_mode) ? "a symbolic link" : "none");
	if (!is_trusted(st))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' belongs to user %u, and apspd runs as %u; choose "
			"another directory, or chown this one",
			path, (unsigned int)st->st_uid,
			(unsigned int)geteuid());
	if (st->st_mode & S_IWOTH)
		return apsp_fail(err, APSP_EUNUSABLE,
			"everybody may write to '%s' (mode %04o); chmod o-w "
			"it, "
			"or choose another directory",
			path, (unsigned int)st->st_mode & 07777);
	return 0;
}

/* A directory or file in ours: absent, or of the right kind and no link. */
static int below_check(const char *path, int fd, const char *name,
	bool directory, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *below = NULL;
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT
			       ? 0
			       : apsp_fail_errno(err, errno,
					 "look at '%s' in '%s'", name, path);
	if (asprintf(&below, "%s/%s", path, name) < 0) {
		below = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory for a path");
	}
	if (directory)
		return access_check(below, &st, err);
	if (!S_ISREG(st.st_mode))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' must be a file, and is %s; move it away or "
			"choose another directory",
			below,
			S_ISLNK(st.st_mode) ? "a symbolic link" : "none");
	if (!is_trusted(&st))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' belongs to user %u, and apspd runs as %u; chown "
			"it, or move it away",
			below, (unsigned int)st.st_uid,
			(unsigned int)geteuid());
	return 0;
}

static int contents_check(const char *path, int fd, struct apsp_err *err)
{
	static const char *const files[] = {APSP_OWN_DIRECTORY_MARKER,
		APSP_DIRECTORY_DATABASE, APSP_DIRECTORY_DATABASE "-wal",
		APSP_DIRECTORY_DATABASE "-shm",
		APSP_DIRECTORY_DATABASE "-journal"};
	int r;

	r = below_check(path, fd, APSP_DIRECTORY_TABLES, true, err);
	if (r == 0)
		r = below_check(path, fd, APSP_DIRECTORY_JOBS, true, err);
	for (size_t i = 0; r == 0 && i < sizeof(files) / sizeof(*files); i++)
		r = below_check(path, fd, files[i], false, err);
	return r;
}

static int layout_check(
	const char *path, const char *other, int fd, struct apsp_err *err)
{
	enum apsp_directory_layout layout;
	char stranger[256];
	int r = apsp_directory_layout_read(fd, other, &layout, stranger, err);

	if (r < 0 || layout != APSP_DIRECTORY_FOREIGN)
		return r;
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' holds '%.60s', which is not apspd's; choose another "
		"directory or, if this one is apspd's, put a file "
		"named " APSP_OWN_DIRECTORY_MARKER " into it",
		path, stranger);
}

/* The directory may be reached through a link, if nobody else made that. */
static int link_check(
	const char *path, const struct stat *st, struct apsp_err *err)
{
	if (!S_ISLNK(st->st_mode) || is_trusted(st))
		return 0;
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' is a symbolic link of user %u, and apspd runs as %u; "
		"name the directory itself",
		path, (unsigned int)st->st_uid, (unsigned int)geteuid());
}

int apsp_own_directory_check(const char *path, const char *other,
	bool *out_marked, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;
	bool marked;
	int r;

	*out_marked = false;
	if (lstat(path, &st) < 0)
		return errno == ENOENT
			       ? 0
			       : apsp_fail_errno(err, errno,
					 "look at the directory '%s'", path);
	r = link_check(path, &st, err);
	if (r < 0)
		return r;
	if (stat(path, &st) < 0)
		return apsp_fail_errno(
			err, errno, "look at the directory '%s'", path);
	r = access_check(path, &st, err);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return apsp_fail_errno(
			err, errno, "open the directory '%s'", path);
	r = contents_check(path, fd, err);
	if (r < 0)
		return r;
	marked = faccessat(fd, APSP_OWN_DIRECTORY_MARKER, F_OK, 0) == 0;
	if (!marked)
		r = layout_check(path, other, fd, err);
	if (r == 0)
		*out_marked = marked;
	return r;
}

int apsp_own_directory_mark(const char *path, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int dir = -1;
	APSP_AUTO(apsp_close) int fd = -1;

	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return apsp_fail_errno(
			err, errno, "open the directory '%s'", path);
	fd = openat(dir, APSP_OWN_DIRECTORY_MARKER,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return 0;
	if (fd < 0 || fsync(dir) < 0)
		return apsp_fail_errno(
			err, errno, "mark the directory '%s'", path);
	/* for people: without its text it is a marker all the same */
	if (write(fd, marker_text, sizeof(marker_text) - 1) < 0)
		return apsp_fail_errno(
			err, errno, "write to the marker of '%s'", path);
	return 0;
}
