/*
 * Keys of rules; see rule_key.h.
 */
#include "storage/jobs/rule_key.h"

#include <string.h>

#include <nettle/sha2.h>

#include "daemon/base/auto.h"
#include "storage/jobs/job_queue.h"
#include "storage/snapshots/graph_reader.h"
#include "storage/snapshots/rule_text.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/snapshots/transaction.h"

_Static_assert(SHA256_DIGEST_SIZE == APSP_CHOICE_DIGEST_SIZE, "size of digest");

int apsp_rule_key_make(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, struct apsp_rule_key *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_rule_choice_done) struct apsp_rule_choice choice = {0};
	uint8_t digest[APSP_CHOICE_DIGEST_SIZE];
	bool chooses = apsp_profile_chooses(rule);
	struct sha256_ctx sha;
	struct apsp_err why;
	int r = 0;

	if (chooses)
		r = apsp_rule_choice_make(
			rule, labels, attributes, &choice, &why);
	if (r < 0 && r != APSP_EDATA)
		return apsp_fail(err, (enum apsp_code)r, "%s", why.message);
	if (r < 0) {
		sha256_init(&sha);
		sha256_update(&sha, strlen(why.message),
			(const uint8_t *)why.message);
		sha256_digest(&sha, sizeof(digest), digest);
	} else if (chooses)
		apsp_rule_choice_digest(&choice, labels, digest);
	apsp_rule_text_write(
		rule, chooses ? digest : NULL, out->text, out->hash);
	return 0;
}

int apsp_rule_key_load(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_rule_key *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *old = NULL;
	APSP_AUTO(apsp_graph_vertices_done)
	struct apsp_graph_vertices vertices = {0};
	APSP_AUTO(apsp_graph_reader_done)
	struct apsp_graph_reader reader = {.db = tx->db,
		.fresh = tx->fresh,
		.fresh_revision = tx->fresh_revision};
	int r = 0;

	if (apsp_profile_chooses(rule)) {
		old = apsp_snapshot_map_get(tx->store->snapshots, place->graph);
		reader.old = old;
		r = apsp_graph_reader_vertices(
			&reader, place->generation, &vertices, err);
	}
	return r < 0 ? r
		     : apsp_rule_key_make(rule, vertices.labels,
			       vertices.attributes, out, err);
}
