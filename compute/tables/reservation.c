/*
 * Reserves the space of a file and allocates its pages; see reservation.h.
 */
#include "compute/tables/reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "compute/plan/host_room.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

enum {
	/* size in bytes of a share: one system call allocates the pages of one
	   share */
	SHARE = 4 << 20,
	/* A file is mapped only if its size is at most 1/4 of the available
	   memory. The pages of a mapped file stay in memory until they are on
	   the disk, and other programs need memory, too. */
	MAPPED_SHARE = 4,
	/* A file is mapped only if more processors than this number write to
	   it. With few processors, threads that call pwrite() seldom
	   wait for each other, and pwrite() takes less time than making the
	   pages of a mapping (compute/tables/README.md, The file). */
	WRITE_PROCESSORS = 4,
};

static int fail_space(uint64_t needed, uint64_t left, struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];

	apsp_sizes_format(needed, left, need, have);
	return apsp_fail(err, APSP_ENOSPACE,
		"the tables need %s on disk and %s are free", need, have);
}

static int free_space(int fd, uint64_t *out, struct apsp_err *err)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) < 0)
		return apsp_fail_errno(err, errno, "measure the free space");
	*out = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

/* Map the file, which must already have its final size, unless it is better
   written by pwrite(). */
static void map_open(struct apsp_reservation *reservation)
{
	if (reservation->processors > WRITE_PROCESSORS &&
		reservation->size <= apsp_host_room_now() / MAPPED_SHARE)
		apsp_file_map_open(
			reservation->fd, reservation->size, &reservation->map);
}

/* Set *flag, a member of *reservation, and wake the threads that wait until a
   member changes. */
static void flag_set(struct apsp_reservation *reservation, bool *flag)
{
	pthread_mutex_lock(&reservation->lock);
	*flag = true;
	pthread_cond_broadcast(&reservation->moved);
	pthread_mutex_unlock(&reservation->lock);
}

/* Reserve the file's space, and map the file. Returns 0 or an errno. */
static int space_reserve(struct apsp_reservation *reservation)
{
	off_t size = (off_t)reservation->size;
	int fd = reservation->fd;

	/* Try with the first bytes whether the file system can reserve space. A
	   file system in memory takes long to reserve all bytes. */
	if (ftruncate(fd, size) == 0 &&
		fallocate(fd, 0, 0, size < SHARE ? size : SHARE) == 0)
		flag_set(reservation, &reservation->begun);
	if (fallocate(fd, 0, 0, size) == 0) {
		map_open(reservation);
		return 0;
	}
	/* if the file system cannot reserve space, posix_fallocate() writes
	   zeros */
	return errno == EOPNOTSUPP ? posix_fallocate(fd, 0, size) : errno;
}

/* Allocate the pages of the mapping, until a stop is requested. If the kernel
   cannot allocate a page here, the writer finds that. One thread is enough:
   more threads wait for each other in the kernel. */
static void pages_make(struct apsp_reservation *reservation)
{
	const struct apsp_file_map *map = &reservation->map;
	size_t step;

	for (size_t at = 0;
		at < map->size && !apsp_stop_reason(&reservation->stop);
		at += step) {
		step = map->size - at < SHARE ? map->size - at : SHARE;
		if (madvise(map->bytes + at, step, MADV_POPULATE_WRITE) < 0)
			return;
	}
}

static void *reserve(void *arg)
{
	struct apsp_reservation *reservation = arg;
	int error = space_reserve(reservation);
	uint64_t left = 0;

	/* give back what was reserved, before the free space is measured */
	if (error != 0 && ftruncate(reservation->fd, 0) == 0)
		free_space(reservation->fd, &left, NULL);
	if (error == ENOSPC || error == EDQUOT)
		reservation->result =
			fail_space(reservation->size, left, &reservation->err);
	else if (error != 0)
		reservation->result = apsp_fail_errno(&reservation->err, error,
			"reserve %" PRIu64 " bytes", reservation->size);
	flag_set(reservation, &reservation->reserved);
	pages_make(reservation);
	return NULL;
}

int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, unsigned int processors, struct apsp_err *err)
{
	uint64_t left = 0;
	int r = free_space(fd, &left, err);

	if (r < 0)
		return r;
	/* do not try to reserve more bytes than are free, because the attempt
	   would fill the disk for a moment, and other programs could not write
	   meanwhile */
	if (size > left)
		return fail_space(size, left, err);
	*reservation = (struct apsp_reservation){
		.fd = fd, .size = size, .processors = processors};
	pthread_mutex_init(&reservation->lock, NULL);
	pthread_cond_init(&reservation->moved, NULL);
	reservation->running = pthread_create(&reservation->thread, NULL,
				       reserve, reservation) == 0;
	if (!reservation->running)
		reserve(reservation);
	return 0;
}

void apsp_reservation_join(struct apsp_reservation *reservation, int fd,
	uint64_t size, unsigned int processors)
{
	*reservation = (struct apsp_reservation){.fd = fd,
		.size = size,
		.processors = processors,
		.reserved = true};
	pthread_mutex_init(&reservation->lock, NULL);
	pthread_cond_init(&reservation->moved, NULL);
	map_open(reservation);
}

/* Wait until a flag of *reservation is set, or until the reservation has ended.
   Return the result of the reservation so far. */
static int flag_wait(struct apsp_reservation *reservation, const bool *flag,
	struct apsp_err *err)
{
	int r;

	pthread_mutex_lock(&reservation->lock);
	while (!*flag && !reservation->reserved)
		pthread_cond_wait(&reservation->moved, &reservation->lock);
	r = reservation->reserved ? reservation->result : 0;
	pthread_mutex_unlock(&reservation->lock);
	if (r < 0 && err)
		*err = reservation->err;
	return r;
}

int apsp_reservation_begun(
	struct apsp_reservation *reservation, struct apsp_err *err)
{
	return flag_wait(reservation, &reservation->begun, err);
}

int apsp_reservation_wait(
	struct apsp_reservation *reservation, struct apsp_err *err)
{
	return flag_wait(reservation, &reservation->reserved, err);
}

struct apsp_file_map apsp_reservation_take(struct apsp_reservation *reservation)
{
	apsp_stop_ask(&reservation->stop, APSP_STOP_END);
	if (reservation->running)
		pthread_join(reservation->thread, NULL);
	reservation->running = false;
	return APSP_TAKE(reservation->map);
}

void apsp_reservation_done(struct apsp_reservation *reservation)
{
	struct apsp_file_map map = apsp_reservation_take(reservation);

	apsp_file_map_close(&map);
	pthread_cond_destroy(&reservation->moved);
	pthread_mutex_destroy(&reservation->lock);
}
