/*
 * A thread reserves the space of a file and maps the file while the device
 * computes the content. So a full disk is reported before anything is written,
 * and the file's pages are allocated before they are written. The thread
 * allocates pages in the order in which the file will be written, so that the
 * writer seldom waits.
 *
 * In a file system in memory, allocating pages is the way to reserve space. If
 * the file system cannot reserve space, the thread writes zeros, and the file
 * is not mapped.
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
	/* size in bytes of a share, which is a run of pages that one system
	   call allocates */
	APSP_RESERVATION_SHARE = 4 << 20,
};

/* A share, and its place in a part of the file (struct apsp_file_part). */
struct apsp_file_share {
	/*
	 * Where in its part of the file the share begins: 0 is the part's
	 * start, and 1 is the part's end. If the share is in several parts, the
	 * least of these numbers. -1: the share is not wholly inside parts.
	 */
	double along;
	uint32_t index;
};

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	unsigned int processors; /* number of processors whose threads write to
				    the file */
	/*
	 * The shares in the order in which their pages are allocated: first the
	 * shares that are not wholly inside parts (struct apsp_file_part), then
	 * the shares inside parts, sorted by `along`. Owned. NULL: there was no
	 * memory for the array, and the file is not mapped.
	 */
	struct apsp_file_share *order;
	pthread_t thread;
	bool running; /* the thread was started and has not been joined */
	struct apsp_stop stop; /* asks the thread to end */
	/* The mapping of the file. It is set before `reserved`. It is empty if
	   memory is short or the file system cannot map files. */
	struct apsp_file_map map;
	pthread_mutex_t lock; /* protects the members below */
	/* signalled when a member that is declared below has changed */
	pthread_cond_t moved;
	/* The file system can reserve space, so other processes are allowed to
	   write before `reserved` is set. On other file systems, the thread
	   fills the file with zeros, and would overwrite their bytes. */
	bool begun;
	/* writers need not wait for space any more: it is reserved, or a file
	   system in memory has begun to allocate pages, or the reservation has
	   failed */
	bool reserved;
	bool ended; /* the thread will allocate no more pages */
	bool *made; /* for each share, whether its pages are allocated; owned */
	int result;
	struct apsp_err err;
};

/* A range of the file that is written from its beginning to its end. All parts
   are written at the same time. */
struct apsp_file_part {
	uint64_t offset;
	uint64_t size;
};

/*
 * Check the free space, then start a thread that reserves bytes [0, size) of
 * the file. The thread allocates the pages of all `parts` of the file in
 * proportion to their sizes, because the caller writes all parts at the same
 * time, and finishes them together. `processors` is the number of processors of
 * this host whose threads write to the file; 0: other hosts also write. In this
 * case the file is not mapped, because on some network file systems a mapping
 * does not show the bytes that another host has written. On success, the memory
 * of *reservation must not move until apsp_reservation_done(). APSP_ENOSPACE:
 * fewer than `size` bytes are free; APSP_EIO.
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const struct apsp_file_part *parts, size_t n_parts,
	unsigned int processors, struct apsp_err *err);

/*
 * Call this in place of apsp_reservation_start() if another process of this
 * host reserves the space. In that process, apsp_reservation_begun() must
 * already have succeeded. Map the file under the same conditions as the other
 * process. The pages that the other process has not allocated yet are allocated
 * when they are written.
 */
void apsp_reservation_join(struct apsp_reservation *reservation, int fd,
	uint64_t size, unsigned int processors);

/*
 * Wait until other processes may write to the file. If the file system can
 * reserve space, other processes may write while the space is being reserved.
 * If not, the thread writes zeros to the whole file, and other processes may
 * write only after this. Any thread may call this function. Returns 0, or the
 * error that made the reservation fail.
 */
int apsp_reservation_begun(
	struct apsp_reservation *reservation, struct apsp_err *err);

/*
 * First wait until the file's space is reserved. Then wait until all pages of
 * the `size` bytes from `offset` on are allocated, or until the thread has
 * stopped allocating pages. If `size` is 0, do not wait for pages. Any thread
 * may call this.
 *
 * APSP_ENOSPACE: apsp_reservation_start() found enough free space, but other
 * files have used it since then. If the first call of this function fails, the
 * file is empty again. In a file system in memory, a later call can fail even
 * if the first call succeeded. APSP_EIO.
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
