/*
 * Headers of tar archives, read back by tar itself. The data of members is a
 * hole in a sparse file, so sizes above 8 GiB cost nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "storage/ingest/tar.h"

static const uint64_t sizes[] = {0, 1, 511, 512, 513, 70000, APSP_TAR_LARGE - 1,
	APSP_TAR_LARGE, APSP_TAR_LARGE + 513, UINT64_C(1) << 40};

enum {
	N_SIZES = sizeof(sizes) / sizeof(*sizes),
};

/* Write an archive with a member for each size. */
static void archive_write(int fd)
{
	char header[APSP_TAR_HEADER_MAX], name[APSP_TAR_NAME_SIZE];
	uint64_t at = 0;

	for (size_t i = 0; i < N_SIZES; i++) {
		size_t n = apsp_tar_header_size(sizes[i]);

		/* names of all lengths up to the longest */
		snprintf(name, sizeof(name), "%0*zu",
			(int)(sizeof(name) - N_SIZES + i), i);
		assert_int_equal(
			apsp_tar_header_write(name, sizes[i], header), n);
		assert_int_equal(pwrite(fd, header, n, (off_t)at), n);
		at += n + sizes[i] + apsp_tar_padding(sizes[i]);
		assert_int_equal(at % APSP_TAR_BLOCK, 0);
	}
	assert_int_equal(ftruncate(fd, (off_t)(at + APSP_TAR_END)), 0);
}

static void test_listed_by_tar(void **state)
{
	char path[] = "/tmp/apspd-tar-XXXXXX", command[100], line[300];
	char expected[200];
	int fd = mkstemp(path);
	FILE *list;

	(void)state;
	assert_true(fd >= 0);
	archive_write(fd);
	snprintf(command, sizeof(command),
		"TZ=UTC LC_ALL=C tar --numeric-owner -tvf %s 2>&1", path);
	list = popen(command, "r");
	assert_non_null(list);
	for (size_t i = 0; i < N_SIZES; i++) {
		char *words[6], *rest = line;
		size_t n = 0;

		assert_non_null(fgets(line, sizeof(line), list));
		while (n < 6 && (words[n] = strtok_r(rest, " \n", &rest)))
			n++;
		assert_int_equal(n, 6);
		assert_string_equal(words[0], "-rw-r--r--");
		assert_string_equal(words[1], "0/0");
		snprintf(expected, sizeof(expected), "%" PRIu64, sizes[i]);
		assert_string_equal(words[2], expected);
		assert_string_equal(words[3], "1970-01-01");
		assert_string_equal(words[4], "00:00");
		snprintf(expected, sizeof(expected), "%0*zu",
			(int)(APSP_TAR_NAME_SIZE - N_SIZES + i), i);
		assert_string_equal(words[5], expected);
	}
	assert_null(fgets(line, sizeof(line), list));
	assert_int_equal(pclose(list), 0);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listed_by_tar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
