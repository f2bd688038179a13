/*
 * A file's space, which a thread reserves and maps while the device computes
 * the content: a full disk is an error before anything is written, and writing
 * finds pages that exist. They are made in the order in which the file is
 * written, so that the writer can follow closely. A file system in memory
 * reserves space by making pages. Where the file system cannot reserve space,
 * every byte is written once, and the file is not mapped.
 */
#ifndef APSP_COMPUTE_TABLES_RESERVATION_H
#define APSP_COMPUTE_TABLES_RESERVATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/tables/file_map.h"
#include "daemon/base/err.h"

struct apsp_reservation {
	int fd; /* borrowed */
	uint64_t size;
	uint32_t *order; /* in which the pages of shares are made; owned */
	pthread_t thread;
	bool running;	       /* the thread has not been joined */
	struct apsp_stop stop; /* asked for when the reservation ends */
	/* Set before `reserved` if the file is written through it; empty if the
	   host's memory is not several times the file's size. */
	struct apsp_file_map map;
	pthread_mutex_t lock; /* of the members below */
	pthread_cond_t moved;
	bool reserved; /* space is reserved, or the thread has ended */
	bool ended;    /* no more pages will be made */
	bool *made;    /* for each share: its pages exist; owned */
	int result;
	struct apsp_err err;
};

/* A part of the file that is written from its beginning to its end. */
struct apsp_file_part {
	uint64_t offset;
	uint64_t size;
};

/*
 * Sort the shares of size bytes into the order in which they are written: first
 * those outside all parts, then those of the parts, by how far along its part
 * each is. False: there is no memory. The caller frees *out.
 */
bool apsp_reservation_order(uint64_t size, const struct apsp_file_part *parts,
	size_t n_parts, uint32_t **out);

/*
 * Check the free space, then begin to reserve bytes [0, size) of the file, of
 * which parts are written side by side. On success *reservation must not move
 * until apsp_reservation_done(). APSP_ENOSPACE: less than size is free;
 * APSP_EIO.
 */
int apsp_reservation_start(struct apsp_reservation *reservation, int fd,
	uint64_t size, const struct apsp_file_part *parts, size_t n_parts,
	struct apsp_err *err);

/*
 * Wait until the space is reserved; callable by any thread, any number of
 * times. APSP_ENOSPACE: meanwhile other files used the space, and this one is
 * empty again; APSP_EIO.
 */
int apsp_reservation_wait(
	struct apsp_reservation *reservation, struct apsp_err *err);

/*
 * The same; and wait until the pages of these bytes exist or will not be made.
 * In a file system in memory, this may be the first call that returns
 * APSP_ENOSPACE.
 */
int apsp_reservation_pages(struct apsp_reservation *reservation,
	uint64_t offset, uint64_t size, struct apsp_err *err);

/* Stop the thread, and hand over the mapping, which the caller closes. */
struct apsp_file_map apsp_reservation_take(
	struct apsp_reservation *reservation);

/* Stop the thread and end reservation and mapping; the file stays as it is. */
void apsp_reservation_done(struct apsp_reservation *reservation);

#endif
