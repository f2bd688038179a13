/*
 * A file's space, which a thread reserves and maps while the device computes
 * the content. So a full disk is an error before anything is written, and the
 * pages exist when they are written. Pages are made in the order in which the
 * file is written, so that the writer seldom waits. A file system in memory
 * reserves space by making pages. Where the file system cannot reserve space,
 * zeros are written first, and the file is not mapped.
 */
#ifndef APSP_COMPUTE_TABLES_RESERVATION_H
#define APSP_COMPUTE_TABLES_RESERVATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/tables/file_map.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

enum {
	APSP_RESERVATION_SHARE =
		4 << 20, /* bytes whose pages are made together */
};

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	/* The shares in the order in which their pages are made: first those
	   outside all parts, then the others, by how far along its part each
	   begins. Owned; NULL: there was no memory, and the file is not mapped.
	 */
	uint32_t *order;
	pthread_t thread;
	bool running;	       /* the thread has not been joined */
	struct apsp_stop stop; /* asked for when the reservation ends */
	/* Set before `reserved`; empty if the host's memory is not several
	   times the file's size. */
	struct apsp_file_map map;
	pthread_mutex_t lock; /* of the members below */
	pthread_cond_t moved;
	bool reserved; /* space is reserved, or the thread has ended */
	bool ended;    /* no more pages will be made */
	bool *made;    /* for each share: its pages exist; owned */
	int result;
	struct apsp_err err;
};

/* A part of the file, written from its beginning to its end. */
struct apsp_file_part {
	uint64_t offset;
	uint64_t size;
};

/*
 * Check the free space, then begin to reserve bytes [0, size) of the file,
 * whose parts are written side by side. On success *reservation must not move
 * until apsp_reservation_done(). APSP_ENOSPACE: less than size is free;
 * APSP_EIO.
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const struct apsp_file_part *parts, size_t n_parts,
	struct apsp_err *err);

/*
 * Wait until the space is reserved, and until each page of these bytes exists
 * or cannot be made; with a size of 0, wait for the space only. Any thread may
 * call. APSP_ENOSPACE: meanwhile other files used the space, and this file is
 * empty again; in a file system in memory a later call may be the first that
 * fails; APSP_EIO.
 */
int apsp_reservation_wait(struct apsp_reservation *reservation, uint64_t offset,
	uint64_t size, struct apsp_err *err);

/* Stop the thread, and return the mapping, which the caller closes. */
struct apsp_file_map apsp_reservation_take(
	struct apsp_reservation *reservation);

/* Stop the thread and end reservation and mapping; the file stays as it is. */
void apsp_reservation_done(struct apsp_reservation *reservation);

#endif
