/*
 * The temporary file of an upload's arcs, and the revision; see arc_spool.h.
 */
#include "storage/ingest/arc_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/file.h"
#include "daemon/base/hex.h"
#include "daemon/base/unnamed_file.h"

enum {
	BUFFER_ARCS = 16384, /* number of arcs in the buffer: 256 KiB */
	BUFFER_BYTES = BUFFER_ARCS * sizeof(struct apsp_arc),
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
	sha256_init(&spool.digest);
	*out = spool;
	return 0;
}

void apsp_arc_spool_close(struct apsp_arc_spool *spool)
{
	if (!spool->buffer)
		return;
	apsp_share_shrink(spool->share, BUFFER_BYTES);
	free(spool->buffer);
	if (spool->fd >= 0)
		close(spool->fd);
}

/* Write the buffer to the file. */
static int flush(struct apsp_arc_spool *spool, struct apsp_err *err)
{
	size_t size = spool->used * sizeof(*spool->buffer);
	int r;

	/* first check the free space of the disk, because a full disk would
	   also stop SQLite */
	r = apsp_share_spooled(
		spool->share, spool->n_arcs * sizeof(*spool->buffer), err);
	if (r < 0)
		return r;
	if (spool->fd < 0)
		spool->fd = apsp_unnamed_file_open(spool->dir);
	if (spool->fd < 0)
		return apsp_fail_errno(err, errno,
			"make a file for the upload in '%s'", spool->dir);
	sha256_update(&spool->digest, size, (const uint8_t *)spool->buffer);
	if (apsp_file_write(spool->fd, spool->buffer, size,
		    spool->n_arcs * sizeof(*spool->buffer) - size) < 0)
		return apsp_fail_errno(err, errno, "write the upload's arcs");
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

static void u64_digest(struct sha256_ctx *digest, uint64_t value)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	sha256_update(digest, sizeof(bytes), bytes);
}

int apsp_arc_spool_end(struct apsp_arc_spool *spool,
	const struct apsp_labels *labels, char out_revision[APSP_HASH_SIZE],
	struct apsp_err *err)
{
	uint8_t bytes[SHA256_DIGEST_SIZE];
	struct sha256_ctx digest;
	const char *text;
	size_t size;
	int r = flush(spool, err);

	if (r < 0)
		return r;
	sha256_digest(&spool->digest, sizeof(bytes), bytes);
	text = apsp_labels_bytes(labels, &size);
	sha256_init(&digest);
	u64_digest(&digest, apsp_labels_count(labels));
	sha256_update(&digest, size, (const uint8_t *)text);
	u64_digest(&digest, spool->n_arcs);
	sha256_update(&digest, sizeof(bytes), bytes);
	sha256_digest(&digest, sizeof(bytes), bytes);
	apsp_hex_write(bytes, sizeof(bytes), out_revision);
	return 0;
}
