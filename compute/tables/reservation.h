/*
 * A thread reserves a file's space and maps the file while the device computes
 * the content. So a full disk is reported before anything is written, and the
 * pages exist by the time they are written. The thread makes pages in the order
 * in which the file will be written, so that the writer seldom waits.
 *
 * A file system in memory reserves space by making pages. If the file system
 * cannot reserve space, the thread writes zeros, and the file is not mapped.
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
	/* size in bytes of a share: the pages that one system call makes */
	APSP_RESERVATION_SHARE = 4 << 20,
};

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	/*
	 * The indices of the shares in the order in which their pages are made:
	 * first the shares outside all parts, then the shares inside parts. The
	 * latter are sorted by how far into its part each share begins. Owned.
	 * NULL: there was no memory for the array, and the file is not mapped.
	 */
	uint32_t *order;
	pthread_t thread;
	bool running;	       /* the thread has not been joined */
	struct apsp_stop stop; /* asks the thread to end */
	/* Set before `reserved`. If memory is short or the file system cannot
	   map files, the file is not mapped, and `map` is empty. */
	struct apsp_file_map map;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t moved; /* signalled when a member below has changed */
	bool reserved;	      /* space is reserved, or the thread has ended
				 without success */
	bool ended;	      /* the thread will make no further page */
	bool *made;	      /* for each share, whether its pages exist;
				 owned */
	int result;
	struct apsp_err err;
};

/* A part of the file that is written from its beginning to its end. */
struct apsp_file_part {
	uint64_t offset;
	uint64_t size;
};

/*
 * Check the free space, then begin to reserve bytes [0, size) of the file. The
 * caller will write all parts at the same time, each at a speed in proportion
 * to its size. On success, the memory of *reservation must not move until
 * apsp_reservation_done(). APSP_ENOSPACE: fewer than `size` bytes are free;
 * APSP_EIO.
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const struct apsp_file_part *parts, size_t n_parts,
	struct apsp_err *err);

/*
 * Wait until the space is reserved, and until the thread has made, or failed to
 * make, each page of the `size` bytes from `offset` on. With a size of 0, wait
 * only for the space. Any thread may call this.
 *
 * APSP_ENOSPACE: other files have used the space meanwhile. If the first call
 * of this function fails, the file is empty again. In a file system in memory,
 * a later call can fail after the first has succeeded. APSP_EIO.
 */
int apsp_reservation_wait(struct apsp_reservation *reservation, uint64_t offset,
	uint64_t size, struct apsp_err *err);

/* Stop the thread, and return the mapping, which the caller closes. */
struct apsp_file_map apsp_reservation_take(
	struct apsp_reservation *reservation);

/* Stop the thread, and end the reservation and the mapping. The file stays as
   it is. */
void apsp_reservation_done(struct apsp_reservation *reservation);

#endif
