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
	/* milliseconds after which the hold of a reader ends: an hour, the same
	   time as APSP_HELD_TABLES_GRACE_MS */
	APSP_HELD_UPLOADS_MS = 3600000,
};

struct apsp_held_upload {
	uint64_t id; /* id of the generation */
	unsigned int n_readers;
	int64_t until_ms; /* monotonic time at which all holds of the generation
			     end */
};

struct apsp_held_uploads {
	pthread_mutex_t mutex;
	struct apsp_held_upload *all; /* owned, in no order */
	size_t n;
	size_t room;
};

void apsp_held_uploads_init(struct apsp_held_uploads *held);
void apsp_held_uploads_done(struct apsp_held_uploads *held);

/* Count one more reader of a generation. All holds of the generation end an
   hour after its last reader was counted. APSP_ENOMEM. */
int apsp_held_uploads_add(
	struct apsp_held_uploads *held, uint64_t id, struct apsp_err *err);

/* Count one reader less of a generation. */
void apsp_held_uploads_remove(struct apsp_held_uploads *held, uint64_t id);

/* Whether a reader holds this generation, or any generation if `id` is 0. */
bool apsp_held_uploads_has(struct apsp_held_uploads *held, uint64_t id);

#endif
