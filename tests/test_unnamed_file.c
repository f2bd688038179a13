/*
 * Files without a name: open to this process by a path, seen by nobody else.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/unnamed_file.h"

static void assert_empty(const char *dir)
{
	DIR *listing = opendir(dir);
	const struct dirent *entry;

	assert_non_null(listing);
	while ((entry = readdir(listing)))
		assert_true(entry->d_name[0] == '.');
	closedir(listing);
}

static void test_paths(void **state)
{
	char dir[] = "/tmp/apsp-unnamed-XXXXXX", text[8] = "";
	char paths[2][32];
	int fds[2], fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		fds[i] = apsp_unnamed_file_open(dir);
		assert_true(fds[i] >= 0);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		snprintf(
			paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fds[i]);
	}
	assert_empty(dir);
	/* as writers of named files do */
	fd = open(paths[0], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
	assert_empty(dir);
	fd = open(paths[1], O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text)), 0);
	close(fd);
	fd = open(paths[0], O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "mine");
	close(fd);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(rmdir(dir), 0);
}

static void test_no_directory(void **state)
{
	(void)state;
	assert_int_equal(apsp_unnamed_file_open("/nowhere"), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
