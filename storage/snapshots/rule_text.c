/*
 * Writes the texts and hashes of rules; see rule_text.h.
 */
#include "storage/snapshots/rule_text.h"

#include <string.h>

#include <nettle/sha2.h>

#include "daemon/base/hex.h"
#include "daemon/job/profile_text.h"

void apsp_rule_text_hash(const char *text,
	const uint8_t choice[APSP_CHOICE_DIGEST_SIZE], char out[APSP_HASH_SIZE])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, strlen(text), (const uint8_t *)text);
	if (choice) {
		/* no rule has a line feed, so the line feed shows where the
		   rule's text ends */
		sha256_update(&sha, 1, (const uint8_t *)"\n");
		sha256_update(&sha, APSP_CHOICE_DIGEST_SIZE, choice);
	}
	sha256_digest(&sha, sizeof(digest), digest);
	apsp_hex_write(digest, sizeof(digest), out);
}

void apsp_rule_text_write(const struct apsp_profile *rule,
	const uint8_t choice[APSP_CHOICE_DIGEST_SIZE],
	char out_text[APSP_PROFILE_TEXT_SIZE], char out_hash[APSP_HASH_SIZE])
{
	apsp_profile_format(rule, out_text);
	apsp_rule_text_hash(out_text, choice, out_hash);
}
