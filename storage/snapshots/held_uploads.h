/*
 * Keeps the rows of an upload in the database while a request sends the upload
 * as a bundle. The rows stay even if the graph is replaced or deleted
 * meanwhile. A request that sends a bundle is called a reader. Any thread may
 * call these functions.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_HELD_UPLOADS_H
#define APSP_STORAGE_SNAPSHOTS_HELD_UPLOADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	/* milliseconds for which rows are kept for a reader: an hour, the same
	   time as APSP_HELD_TABLES_GRACE_MS */
	APSP_HELD_UPLOADS_MS = 3600000,
};

struct apsp_held_upload {
	uint64_t id; /* id of the generation */
	unsigned int n_readers;
	int64_t until_ms; /* monotonic time until which the generation's rows
			     are kept for its readers */
};

struct apsp_held_uploads {
	pthread_mutex_t mutex;
	struct apsp_held_upload *all; /* owned, in no order */
	size_t n;
	size_t room;
};

void apsp_held_uploads_init(struct apsp_held_uploads *held);
void apsp_held_uploads_done(struct apsp_held_uploads *held);

/* Count one more reader of a generation. The rows of the generation are kept
   for at most an hour after its last reader was counted. APSP_ENOMEM. */
int apsp_held_uploads_add(
	struct apsp_held_uploads *held, uint64_t id, struct apsp_err *err);

/* Remove one reader from the count of a generation's readers. */
void apsp_held_uploads_remove(struct apsp_held_uploads *held, uint64_t id);

/* Whether the rows of the generation `id` are kept for a reader. If `id` is 0:
   whether the rows of any generation are kept for a reader. */
bool apsp_held_uploads_has(struct apsp_held_uploads *held, uint64_t id);

#endif
