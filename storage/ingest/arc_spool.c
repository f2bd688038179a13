/*
 * The temporary file of an upload's arcs; see arc_spool.h.
 */
#include "storage/ingest/arc_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/array.h"
#include "daemon/base/file.h"
#include "daemon/base/unnamed_file.h"

enum {
	BUFFER_ARCS = 16384, /* number of arcs in the buffer: 256 KiB */
};

int apsp_arc_spool_open(const char *dir, struct apsp_share *share,
	struct apsp_arc_spool *out, struct apsp_err *err)
{
	struct apsp_arc_spool spool = {.dir = dir, .fd = -1, .share = share};
	size_t n = 0;
	int r = apsp_array_reserve(&spool.buffer, BUFFER_ARCS, &n,
		&(struct apsp_array_growth){
			sizeof(*spool.buffer), BUFFER_ARCS, "the arcs", share},
		err);

	if (r == 0)
		*out = spool;
	return r;
}

void apsp_arc_spool_close(struct apsp_arc_spool *spool)
{
	if (!spool->buffer)
		return;
	apsp_share_shrink(spool->share, BUFFER_ARCS * sizeof(*spool->buffer));
	free(spool->buffer);
	if (spool->fd >= 0)
		close(spool->fd);
}

/* Report errno. If the disk is full, report APSP_ESTATEFULL, not APSP_ENOSPACE.
   APSP_ENOSPACE would make the client free space in the cache, but this file
   lies in the state directory. */
static int file_failed(const struct apsp_arc_spool *spool, const char *what,
	struct apsp_err *err)
{
	int r = apsp_fail_errno(err, errno, "%s in '%s'", what, spool->dir);

	if (r != APSP_ENOSPACE)
		return r;
	return apsp_fail(err, APSP_ESTATEFULL,
		"the disk of '%s' is full; make room there, or choose another "
		"--state-dir",
		spool->dir);
}

/* Write the buffer to the file. */
static int flush(struct apsp_arc_spool *spool, struct apsp_err *err)
{
	size_t size = spool->used * sizeof(*spool->buffer);
	int r;

	/* first check the free space of the disk: the database is on the same
	   disk, and SQLite could not go on if the disk were full */
	r = apsp_share_spooled(
		spool->share, spool->n_arcs * sizeof(*spool->buffer), err);
	if (r < 0)
		return r;
	if (spool->fd < 0)
		spool->fd = apsp_unnamed_file_open(spool->dir);
	if (spool->fd < 0)
		return file_failed(spool, "make a file for the upload", err);
	apsp_arcs_digest_add(&spool->digest, spool->buffer, spool->used);
	if (apsp_file_write(spool->fd, spool->buffer, size,
		    spool->n_arcs * sizeof(*spool->buffer) - size) < 0)
		return file_failed(spool, "write the upload's arcs", err);
	spool->used = 0;
	return 0;
}

int apsp_arc_spool_add(
	struct apsp_arc_spool *spool, struct apsp_arc arc, struct apsp_err *err)
{
	spool->buffer[spool->used++] = arc;
	spool->n_arcs++;
	return spool->used == BUFFER_ARCS ? flush(spool, err) : 0;
}

int64_t apsp_arc_spool_read(const struct apsp_arc_spool *spool, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err)
{
	size_t size;
	ssize_t n;

	if (first >= spool->n_arcs)
		return 0;
	if (max > spool->n_arcs - first)
		max = (size_t)(spool->n_arcs - first);
	size = max * sizeof(*out);
	n = apsp_file_read(spool->fd, out, size, first * sizeof(*out));
	if (n < 0)
		return apsp_fail_errno(err, errno, "read the upload's arcs");
	if ((size_t)n < size)
		return apsp_fail(err, APSP_EIO,
			"read the upload's arcs: the file is short");
	return (int64_t)max;
}

int apsp_arc_spool_end(struct apsp_arc_spool *spool,
	const struct apsp_labels *labels, char out_revision[APSP_HASH_SIZE],
	struct apsp_err *err)
{
	int r = flush(spool, err);

	if (r < 0)
		return r;
	apsp_revision_write(&spool->digest, labels, out_revision);
	return 0;
}
