/*
 * Computes revisions; see revision.h.
 */
#include "storage/ingest/revision.h"

#include "daemon/base/hex.h"

void apsp_arcs_digest_add(
	struct apsp_arcs_digest *digest, const struct apsp_arc *arcs, size_t n)
{
	if (digest->n_arcs == 0)
		sha256_init(&digest->sha);
	sha256_update(&digest->sha, n * sizeof(*arcs), (const uint8_t *)arcs);
	digest->n_arcs += n;
}

static void u64_digest(struct sha256_ctx *digest, uint64_t value)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	sha256_update(digest, sizeof(bytes), bytes);
}

void apsp_revision_write(struct apsp_arcs_digest *digest,
	const struct apsp_labels *labels, char out[APSP_HASH_SIZE])
{
	uint8_t bytes[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	if (digest->n_arcs == 0)
		sha256_init(&digest->sha);
	sha256_digest(&digest->sha, sizeof(bytes), bytes);
	sha256_init(&sha);
	u64_digest(&sha, labels->count);
	sha256_update(&sha, labels->bytes_used, (const uint8_t *)labels->bytes);
	u64_digest(&sha, digest->n_arcs);
	sha256_update(&sha, sizeof(bytes), bytes);
	sha256_digest(&sha, sizeof(bytes), bytes);
	apsp_hex_write(bytes, sizeof(bytes), out);
}
