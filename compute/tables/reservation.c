/*
 * Reserves the space of a file and allocates its pages; see reservation.h.
 */
#include "compute/tables/reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "compute/parallel.h"
#include "compute/plan/host_room.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

enum {
	SHARE = APSP_RESERVATION_SHARE,
	/* A file is mapped only if its size is at most 1/4 of the available
	   memory. The pages of a mapped file stay in memory until they are on
	   the disk, and the memory must also suffice for other programs. */
	MAPPED_SHARE = 4,
	/* A file is mapped only if more processors than this number write to
	   it. With few processors, threads that call pwrite() seldom
	   wait for each other, and pwrite() takes less time than making the
	   pages of a mapping (compute/tables/README.md, The file). */
	WRITE_PROCESSORS = 4,
	/* The largest number of threads that allocate pages. More threads would
	   wait for each other in the kernel, and the solver needs processors at
	   the same time. */
	PAGE_THREADS = 4,
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

static double along_find(uint64_t begin, uint64_t end,
	const struct apsp_file_part *parts, size_t n_parts)
{
	uint64_t covered = 0;
	double along = 1;

	for (size_t p = 0; p < n_parts; p++) {
		uint64_t offset = parts[p].offset;
		uint64_t from = begin > offset ? begin : offset;
		uint64_t to = offset + parts[p].size;

		to = to < end ? to : end;
		if (from >= to)
			continue;
		covered += to - from;
		along = fmin(
			along, (double)(from - offset) / (double)parts[p].size);
	}
	return covered < end - begin ? -1 : along;
}

static int shares_compare(const void *a, const void *b)
{
	const struct apsp_file_share *x = a, *y = b;

	if (x->along != y->along)
		return x->along < y->along ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static size_t n_shares(uint64_t size)
{
	return (size + SHARE - 1) / SHARE;
}

/* Return a new array of the file's shares, in the order in which their pages
   will be allocated (member `order` of struct apsp_reservation). NULL: there is
   no memory for the array. */
static struct apsp_file_share *order_make(
	uint64_t size, const struct apsp_file_part *parts, size_t n_parts)
{
	size_t n = n_shares(size);
	struct apsp_file_share *order = malloc(n * sizeof(*order) + 1);

	for (size_t s = 0; order && s < n; s++) {
		uint64_t begin = s * SHARE, left = size - begin;

		order[s] = (struct apsp_file_share){
			along_find(begin, begin + (left < SHARE ? left : SHARE),
				parts, n_parts),
			(uint32_t)s};
	}
	if (order)
		qsort(order, n, sizeof(*order), shares_compare);
	return order;
}

/* Map the file, which must already have its final size. False: the file is not
   mapped. */
static bool map_open(struct apsp_reservation *reservation)
{
	return reservation->processors > WRITE_PROCESSORS &&
	       reservation->size <= apsp_host_room_now() / MAPPED_SHARE &&
	       apsp_file_map_open(
		       reservation->fd, reservation->size, &reservation->map);
}

/* Set *flag, a member of *reservation, to true, and wake all threads that wait
   for a change. */
static void flag_set(struct apsp_reservation *reservation, bool *flag)
{
	pthread_mutex_lock(&reservation->lock);
	*flag = true;
	pthread_cond_broadcast(&reservation->moved);
	pthread_mutex_unlock(&reservation->lock);
}

/* The data that is shared by all threads that allocate pages. */
struct making {
	struct apsp_reservation *reservation;
	atomic_size_t next; /* index of the next share in `order` */
	atomic_bool failed;
};

static void *shares_make(void *arg)
{
	struct making *making = arg;
	struct apsp_reservation *reservation = making->reservation;
	size_t size = reservation->size, n = n_shares(size), i;

	while ((i = atomic_fetch_add(&making->next, 1)) < n &&
		!apsp_stop_reason(&reservation->stop) &&
		!atomic_load(&making->failed)) {
		uint32_t share = reservation->order[i].index;
		size_t at = share * (size_t)SHARE;

		if (madvise(reservation->map.bytes + at,
			    size - at < SHARE ? size - at : SHARE,
			    MADV_POPULATE_WRITE) == 0)
			flag_set(reservation, &reservation->made[share]);
		else
			atomic_store(&making->failed, true);
	}
	return NULL;
}

/* Allocate all pages of the file, on several threads. False: the kernel cannot
   allocate a page. */
static bool pages_make(struct apsp_reservation *reservation)
{
	struct making making = {.reservation = reservation};
	/* these threads are not taken from the thread pool, because the pool
	   runs the solver's loops at the same time */
	pthread_t others[PAGE_THREADS - 1];
	size_t width = apsp_parallel_processors(), n = 0;

	if (width > PAGE_THREADS)
		width = PAGE_THREADS;
	while (n + 1 < width && n + 1 < n_shares(reservation->size) &&
		pthread_create(&others[n], NULL, shares_make, &making) == 0)
		n++;
	shares_make(&making);
	while (n > 0)
		pthread_join(others[--n], NULL);
	return !atomic_load(&making.failed);
}

/* Reserve the file's space, map the file and allocate its pages. Returns 0 or
   an errno. */
static int space_reserve(struct apsp_reservation *reservation)
{
	off_t size = (off_t)reservation->size;
	int fd = reservation->fd;
	struct statfs fs;
	/* True: the file is in memory (tmpfs). Such a file system reserves
	   space by allocating pages. */
	bool by_pages = fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
	bool sized = ftruncate(fd, size) == 0;
	bool maps = reservation->order && reservation->made;

	/* Reserve only the file's first bytes, to find out whether the file
	   system can reserve space. A file system in memory takes long to
	   reserve all bytes. */
	if (sized && fallocate(fd, 0, 0, size < SHARE ? size : SHARE) == 0)
		flag_set(reservation, &reservation->begun);
	if (by_pages && sized && maps && map_open(reservation)) {
		/* Writers may begin now, while several threads allocate the
		   pages. fallocate() would allocate all pages on one thread, so
		   it is not called here. */
		flag_set(reservation, &reservation->reserved);
		if (pages_make(reservation) ||
			apsp_stop_reason(&reservation->stop))
			return 0;
	}
	if (fallocate(fd, 0, 0, size) == 0) {
		if (!by_pages && maps && map_open(reservation)) {
			flag_set(reservation, &reservation->reserved);
			pages_make(reservation);
		}
		return 0;
	}
	/* if the file system cannot reserve space, posix_fallocate() writes
	   zeros */
	return errno == EOPNOTSUPP ? posix_fallocate(fd, 0, size) : errno;
}

/* Return how many bytes are available for the file: the free space plus the
   space that the file already has. If the file is not mapped, first truncate it
   to 0 bytes. A mapped file is not truncated, because a writer may already use
   the mapping. */
static uint64_t space_left(const struct apsp_reservation *reservation)
{
	int fd = reservation->fd;
	struct stat st;
	uint64_t left = 0;

	if (!reservation->map.bytes && ftruncate(fd, 0) < 0)
		return 0;
	if (fstat(fd, &st) < 0 || free_space(fd, &left, NULL) < 0)
		return 0;
	return left + (uint64_t)st.st_blocks * 512;
}

static void *reserve(void *arg)
{
	struct apsp_reservation *reservation = arg;
	int error = space_reserve(reservation), r = 0;
	struct apsp_err err = {0};

	if (error == ENOSPC || error == EDQUOT)
		r = fail_space(
			reservation->size, space_left(reservation), &err);
	else if (error != 0) {
		space_left(reservation);
		r = apsp_fail_errno(&err, error, "reserve %" PRIu64 " bytes",
			reservation->size);
	}
	pthread_mutex_lock(&reservation->lock);
	reservation->err = err;
	reservation->result = r;
	pthread_mutex_unlock(&reservation->lock);
	flag_set(reservation, &reservation->reserved);
	flag_set(reservation, &reservation->ended);
	return NULL;
}

int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const struct apsp_file_part *parts, size_t n_parts,
	unsigned int processors, struct apsp_err *err)
{
	uint64_t left = 0;
	int r = free_space(fd, &left, err);

	if (r < 0)
		return r;
	/* do not try to reserve more bytes than are free, because the attempt
	   would fill the disk for a moment, and stop other programs from
	   writing */
	if (size > left)
		return fail_space(size, left, err);
	*reservation = (struct apsp_reservation){
		.fd = fd, .size = size, .processors = processors};
	pthread_mutex_init(&reservation->lock, NULL);
	pthread_cond_init(&reservation->moved, NULL);
	/* if `made` or `order` is NULL, the file is not mapped */
	reservation->made = calloc(n_shares(size), sizeof(*reservation->made));
	reservation->order = order_make(size, parts, n_parts);
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
	size_t share = offset / SHARE, end = n_shares(offset + size);
	int r;

	pthread_mutex_lock(&reservation->lock);
	while (!reservation->reserved ||
		(size > 0 && share < end && !reservation->ended)) {
		if (reservation->reserved && reservation->made &&
			reservation->made[share])
			share++;
		else
			pthread_cond_wait(
				&reservation->moved, &reservation->lock);
	}
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
	free(reservation->order);
	free(reservation->made);
	pthread_cond_destroy(&reservation->moved);
	pthread_mutex_destroy(&reservation->lock);
}
