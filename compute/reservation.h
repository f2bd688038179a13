/*
 * The space of a file, reserved by a thread of its own: giving out the pages of
 * 71 MB takes a file system in memory 17 ms, and one that cannot reserve has
 * them written, while the device computes what they are for.
 */
#ifndef APSP_COMPUTE_RESERVATION_H
#define APSP_COMPUTE_RESERVATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	bool running;	      /* the thread is to be joined */
	int result;
	struct apsp_err err;
};

/*
 * Look at the free space, then begin to reserve bytes [0, size) of the file.
 * APSP_ENOSPACE: there is less than that now; APSP_EIO. Unless it fails,
 * *reservation stays where it is until apsp_reservation_done().
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, struct apsp_err *err);

/*
 * Wait until the space is there; from any thread, any number of times.
 * APSP_ENOSPACE: others took it meanwhile, and the file is empty again;
 * APSP_EIO.
 */
int apsp_reservation_wait(
	struct apsp_reservation *reservation, struct apsp_err *err);

/* Waits for the thread. */
void apsp_reservation_done(struct apsp_reservation *reservation);

#endif
