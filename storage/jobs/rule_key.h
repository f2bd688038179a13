/*
 * The key by which tables of a rule are found: the rule's canonical text, and
 * the hash that identifies the rule in the rows of tables and jobs. If the rule
 * makes a choice of vertices to leave out, or of totals by which weights are
 * divided (storage/attributes/rule_choice.h), the hash depends on the choice,
 * too. So tables that were computed by the same rule with other attributes have
 * another key.
 */
#ifndef APSP_STORAGE_JOBS_RULE_KEY_H
#define APSP_STORAGE_JOBS_RULE_KEY_H

#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"
#include "storage/attributes/attributes.h"

struct apsp_profile_place;
struct apsp_transaction;

struct apsp_rule_key {
	char text[APSP_PROFILE_TEXT_SIZE];
	char hash[APSP_HASH_SIZE];
};

/*
 * Make the key of a rule for the vertices that have these labels and
 * attributes. `attributes` may be NULL; if the rule chooses nothing, `labels`
 * may be NULL, too. If the rule cannot choose (for example, the attribute is
 * missing), the hash depends on the error instead, and the job will fail with
 * this error. A later upload of attributes gives the profile another key, and
 * so another job. APSP_ENOMEM.
 */
int apsp_rule_key_make(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, struct apsp_rule_key *out,
	struct apsp_err *err);

/*
 * Make the key of a rule for the generation place->generation, inside a
 * transaction on the writer thread. Fails as apsp_graph_reader_vertices() does.
 */
int apsp_rule_key_load(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_rule_key *out, struct apsp_err *err);

#endif
