/*
 * Writes the arcs of one upload to an unnamed file, and computes the revision
 * of the upload (a hash of its contents). The operating system removes an
 * unnamed file when its descriptor is closed, even after a crash.
 */
#ifndef APSP_STORAGE_INGEST_ARC_SPOOL_H
#define APSP_STORAGE_INGEST_ARC_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/table_file.h"
#include "storage/ingest/labels.h"
#include "storage/ingest/revision.h"
#include "daemon/base/budget.h"

struct apsp_arc_spool {
	const char *dir;
	int fd;			 /* -1: the file does not exist yet */
	struct apsp_arc *buffer; /* owned */
	size_t used;
	uint64_t n_arcs; /* arcs in the file and the buffer together */
	struct apsp_arcs_digest digest; /* digest of all arcs in the file */
	struct apsp_share *share; /* share of the budget of uploads; borrowed */
};

/*
 * Begin a spool, the temporary file of one upload's arcs. The file is created
 * in `dir` only when the first arcs are written, because creating a file may
 * wait for the disk. `dir` and `share` are borrowed; `share` may be NULL. The
 * caller ends *out with apsp_arc_spool_close(). APSP_ENOMEM. Also fails as
 * apsp_share_grow() does.
 */
int apsp_arc_spool_open(const char *dir, struct apsp_share *share,
	struct apsp_arc_spool *out, struct apsp_err *err);
void apsp_arc_spool_close(struct apsp_arc_spool *spool); /* accepts {0} */

/* Append one arc. APSP_ESTATEFULL: the state directory's disk has too little
   space for the uploads and the part that must stay free. APSP_EBUSY: there is
   no free descriptor. APSP_ENOMEM. APSP_EIO: the file cannot be made or written
   for another reason, or the free space is unknown. */
int apsp_arc_spool_add(struct apsp_arc_spool *spool, struct apsp_arc arc,
	struct apsp_err *err);

/*
 * Write the last arcs to the file, and store the revision of the upload
 * (revision.h). No arc may be added afterwards. Fails as apsp_arc_spool_add()
 * does.
 */
int apsp_arc_spool_end(struct apsp_arc_spool *spool,
	const struct apsp_labels *labels, char out_revision[APSP_HASH_SIZE],
	struct apsp_err *err);

/* Read at most `max` arcs of the file, from arc number `first` on. Returns the
   number of arcs that were read. APSP_EIO: the file cannot be read. */
int64_t apsp_arc_spool_read(const struct apsp_arc_spool *spool, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err);

#endif
