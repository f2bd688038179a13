/*
 * The arcs of one upload in an unnamed file, with their digest. What is never
 * named is gone with its descriptor, also after a crash.
 */
#ifndef APSP_STORAGE_INGEST_SPOOL_H
#define APSP_STORAGE_INGEST_SPOOL_H

#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

enum {
	APSP_SPOOL_ARCS = 16384, /* held in memory: 256 KiB */
};

struct apsp_spool {
	int fd;
	struct apsp_arc *buffer; /* APSP_SPOOL_ARCS of them */
	size_t used;
	uint64_t n_arcs; /* those in the buffer among them */
	struct sha256_ctx digest;
};

/* Make the file in dir. The caller ends *out with apsp_spool_close(). */
int apsp_spool_open(
	const char *dir, struct apsp_spool *out, struct apsp_err *err);
void apsp_spool_close(struct apsp_spool *spool);

/* Write the buffer out: when it is full, and once after the last arc. */
int apsp_spool_flush(struct apsp_spool *spool, struct apsp_err *err);

/* Append one arc. APSP_ENOSPACE, APSP_EIO. */
static inline int apsp_spool_add(
	struct apsp_spool *spool, struct apsp_arc arc, struct apsp_err *err)
{
	spool->buffer[spool->used++] = arc;
	spool->n_arcs++;
	return spool->used == APSP_SPOOL_ARCS ? apsp_spool_flush(spool, err)
					      : 0;
}

/* At most max flushed arcs from number first on. How many, or a code. */
int64_t apsp_spool_read(const struct apsp_spool *spool, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err);

#endif
