/*
 * The revision of an upload: a SHA-256 of four things: the number of vertices,
 * the labels, the number of arcs, and a digest of the arcs in their order. The
 * arcs have a digest of their own, because they arrive before the labels are
 * complete. Equal uploads have the same revision, whatever their formats are.
 */
#ifndef APSP_STORAGE_INGEST_REVISION_H
#define APSP_STORAGE_INGEST_REVISION_H

#include <stddef.h>
#include <stdint.h>

#include <nettle/sha2.h>

#include "daemon/job/graph_file.h"
#include "daemon/job/table_file.h"
#include "storage/ingest/labels.h"

/* The digest of the first n_arcs arcs of an upload. */
struct apsp_arcs_digest {
	struct sha256_ctx sha;
	uint64_t n_arcs;
};

/* Add the next arcs to the digest. To begin a digest, set n_arcs to 0; `sha`
   need not be set. */
void apsp_arcs_digest_add(
	struct apsp_arcs_digest *digest, const struct apsp_arc *arcs, size_t n);

/* Store the revision in hexadecimal. The digest must have all arcs, and cannot
   be used afterwards. */
void apsp_revision_write(struct apsp_arcs_digest *digest,
	const struct apsp_labels *labels, char out[APSP_HASH_SIZE]);

#endif
