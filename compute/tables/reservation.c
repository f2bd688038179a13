/*
 * Reserves the space of a file and allocates its pages; see reservation.h.
 */
#include "compute/tables/reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "compute/plan/host_room.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

enum {
	/* size in bytes of a share: one system call allocates the pages of one
	   share */
	SHARE = 4 << 20,
	/* The number of threads that allocate pages. Each thread makes the
	   allocation faster, but eight threads of 16 processors were slower
	   than one. */
	PAGE_THREADS = 4,
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

/* Return the part of the file whose pages are allocated next. NULL: none is
   left. */
static struct apsp_file_part *part_choose(struct apsp_reservation *reservation)
{
	struct apsp_file_part *best = NULL;

	for (int p = 0; p < APSP_FILE_PARTS; p++) {
		struct apsp_file_part *part = &reservation->parts[p];

		if (part->made < part->size &&
			(!best || (double)part->made / (double)part->size <
					  (double)best->made /
						  (double)best->size))
			best = part;
		/* what is written before the rows comes first */
		if (best && p == APSP_FILE_ROWS - 1)
			break;
	}
	return best;
}

/* Allocate the pages of the mapping, share by share, until a stop is requested.
   Several threads run this. */
static void *pages_make(void *arg)
{
	struct apsp_reservation *reservation = arg;
	int failed = 0;

	while (failed == 0 && !apsp_stop_reason(&reservation->stop)) {
		struct apsp_file_part *part;
		uint64_t at = 0, size = 0;

		pthread_mutex_lock(&reservation->lock);
		part = part_choose(reservation);
		if (part) {
			at = part->offset + part->made;
			size = part->size - part->made;
			size = size < SHARE ? size : SHARE;
			part->made += size;
		}
		pthread_cond_broadcast(&reservation->moved);
		pthread_mutex_unlock(&reservation->lock);
		if (!part)
			break;
		failed = madvise(
			reservation->map.bytes + at, size, MADV_POPULATE_WRITE);
	}
	return NULL;
}

/* Allocate all pages of the mapping, if there is one. The pages of a file
   system in memory are there, because reserving space allocates them. */
static void all_pages_make(struct apsp_reservation *reservation)
{
	/* these threads are not taken from the thread pool, because the pool
	   runs the solver's loops at the same time */
	pthread_t others[PAGE_THREADS - 1];
	struct statfs fs;
	int n = 0;

	if (reservation->map.bytes && fstatfs(reservation->fd, &fs) == 0 &&
		fs.f_type != TMPFS_MAGIC) {
		while (n < PAGE_THREADS - 1 &&
			pthread_create(
				&others[n], NULL, pages_make, reservation) == 0)
			n++;
		pages_make(reservation);
		while (n > 0)
			pthread_join(others[--n], NULL);
	}
	flag_set(reservation, &reservation->ended);
}

static void *reserve(void *arg)
{
	struct apsp_reservation *reservation = arg;
	int error = space_reserve(reservation), r = 0;
	struct apsp_err err = {0};
	uint64_t left = 0;

	/* give back what was reserved, before the free space is measured */
	if (error != 0 && ftruncate(reservation->fd, 0) == 0)
		free_space(reservation->fd, &left, NULL);
	if (error == ENOSPC || error == EDQUOT)
		r = fail_space(reservation->size, left, &err);
	else if (error != 0)
		r = apsp_fail_errno(&err, error, "reserve %" PRIu64 " bytes",
			reservation->size);
	pthread_mutex_lock(&reservation->lock);
	reservation->err = err;
	reservation->result = r;
	pthread_mutex_unlock(&reservation->lock);
	flag_set(reservation, &reservation->reserved);
	all_pages_make(reservation);
	return NULL;
}

int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const uint64_t rows[3], unsigned int processors,
	struct apsp_err *err)
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
	*reservation = (struct apsp_reservation){.fd = fd,
		.size = size,
		.processors = processors,
		.parts = {{0, rows[0], 0}, {rows[2], size - rows[2], 0},
			{rows[0], rows[1] - rows[0], 0},
			{rows[1], rows[2] - rows[1], 0}}};
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
		.reserved = true,
		.ended = true};
	pthread_mutex_init(&reservation->lock, NULL);
	pthread_cond_init(&reservation->moved, NULL);
	map_open(reservation);
}

/* Whether the pages of bytes [at, end) are allocated, or about to be. The
   caller holds the lock. */
static bool pages_made(
	const struct apsp_reservation *reservation, uint64_t at, uint64_t end)
{
	for (int p = 0; p < APSP_FILE_PARTS; p++) {
		const struct apsp_file_part *part = &reservation->parts[p];

		if (at < part->offset + part->size && end > part->offset &&
			end > part->offset + part->made)
			return false;
	}
	return true;
}

/* Return the result of the reservation. The caller holds the lock. */
static int result_get(
	const struct apsp_reservation *reservation, struct apsp_err *err)
{
	if (reservation->result < 0 && err)
		*err = reservation->err;
	return reservation->result;
}

int apsp_reservation_begun(
	struct apsp_reservation *reservation, struct apsp_err *err)
{
	int r;

	pthread_mutex_lock(&reservation->lock);
	while (!reservation->begun && !reservation->reserved)
		pthread_cond_wait(&reservation->moved, &reservation->lock);
	r = result_get(reservation, err);
	pthread_mutex_unlock(&reservation->lock);
	return r;
}

int apsp_reservation_wait(struct apsp_reservation *reservation, uint64_t offset,
	uint64_t size, struct apsp_err *err)
{
	int r;

	pthread_mutex_lock(&reservation->lock);
	while (!reservation->reserved ||
		(size > 0 && !reservation->ended &&
			!pages_made(reservation, offset, offset + size)))
		pthread_cond_wait(&reservation->moved, &reservation->lock);
	r = result_get(reservation, err);
	pthread_mutex_unlock(&reservation->lock);
	return r;
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
