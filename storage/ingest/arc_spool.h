/*
 * The arcs of one upload in an unnamed file, and the revision under way. An
 * unnamed file vanishes with its descriptor, even after a crash.
 */
#ifndef APSP_STORAGE_INGEST_ARC_SPOOL_H
#define APSP_STORAGE_INGEST_ARC_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"
#include "storage/ingest/revision.h"
#include "daemon/base/budget.h"

enum {
	APSP_ARC_SPOOL_ARCS = 16384, /* held in memory: 256 KiB */
};

struct apsp_arc_spool {
	const char *dir;
	int fd;			 /* -1: no file yet */
	struct apsp_arc *buffer; /* room for APSP_ARC_SPOOL_ARCS arcs; owned */
	size_t used;
	uint64_t n_arcs;	       /* written and in the buffer */
	struct apsp_revision revision; /* of the arcs that were written */
	struct apsp_share *share;      /* asked for disk; borrowed */
};

/*
 * Begin a spool whose file is made in dir by the first flush: that may wait for
 * the disk. dir and share are borrowed, share may be NULL; it pays for the
 * buffer. The caller ends *out with apsp_arc_spool_close(). APSP_ENOMEM; as
 * apsp_share_grow().
 */
int apsp_arc_spool_open(const char *dir, struct apsp_share *share,
	struct apsp_arc_spool *out, struct apsp_err *err);
void apsp_arc_spool_close(struct apsp_arc_spool *spool);

/*
 * Write the buffer to the file; once more after the last arc. APSP_ENOSPACE,
 * APSP_EIO.
 */
int apsp_arc_spool_flush(struct apsp_arc_spool *spool, struct apsp_err *err);

/* Append one arc. APSP_ENOSPACE, APSP_EIO. */
static inline int apsp_arc_spool_add(
	struct apsp_arc_spool *spool, struct apsp_arc arc, struct apsp_err *err)
{
	spool->buffer[spool->used++] = arc;
	spool->n_arcs++;
	return spool->used == APSP_ARC_SPOOL_ARCS
		       ? apsp_arc_spool_flush(spool, err)
		       : 0;
}

/* Read at most max written arcs from number first on. Returns how many. */
int64_t apsp_arc_spool_read(const struct apsp_arc_spool *spool, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err);

#endif
