/*
 * For LD_PRELOAD: what a disk keeps of a program's files when the power goes.
 * Nothing is synced. Instead each file and directory is copied to the directory
 * APSP_DISK as it is when it would have been: a file's bytes, and of a
 * directory a line "file name" for each entry. A copy is named after its file,
 * by inode and time of birth, since inodes are used again
 * (tests/e2e/test_power.py).
 *
 * APSP_DISK_HOLDS=SUFFIX: syncs of files with such names never end.
 * APSP_DISK_CUT=N: the process is killed before sync number N, counted from 1.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NAME_SIZE = 64,
	PATH_SIZE = 4096,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long n_syncs;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void file_name(int dir, const char *path, char out[NAME_SIZE])
{
	struct statx st;

	must(statx(dir, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW,
		     STATX_INO | STATX_BTIME, &st) == 0);
	snprintf(out, NAME_SIZE, "%llu-%lld-%u", (unsigned long long)st.stx_ino,
		(long long)st.stx_btime.tv_sec, st.stx_btime.tv_nsec);
}

static void entries_copy(int fd, FILE *to)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	char name[NAME_SIZE];

	must(dir != NULL);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0)
			continue;
		file_name(dirfd(dir), entry->d_name, name);
		fprintf(to, "%s %s\n", name, entry->d_name);
	}
	closedir(dir);
}

/* fd may be for writing only. */
static void bytes_copy(int fd, FILE *to)
{
	char path[NAME_SIZE], bytes[1 << 16];
	ssize_t n;
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	must(again >= 0);
	while ((n = read(again, bytes, sizeof(bytes))) > 0)
		must(fwrite(bytes, 1, (size_t)n, to) == (size_t)n);
	must(n == 0);
	close(again);
}

/* The copy appears whole or not at all, whenever this process is killed. */
static void copy(int fd, const char *disk)
{
	char name[NAME_SIZE], part[PATH_SIZE], whole[PATH_SIZE];
	struct stat st;
	FILE *to;

	must(fstat(fd, &st) == 0);
	file_name(fd, "", name);
	snprintf(part, sizeof(part), "%s/part", disk);
	snprintf(whole, sizeof(whole), "%s/%s", disk, name);
	to = fopen(part, "we");
	must(to != NULL);
	if (S_ISDIR(st.st_mode))
		entries_copy(fd, to);
	else
		bytes_copy(fd, to);
	must(fclose(to) == 0 && rename(part, whole) == 0);
}

static bool is_held(int fd)
{
	const char *suffix = getenv("APSP_DISK_HOLDS");
	char link[NAME_SIZE], path[PATH_SIZE];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = suffix ? readlink(link, path, sizeof(path) - 1) : -1;
	if (n < (ssize_t)(suffix ? strlen(suffix) : 0))
		return false;
	path[n] = '\0';
	return strcmp(path + n - strlen(suffix), suffix) == 0;
}

static int sync_keep(int fd)
{
	const char *disk = getenv("APSP_DISK"), *cut = getenv("APSP_DISK_CUT");

	if (!disk)
		return 0;
	while (is_held(fd))
		pause();
	pthread_mutex_lock(&lock);
	if (cut && ++n_syncs == strtoul(cut, NULL, 10))
		raise(SIGKILL);
	copy(fd, disk);
	pthread_mutex_unlock(&lock);
	return 0;
}

int fsync(int fd)
{
	return sync_keep(fd);
}

int fdatasync(int fd)
{
	return sync_keep(fd);
}
