/*
 * A file's space: the order in which pages are made is that of writing, a
 * writer that waits finds its pages made, and what cannot be had is told.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/plan/host_room.h"
#include "compute/tables/reservation.h"
#include "daemon/base/auto.h"

/* so many that the file is mapped */
static unsigned int processors = 8;

enum {
	SHARE = APSP_RESERVATION_SHARE,
	SHARES = 11,
	SIZE = SHARES * SHARE - 12345,
};

/* while true, a file system takes long to reserve all of a file */
static atomic_bool holds;
/* a file system that reserves no space */
static atomic_bool refuses;

/* Stands before the one of the C library. */
int fallocate(int fd, int mode, off_t offset, off_t size)
{
	for (int ms = 0; size == SIZE && atomic_load(&holds) && ms < 5000; ms++)
		usleep(1000);
	if (atomic_load(&refuses)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_fallocate, fd, mode, offset, size);
}

/* Behind a first block and before a rest, the second twice as long. */
static const struct apsp_file_part parts[] = {
	{65536, 3 * SHARE}, {65536 + 3 * SHARE, 6 * SHARE}};

static int file_make(const char *dir)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/apsp-reservation-XXXXXX", dir);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* The order in which the pages of a new file of size bytes are made. */
static struct apsp_file_share *order_of(
	uint64_t size, const struct apsp_file_part *of, size_t n_parts)
{
	struct apsp_reservation reservation;
	struct apsp_file_share *order;
	int fd = file_make("/tmp");

	assert_int_equal(apsp_reservation_start(&reservation, fd, size, of,
				 n_parts, processors, NULL),
		0);
	assert_int_equal(apsp_reservation_wait(&reservation, 0, size, NULL), 0);
	order = reservation.order;
	assert_non_null(order);
	reservation.order = NULL;
	apsp_reservation_done(&reservation);
	close(fd);
	return order;
}

static void test_order(void **state)
{
	/* 0 has the first block, 9 and 10 the rest; 3 begins the second part */
	static const uint32_t expected[SHARES] = {
		0, 9, 10, 3, 4, 1, 5, 6, 2, 7, 8};
	struct apsp_file_share *order;

	(void)state;
	order = order_of(SIZE, parts, 2);
	for (uint32_t s = 0; s < SHARES; s++)
		assert_int_equal(order[s].index, expected[s]);
	free(order);
}

/* No part: from the beginning to the end. Less than a share: that one. */
static void test_order_plain(void **state)
{
	struct apsp_file_share *order;

	(void)state;
	order = order_of(SIZE, NULL, 0);
	for (uint32_t s = 0; s < SHARES; s++)
		assert_int_equal(order[s].index, s);
	free(order);
	order = order_of(1, parts, 2);
	assert_int_equal(order[0].index, 0);
	free(order);
}

static size_t pages_missing(
	const struct apsp_file_map *map, uint64_t offset, uint64_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t n = size / page, missing = 0;
	APSP_AUTO(apsp_free) unsigned char *there = NULL;

	there = malloc(n);
	assert_non_null(there);
	assert_int_equal(mincore(map->bytes + offset, n * page, there), 0);
	for (size_t i = 0; i < n; i++)
		missing += !(there[i] & 1);
	return missing;
}

/* Whether files in dir are mapped once their space is reserved, and whether
   the kernel makes pages of such a mapping when it is asked to. */
struct offer {
	bool maps;
	bool makes;
};

static struct offer offer_find(const char *dir)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct offer offer = {0};
	int fd = file_make(dir);
	void *bytes = MAP_FAILED;

	if (fallocate(fd, 0, 0, (off_t)page) == 0)
		bytes = mmap(
			NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes != MAP_FAILED) {
		/* much more than a mapping must leave */
		offer.maps = apsp_host_room_now() / 8 >= SIZE;
		offer.makes = offer.maps &&
			      madvise(bytes, page, MADV_POPULATE_WRITE) == 0;
		munmap(bytes, page);
	}
	close(fd);
	if (!offer.makes)
		printf("passed over: %s in %s\n",
			offer.maps ? "making pages" : "mappings", dir);
	return offer;
}

/* On a disk, and in memory where there is such a file system. */
static void pages_find(const char *dir)
{
	const struct offer offer = offer_find(dir);
	struct apsp_reservation reservation;
	struct apsp_file_map map;
	struct stat file;
	int fd = file_make(dir);

	assert_int_equal(apsp_reservation_start(&reservation, fd, SIZE, parts,
				 2, processors, NULL),
		0);
	assert_int_equal(apsp_reservation_wait(&reservation, 0, 0, NULL), 0);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(file.st_size, SIZE);
	if (offer.maps)
		assert_non_null(reservation.map.bytes);
	/* the last share that is made */
	assert_int_equal(
		apsp_reservation_wait(&reservation, 8 * SHARE, SHARE, NULL), 0);
	if (offer.makes)
		assert_int_equal(
			pages_missing(&reservation.map, 8 * SHARE, SHARE), 0);
	assert_int_equal(apsp_reservation_wait(&reservation, 0, SIZE, NULL), 0);
	if (offer.makes)
		assert_int_equal(pages_missing(&reservation.map, 0, SIZE), 0);
	map = apsp_reservation_take(&reservation);
	apsp_reservation_done(&reservation);
	/* the caller's now */
	if (map.bytes) {
		assert_int_equal(map.size, SIZE);
		assert_int_equal(map.bytes[SIZE - 1], 0);
	}
	apsp_file_map_close(&map);
	close(fd);
}

static void test_pages(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	pages_find(tmp ? tmp : "/tmp");
	if (access("/dev/shm", W_OK) == 0)
		pages_find("/dev/shm");
}

/* The file may not grow: whoever waits is told, and for whatever. */
static void test_no_space(void **state)
{
	struct apsp_reservation reservation;
	struct rlimit before, small;
	struct apsp_err err = {0};
	int fd = file_make("/tmp");

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = SIZE / 2;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(apsp_reservation_start(&reservation, fd, SIZE, parts,
				 2, processors, NULL),
		0);
	assert_int_equal(apsp_reservation_wait(&reservation, 0, SIZE, &err),
		APSP_ENOSPACE);
	assert_non_null(strstr(err.message, "reserve"));
	assert_int_equal(
		apsp_reservation_wait(&reservation, 0, 0, NULL), APSP_ENOSPACE);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_null(reservation.map.bytes);
	apsp_reservation_done(&reservation);
	close(fd);
}

/* With few processors pwrite() is the faster way, so nothing is mapped. */
static void test_few_processors(void **state)
{
	struct apsp_reservation reservation;
	int fd = file_make("/tmp");
	struct stat st;

	(void)state;
	processors = 4;
	assert_int_equal(apsp_reservation_start(&reservation, fd, SIZE, parts,
				 2, processors, NULL),
		0);
	assert_int_equal(apsp_reservation_wait(&reservation, 0, SIZE, NULL), 0);
	assert_null(reservation.map.bytes);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, SIZE);
	apsp_reservation_done(&reservation);
	close(fd);
	processors = 8;
}

/* Others may write before all space is reserved, unless zeros are written
   meanwhile. */
static void test_begun(void **state)
{
	struct apsp_reservation reservation, other;
	int fd = file_make("/tmp");
	struct stat st;
	char last;

	(void)state;
	processors = 4;
	atomic_store(&holds, true);
	assert_int_equal(apsp_reservation_start(&reservation, fd, SIZE, parts,
				 2, processors, NULL),
		0);
	assert_int_equal(apsp_reservation_begun(&reservation, NULL), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, SIZE);
	assert_in_range(st.st_blocks * 512, 1, SIZE / 2);
	assert_false(reservation.reserved);
	/* another process, with more processors, maps the file */
	processors = 8;
	apsp_reservation_join(&other, fd, SIZE, processors);
	assert_int_equal(apsp_reservation_wait(&other, 0, SIZE, NULL), 0);
	if (offer_find("/tmp").maps) {
		assert_non_null(other.map.bytes);
		other.map.bytes[SIZE - 1] = 7;
	}
	apsp_reservation_done(&other);
	atomic_store(&holds, false);
	assert_int_equal(apsp_reservation_wait(&reservation, 0, SIZE, NULL), 0);
	assert_int_equal(pread(fd, &last, 1, SIZE - 1), 1);
	assert_int_equal(last, offer_find("/tmp").maps ? 7 : 0);
	apsp_reservation_done(&reservation);
	close(fd);

	processors = 4;
	fd = file_make("/tmp");
	atomic_store(&refuses, true);
	assert_int_equal(apsp_reservation_start(&reservation, fd, SIZE, parts,
				 2, processors, NULL),
		0);
	assert_int_equal(apsp_reservation_begun(&reservation, NULL), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks * 512 >= SIZE);
	atomic_store(&refuses, false);
	apsp_reservation_done(&reservation);
	close(fd);
	processors = 8;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_processors),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_order_plain),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
