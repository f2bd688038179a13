/*
 * A thread reserves the space of a file and maps the file while the device
 * computes the content. So a full disk is reported before anything is written,
 * and the file's pages are allocated before they are written, in the order in
 * which they are written. In a file system in memory, reserving space allocates
 * the pages.
 *
 * If the file system cannot reserve space, the thread writes zeros, and the
 * file is not mapped.
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
	/* the parts of the file that are not rows have lower numbers than this
	 */
	APSP_FILE_ROWS = 2,
	APSP_FILE_PARTS = 4,
};

/* A range of the file. Its pages are allocated from its beginning to its end.
 */
struct apsp_file_part {
	uint64_t offset;
	uint64_t size;
	uint64_t made; /* bytes whose pages are allocated, or will be next */
};

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	pthread_t thread;
	bool running;	       /* the thread has not been joined */
	struct apsp_stop stop; /* asks the thread to end */
	/* The mapping of the file. It is set before `reserved`. It is empty if
	   memory is short or the file system cannot map files. */
	struct apsp_file_map map;
	pthread_mutex_t lock; /* protects the members below */
	/* signalled when a member that is declared below has changed */
	pthread_cond_t moved;
	/* other processes may write now: the file system can reserve space
	   without writing zeros over their bytes */
	bool begun;
	unsigned int processors; /* processors whose threads write */
	bool reserved;		 /* space is reserved, or the thread has ended
				    without success */
	bool ended;		 /* the thread will allocate no more pages */
	/* The parts of the file. First, the pages before and after the rows are
	   allocated, then the pages of distances and predecessors side by side,
	   each in proportion to its size. */
	struct apsp_file_part parts[APSP_FILE_PARTS];
	int result;
	struct apsp_err err;
};

/*
 * Check the free space, then start a thread that reserves bytes [0, size) of
 * the file. Bytes [rows[0], rows[1]) are distances, bytes [rows[1], rows[2])
 * are predecessors, and both are written at the same time, from the beginning
 * to the end, after the rest. `processors` is the number of processors of this
 * host whose threads write to the file; 0: other hosts write, too, so
 * the file is not mapped, because on some network file systems, a mapping on
 * one host does not show what another host has written. On success, the memory
 * of *reservation must not move until apsp_reservation_done(). APSP_ENOSPACE:
 * fewer than `size` bytes are free; APSP_EIO.
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const uint64_t rows[3], unsigned int processors,
	struct apsp_err *err);

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
 * reserve space, they may write while the space is being reserved. If it
 * cannot, the thread writes zeros to the whole file instead, and other
 * processes may write only after this. Any thread may call this function.
 * Returns 0, or the error that made the reservation fail.
 */
int apsp_reservation_begun(
	struct apsp_reservation *reservation, struct apsp_err *err);

/*
 * First wait until the file's space is reserved. Then wait until the pages of
 * the `size` bytes from `offset` on are allocated or about to be, or until the
 * thread has stopped allocating pages. If `size` is 0, do not wait for pages.
 * Any thread may call this.
 *
 * APSP_ENOSPACE: apsp_reservation_start() found enough free space, but other
 * files have used it since then. Then the file is empty again. APSP_EIO.
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
