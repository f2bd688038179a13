/*
 * The revision of an upload: SHA-256 over vertex count, labels and arcs in
 * order, so that equal uploads are recognized whatever their format.
 */
#ifndef APSP_STORAGE_INGEST_REVISION_H
#define APSP_STORAGE_INGEST_REVISION_H

#include <stddef.h>
#include <stdint.h>

#include <nettle/sha2.h>

#include "daemon/base/graph_file.h"
#include "daemon/base/table_file.h"
#include "storage/ingest/labels.h"

/*
 * A revision under way. The arcs pass before the labels are complete, so they
 * have a digest of their own, which stands for them in the revision.
 */
struct apsp_revision {
	struct sha256_ctx arcs;
	uint64_t n_arcs;
};

void apsp_revision_init(struct apsp_revision *revision);

/* Take the next n arcs. */
void apsp_revision_add(
	struct apsp_revision *revision, const struct apsp_arc *arcs, size_t n);

/* The revision in hexadecimal. Only apsp_revision_init() may follow. */
void apsp_revision_end(struct apsp_revision *revision,
	const struct apsp_labels *labels, char out[APSP_HASH_SIZE]);

#endif
