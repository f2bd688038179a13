/*
 * Compiled kernels are kept: the next process loads them, a damaged file is
 * compiled anew, and a directory that takes no file does not stop a build.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/device/cache_file.h"
#include "compute/device/device.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "daemon/base/auto.h"
#include "tests/device_fixture.h"

/* As a process of its own would: nothing is known from earlier builds. */
static void build(const char *kernel_dir)
{
	const char *wanted = getenv("APSPD_DEVICE");
	const struct apsp_device_options options = {
		.device = wanted ? wanted : "auto", .kernel_dir = kernel_dir};
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
	struct apsp_err err;

	assert_int_equal(apsp_device_open(&options, &device, &err), 0);
	if (apsp_kernel_cache_kernel(&device, "fw", APSP_ELEMENT_I32, "",
		    "fw_step", &kernel, &err) < 0)
		fail_msg("%s", err.message);
}

/* The one file that is kept; its inode changes when it is written again. */
static ino_t kept_file(const char *dir, char out_path[512])
{
	DIR *listing = opendir(dir);
	const struct dirent *entry;
	struct stat found = {0};
	int n_files = 0;

	assert_non_null(listing);
	while ((entry = readdir(listing))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(out_path, 512, "%s/%s", dir, entry->d_name);
		assert_int_equal(stat(out_path, &found), 0);
		n_files++;
	}
	closedir(listing);
	assert_int_equal(n_files, 1);
	return found.st_ino;
}

static void test_kept(void **state)
{
	const struct device_fixture *fixture = *state;
	char path[512], damaged[] = "????";
	struct stat file;
	ino_t first;
	int fd;

	build(fixture->dir);
	first = kept_file(fixture->dir, path);
	build(fixture->dir);
	assert_int_equal(kept_file(fixture->dir, path), first);

	/* changed, cut, empty */
	for (int how = 0; how < 3; how++) {
		/* held open, so that a new file has another inode */
		fd = open(path, O_RDWR | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &file), 0);
		if (how == 0)
			assert_int_equal(
				pwrite(fd, damaged, 4, file.st_size - 9), 4);
		else
			assert_int_equal(ftruncate(fd, how == 1 ? 50 : 0), 0);
		build(fixture->dir);
		assert_true(kept_file(fixture->dir, path) != first);
		first = kept_file(fixture->dir, path);
		build(fixture->dir);
		assert_int_equal(kept_file(fixture->dir, path), first);
		close(fd);
	}
}

static void test_nowhere_to_keep(void **state)
{
	(void)state;
	build("/dev/null/kernels");
}

/* A disk that takes nothing of a file: nothing of it stays. */
static void test_no_room(void **state)
{
	const struct device_fixture *fixture = *state;
	static const unsigned char bytes[] = "a kernel";
	struct rlimit before, none;
	char path[512], command[600];

	snprintf(path, sizeof(path), "%s/full", fixture->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(command, sizeof(command), "ls -A '%s' | grep -q .", path);
	strcat(path, "/file");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	apsp_cache_file_save(path, "key", bytes, sizeof(bytes));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_not_equal(system(command), 0);
	apsp_cache_file_save(path, "key", bytes, sizeof(bytes));
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_nowhere_to_keep),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
