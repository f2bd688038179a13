/*
 * Checks owners, modes, links, the marker and names of files; see
 * own_directory.h.
 */
#include "storage/directories/own_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/job/table_file.h"
#include "storage/database/database.h"
#include "storage/tables/table_name.h"

static const char marker_text[] =
	"This directory belongs to apspd, which creates and removes files "
	"here.\nIt does not change files of other programs.\n";

static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Refuse a directory that belongs to another user, or into which every user can
   write, because other users could replace our files there. */
static int access_check(
	const char *path, const struct stat *st, struct apsp_err *err)
{
	if (!S_ISDIR(st->st_mode))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' must be a directory, but is %s; move it away or "
			"choose another directory",
			path,
			S_ISLNK(st->st_mode) ? "a symbolic link" : "not one");
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

/* Check a file or directory inside our directory: it must be absent, or be of
   the right kind and not a link. */
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
			"'%s' must be a file, but is %s; move it away or "
			"choose another directory",
			below,
			S_ISLNK(st.st_mode) ? "a symbolic link" : "not one");
	if (!is_trusted(&st))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' belongs to user %u, and apspd runs as %u; chown "
			"it, or move it away",
			below, (unsigned int)st.st_uid,
			(unsigned int)geteuid());
	return 0;
}

static bool name_begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static bool is_regular(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode);
}

/* Whether `name` is a table file: it is named <id>.apsp and has the first bytes
   of a table file. */
static bool is_table(int dir, const char *name)
{
	APSP_AUTO(apsp_close) int fd = -1;
	char magic[sizeof(((struct apsp_table_header *)0)->magic)];

	if (!apsp_table_name_matches(name) || !is_regular(dir, name))
		return false;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 &&
	       read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, APSP_TABLE_MAGIC, sizeof(magic)) == 0;
}

/* Whether `name` is a file that the worker or the solver puts into a job's
   directory. */
static bool is_job_file(int dir, const char *name)
{
	return (strcmp(name, "graph") == 0 || strcmp(name, "tables") == 0) &&
	       is_regular(dir, name);
}

/*
 * Whether `name` is a directory (not a link to one), and known() accepts each
 * of its files.
 */
static bool all_known(
	int dir, const char *name, bool (*known)(int dir, const char *name))
{
	APSP_AUTO(apsp_dir_close) DIR *below = NULL;
	const struct dirent *entry;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	below = fd < 0 ? NULL : fdopendir(fd);
	if (!below) {
		apsp_close(&fd);
		return false;
	}
	while ((entry = readdir(below)))
		if (strcmp(entry->d_name, ".") != 0 &&
			strcmp(entry->d_name, "..") != 0 &&
			!known(dirfd(below), entry->d_name))
			return false;
	return true;
}

/* Whether `name` is the directory of a job: its name is the id of a job, and it
   contains only files of jobs. */
static bool is_job(int dir, const char *name)
{
	return *name >= '1' && *name <= '9' &&
	       name[strspn(name, "0123456789")] == '\0' &&
	       all_known(dir, name, is_job_file);
}

bool apsp_own_directory_received(const char *name,
	char revision[APSP_HASH_SIZE], char hash[APSP_HASH_SIZE],
	uint64_t *generation)
{
	static const char digits[] = "0123456789abcdef";
	const size_t size = APSP_HASH_SIZE - 1;
	const char *rest;

	if (strspn(name, digits) != size || name[size] != '-' ||
		strspn(name + size + 1, digits) != size)
		return false;
	rest = name + 2 * size + 1;
	if (*rest == '-')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (*rest != '.')
		return false;
	*generation = strtoull(name + 2 * size + 2, NULL, 10);
	memcpy(revision, name, size);
	memcpy(hash, name + size + 1, size);
	revision[size] = hash[size] = '\0';
	return true;
}

/* Whether `name` is a table file from a bundle: its name begins with the hashes
   of a revision and a rule, or with "upload-" while it arrives. */
static bool is_received(int dir, const char *name)
{
	char revision[APSP_HASH_SIZE], hash[APSP_HASH_SIZE];
	uint64_t generation;

	return (apsp_own_directory_received(
			name, revision, hash, &generation) ||
		       (name_begins(name, "upload-") &&
			       strlen(name) == strlen("upload-XXXXXX"))) &&
	       is_regular(dir, name);
}

/* The subdirectories in which apspd removes files. known() says whether an
   entry of the subdirectory is one of apspd's. */
static const struct directory {
	const char *name;
	bool (*known)(int dir, const char *name);
} directories[] = {
	{APSP_DIRECTORY_TABLES, is_table},
	{APSP_DIRECTORY_JOBS, is_job},
	{APSP_DIRECTORY_RECEIVED, is_received},
};

enum {
	N_DIRECTORIES = sizeof(directories) / sizeof(*directories),
};

static const struct directory *directory_find(const char *name)
{
	for (int i = 0; i < N_DIRECTORIES; i++)
		if (strcmp(name, directories[i].name) == 0)
			return &directories[i];
	return NULL;
}

static bool is_known(int dir, const char *name)
{
	/* directories in which the OpenCL drivers and the solver keep their
	   caches; apspd removes nothing in them */
	static const char *const caches[] = {
		"kernels", "pocl-kernels", "xdg", "cuda"};
	const struct directory *directory = directory_find(name);

	if (directory)
		return all_known(dir, name, directory->known);
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++)
		if (strcmp(name, caches[i]) == 0)
			return true;
	/* accept the database, the files that SQLite makes beside it, and the
	   temporary files of unfinished uploads */
	return (strcmp(name, APSP_DIRECTORY_DATABASE) == 0 ||
		       name_begins(name, APSP_DIRECTORY_DATABASE "-") ||
		       name_begins(name, "unnamed.")) &&
	       is_regular(dir, name);
}

/* Whether `name` in the directory `dir` is the same directory as `path`. */
static bool is_directory(int dir, const char *name, const char *path)
{
	struct stat st, other;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode) && stat(path, &other) == 0 &&
	       st.st_dev == other.st_dev && st.st_ino == other.st_ino;
}

/* Whether the directory has a database with our application id. */
static bool has_our_database(int dir)
{
	static const unsigned char id[4] = {APSP_APPLICATION_ID >> 24,
		APSP_APPLICATION_ID >> 16 & 0xff,
		APSP_APPLICATION_ID >> 8 & 0xff, APSP_APPLICATION_ID & 0xff};
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char found[4];

	if (!is_regular(dir, APSP_DIRECTORY_DATABASE))
		return false;
	fd = openat(dir, APSP_DIRECTORY_DATABASE,
		O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 &&
	       pread(fd, found, sizeof(found), APSP_APPLICATION_AT) ==
		       (ssize_t)sizeof(found) &&
	       memcmp(found, id, sizeof(id)) == 0;
}

/*
 * Refuse the directory at `path`, whose descriptor is `fd`, if it contains a
 * foreign file (a file that is not apspd's). The subdirectories that the array
 * `directories` lists must not contain foreign files either. If the directory
 * has our database, only these subdirectories are checked. `other` is the path
 * of apspd's second directory, which may be absent, or may lie in this
 * directory.
 */
static int layout_check(
	const char *path, const char *other, int fd, struct apsp_err *err)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ours = has_our_database(fd);

	dir = own < 0 ? NULL : fdopendir(own);
	if (!dir) {
		apsp_close(&own);
		return apsp_fail_errno(err, errno, "read the directory");
	}
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			strcmp(name, "lost+found") == 0 || is_known(fd, name) ||
			/* accept foreign files beside our database: outside of
			   `directories`, apspd removes only files whose names
			   apspd has chosen */
			(ours && !directory_find(name)) ||
			is_directory(fd, name, other))
			continue;
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' contains '%.60s', which is not apspd's; choose "
			"another directory or, if this one is apspd's, put a "
			"file named " APSP_OWN_DIRECTORY_MARKER " into it",
			path, name);
	}
	return 0;
}

int apsp_own_directory_check(const char *path, const char *other,
	bool *out_marked, struct apsp_err *err)
{
	static const char *const files[] = {APSP_OWN_DIRECTORY_MARKER,
		APSP_DIRECTORY_DATABASE, APSP_DIRECTORY_DATABASE "-wal",
		APSP_DIRECTORY_DATABASE "-shm",
		APSP_DIRECTORY_DATABASE "-journal"};
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
	/* refuse a link that another user can change */
	if (S_ISLNK(st.st_mode) && !is_trusted(&st))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is a symbolic link of user %u, and apspd runs as "
			"%u; name the directory itself",
			path, (unsigned int)st.st_uid, (unsigned int)geteuid());
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
	for (int i = 0; r == 0 && i < N_DIRECTORIES; i++)
		r = below_check(path, fd, directories[i].name, true, err);
	for (size_t i = 0; r == 0 && i < sizeof(files) / sizeof(*files); i++)
		r = below_check(path, fd, files[i], false, err);
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
	/* the text is only for people; if it cannot be written, the empty file
	   still marks the directory */
	if (write(fd, marker_text, sizeof(marker_text) - 1) < 0)
		return apsp_fail_errno(
			err, errno, "write to the marker of '%s'", path);
	return 0;
}
