/*
 * The canonical text of a rule, and the hash by which the tables of this rule
 * are found. The hash is a SHA-256 in hexadecimal. If the rule makes a choice
 * of vertices to leave out, or of totals by which weights are divided
 * (apsp_profile_chooses()), the text, a line feed and the digest of the choice
 * are hashed. Otherwise the argument `choice` is NULL, and the text alone is
 * hashed.
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
