/*
 * The canonical text of a rule, and its hash, a SHA-256 in hexadecimal. If
 * `choice` is NULL, the text alone is hashed. Otherwise a line feed and the
 * digest `choice` follow the text in the hash. If a rule chooses vertices or
 * totals (apsp_profile_chooses()), its tables are found by the hash with the
 * digest (storage/jobs/rule_key.h). The tables of other rules are found by the
 * hash of the text.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_RULE_TEXT_H
#define APSP_STORAGE_SNAPSHOTS_RULE_TEXT_H

#include <stdint.h>

#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"
#include "storage/attributes/rule_choice.h"

/* Write the text and the hash of a rule. */
void apsp_rule_text_write(const struct apsp_profile *rule,
	const uint8_t choice[APSP_CHOICE_DIGEST_SIZE],
	char out_text[APSP_PROFILE_TEXT_SIZE], char out_hash[APSP_HASH_SIZE]);

/* Write the hash of a rule whose canonical text is `text`. */
void apsp_rule_text_hash(const char *text,
	const uint8_t choice[APSP_CHOICE_DIGEST_SIZE],
	char out[APSP_HASH_SIZE]);

#endif
