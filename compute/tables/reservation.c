/*
 * Reserving a file's space; see reservation.h.
 */
#include "compute/tables/reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "daemon/base/size.h"

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

static void *reserve(void *arg)
{
	struct apsp_reservation *reservation = arg;
	uint64_t left = 0;
	/* writes zeros where the file system cannot reserve */
	int r = posix_fallocate(reservation->fd, 0, (off_t)reservation->size);

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
	apsp_reservation_wait(reservation, NULL);
	pthread_mutex_destroy(&reservation->lock);
}
