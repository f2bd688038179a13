/*
 * Reserving a file's space; see reservation.h.
 */
#include "compute/tables/reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "compute/plan/host_room.h"
#include "daemon/base/size.h"

enum {
	/* A mapped file's pages all stay in memory until they are on the disk,
	   which other programs must not feel. */
	MAPPED_SHARE = 4, /* of the memory that is left, at most */
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

static bool in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* Map the file, which has its size, and make its pages. */
static bool map(struct apsp_reservation *reservation)
{
	if (reservation->size > apsp_host_room_now() / MAPPED_SHARE ||
		!apsp_file_map_open(
			reservation->fd, reservation->size, &reservation->map))
		return false;
	if (apsp_file_map_populate(&reservation->map, &reservation->end))
		return true;
	apsp_file_map_close(&reservation->map);
	return false;
}

/* Returns 0 or an errno. */
static int space_take(struct apsp_reservation *reservation)
{
	off_t size = (off_t)reservation->size;
	int fd = reservation->fd;

	if (in_memory(fd) && ftruncate(fd, size) == 0 && map(reservation))
		return 0;
	if (fallocate(fd, 0, 0, size) == 0) {
		if (!in_memory(fd))
			map(reservation);
		return 0;
	}
	/* writes zeros where the file system cannot reserve */
	return errno == EOPNOTSUPP ? posix_fallocate(fd, 0, size) : errno;
}

static void *reserve(void *arg)
{
	struct apsp_reservation *reservation = arg;
	uint64_t left = 0;
	int r = space_take(reservation);

	if (r == 0)
		return NULL;
	if (ftruncate(reservation->fd, 0) < 0 ||
		free_space(reservation->fd, &left, NULL) < 0)
		left = 0;
	reservation->result =
		r == ENOSPC || r == EDQUOT
			? fail_space(reservation->size, left, &reservation->err)
			: apsp_fail_errno(&reservation->err, r,
				  "reserve %" PRIu64 " bytes",
				  reservation->size);
	return NULL;
}

int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, struct apsp_err *err)
{
	uint64_t left = 0;
	int r = free_space(fd, &left, err);

	if (r < 0)
		return r;
	/* trying anyway would fill the disk for a moment, and make the writes
	   of other programs fail */
	if (size > left)
		return fail_space(size, left, err);
	*reservation = (struct apsp_reservation){.fd = fd, .size = size};
	pthread_mutex_init(&reservation->lock, NULL);
	reservation->running = pthread_create(&reservation->thread, NULL,
				       reserve, reservation) == 0;
	if (!reservation->running)
		reserve(reservation);
	return 0;
}

int apsp_reservation_wait(
	struct apsp_reservation *reservation, struct apsp_err *err)
{
	pthread_mutex_lock(&reservation->lock);
	if (reservation->running)
		pthread_join(reservation->thread, NULL);
	reservation->running = false;
	pthread_mutex_unlock(&reservation->lock);
	if (reservation->result < 0 && err)
		*err = reservation->err;
	return reservation->result;
}

void apsp_reservation_done(struct apsp_reservation *reservation)
{
	atomic_store(&reservation->end, true);
	apsp_reservation_wait(reservation, NULL);
	apsp_file_map_close(&reservation->map);
	pthread_mutex_destroy(&reservation->lock);
}
