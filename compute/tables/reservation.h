/*
 * A file's space, reserved and mapped by a thread of its own while the device
 * computes the file's content: a full disk is an error before anything is
 * written, and writing finds its pages made. A file system in memory reserves
 * space by making pages, in threads. One that cannot reserve space has every
 * byte written, and no mapping.
 */
#ifndef APSP_COMPUTE_TABLES_RESERVATION_H
#define APSP_COMPUTE_TABLES_RESERVATION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/tables/file_map.h"
#include "daemon/base/err.h"

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	pthread_t thread;
	pthread_mutex_t lock; /* of the members below */
	bool running;	      /* the thread has not been joined */
	int result;
	/* set where the file is to be written through it; none where the host's
	   memory is not several times the file's size */
	struct apsp_file_map map;
	atomic_bool end;
	struct apsp_err err;
};

/*
 * Check the free space, then begin to reserve bytes [0, size) of the file. On
 * success *reservation must not move until apsp_reservation_done().
 * APSP_ENOSPACE: less than size is free; APSP_EIO.
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, struct apsp_err *err);

/*
 * Wait until the space is reserved; any thread may, any number of times.
 * APSP_ENOSPACE: other files took the space meanwhile, and this one is empty
 * again; APSP_EIO.
 */
int apsp_reservation_wait(
	struct apsp_reservation *reservation, struct apsp_err *err);

/* Stop the thread and end reservation and mapping; the file stays as it is. */
void apsp_reservation_done(struct apsp_reservation *reservation);

#endif
