/*
 * The spool file; see arc_spool.h.
 */
#include "storage/ingest/arc_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/file_read.h"
#include "daemon/base/unnamed_file.h"

enum {
	BUFFER_BYTES = APSP_ARC_SPOOL_ARCS * sizeof(struct apsp_arc),
};

int apsp_arc_spool_open(const char *dir, struct apsp_share *share,
	struct apsp_arc_spool *out, struct apsp_err *err)
{
	struct apsp_arc_spool spool = {.dir = dir, .fd = -1, .share = share};
	int r = apsp_share_grow(share, BUFFER_BYTES, "the arcs", err);

	if (r < 0)
		return r;
	spool.buffer = malloc(BUFFER_BYTES);
	if (!spool.buffer) {
		apsp_share_shrink(share, BUFFER_BYTES);
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	}
	apsp_revision_init(&spool.revision);
	*out = spool;
	return 0;
}

void apsp_arc_spool_close(struct apsp_arc_spool *spool)
{
	if (spool->buffer)
		apsp_share_shrink(spool->share, BUFFER_BYTES);
	free(spool->buffer);
	if (spool->fd >= 0)
		close(spool->fd);
}

static int file_make(struct apsp_arc_spool *spool, struct apsp_err *err)
{
	spool->fd = apsp_unnamed_file_open(spool->dir);
	if (spool->fd < 0)
		return apsp_fail_errno(err, errno,
			"make a file for the upload in '%s'", spool->dir);
	return 0;
}

int apsp_arc_spool_flush(struct apsp_arc_spool *spool, struct apsp_err *err)
{
	const uint8_t *p = (const uint8_t *)spool->buffer;
	size_t left = spool->used * sizeof(*spool->buffer);
	ssize_t n;
	int r;

	/* before the disk is full: SQLite would meet that, too */
	r = apsp_share_spooled(
		spool->share, spool->n_arcs * sizeof(*spool->buffer), err);
	if (r == 0 && spool->fd < 0)
		r = file_make(spool, err);
	if (r < 0)
		return r;
	apsp_revision_add(&spool->revision, spool->buffer, spool->used);
	while (left > 0) {
		n = write(spool->fd, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return apsp_fail_errno(
				err, errno, "write the upload's arcs");
		p += n;
		left -= (size_t)n;
	}
	spool->used = 0;
	return 0;
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
