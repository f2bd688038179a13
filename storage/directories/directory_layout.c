/*
 * Names and kinds of what apspd makes; see directory_layout.h.
 */
#include "storage/directories/directory_layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/table_file.h"
#include "storage/database/database_header.h"
#include "storage/tables/table_name.h"

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

/* A file <id>.apsp that begins as table files do. */
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

/* What the worker and the solver put into a job's directory. */
static bool is_job_file(int dir, const char *name)
{
	return (strcmp(name, "graph") == 0 || strcmp(name, "tables") == 0) &&
	       is_regular(dir, name);
}

/*
 * Whether all that is in directory `name` is known. False where it is no
 * directory, or is a link to one.
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

/* jobs/<id>, as the worker writes the id. */
static bool is_job(int dir, const char *name)
{
	return *name >= '1' && *name <= '9' &&
	       name[strspn(name, "0123456789")] == '\0' &&
	       all_known(dir, name, is_job_file);
}

/* Caches of drivers and the solver: what is in them is never removed. */
static bool is_solver_cache(const char *name)
{
	static const char *const names[] = {
		"kernels", "pocl-kernels", "xdg", "cuda"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The database, what SQLite puts beside it, and an upload under way. */
static bool is_state(int dir, const char *name)
{
	return (strcmp(name, APSP_DIRECTORY_DATABASE) == 0 ||
		       name_begins(name, APSP_DIRECTORY_DATABASE "-") ||
		       name_begins(name, "unnamed.")) &&
	       is_regular(dir, name);
}

static bool is_known(int dir, const char *name)
{
	if (strcmp(name, APSP_DIRECTORY_TABLES) == 0)
		return all_known(dir, name, is_table);
	if (strcmp(name, APSP_DIRECTORY_JOBS) == 0)
		return all_known(dir, name, is_job);
	return is_solver_cache(name) || is_state(dir, name);
}

/* Whether apspd removes what it knows in there. */
static bool is_emptied(const char *name)
{
	return strcmp(name, APSP_DIRECTORY_TABLES) == 0 ||
	       strcmp(name, APSP_DIRECTORY_JOBS) == 0;
}

/* Whether `name` is the directory at path. */
static bool is_directory(int dir, const char *name, const char *path)
{
	struct stat st, other;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode) && stat(path, &other) == 0 &&
	       st.st_dev == other.st_dev && st.st_ino == other.st_ino;
}

/* Whether the database's header says that it is ours. */
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
	       pread(fd, found, sizeof(found), 68) == (ssize_t)sizeof(found) &&
	       memcmp(found, id, sizeof(id)) == 0;
}

int apsp_directory_layout_read(int fd, const char *other,
	enum apsp_directory_layout *out, char stranger[256],
	struct apsp_err *err)
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
	*out = APSP_DIRECTORY_EMPTY;
	*stranger = '\0';
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			strcmp(name, "lost+found") == 0)
			continue;
		if (*out == APSP_DIRECTORY_EMPTY)
			*out = APSP_DIRECTORY_OURS;
		if (is_known(fd, name) || (ours && !is_emptied(name)) ||
			is_directory(fd, name, other))
			continue;
		*out = APSP_DIRECTORY_FOREIGN;
		if (!apsp_fixed_text_set(stranger, 256, name))
			*stranger = '\0';
	}
	return 0;
}
