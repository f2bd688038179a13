/*
 * Writes the stored form of attributes; see attribute_records.h.
 */
#include "storage/attributes/attribute_records.h"

#include <stdbool.h>
#include <string.h>

#include <nettle/sha2.h>

#include "daemon/base/hex.h"

/* The text of a record's field. Field 0 is the label of a vertex or, in the
   record of names, the word "label". */
static const char *field_text(const struct apsp_attribute_records *walk,
	uint64_t record, uint32_t field)
{
	const struct apsp_attributes *all = walk->attributes;

	if (record == 0)
		return field == 0 ? "label" : all->columns[field - 1].name;
	if (field == 0)
		return apsp_labels_get(
			walk->labels, (uint32_t)(record - 1), NULL);
	return apsp_attributes_text(all, field - 1, (uint32_t)(record - 1));
}

/* Whether record walk->next exists: a vertex without values has no record. */
static bool has_record(const struct apsp_attribute_records *walk)
{
	const struct apsp_attributes *all = walk->attributes;

	for (uint32_t c = 0; walk->next > 0 && c < all->n_columns; c++)
		if (all->columns[c].of_vertex[walk->next - 1] != 0)
			return true;
	return walk->next == 0;
}

size_t apsp_attribute_records_size(struct apsp_attribute_records *walk)
{
	uint64_t end = UINT64_C(1) + apsp_labels_count(walk->labels);
	size_t size = 0;

	while (walk->next < end && !has_record(walk))
		walk->next++;
	if (walk->next == end)
		return 0;
	for (uint32_t i = 0; i <= walk->attributes->n_columns; i++)
		size += strlen(field_text(walk, walk->next, i)) + 1;
	return size;
}

void apsp_attribute_records_next(
	struct apsp_attribute_records *walk, size_t size, char *out)
{
	for (uint32_t i = 0; out && i <= walk->attributes->n_columns; i++)
		out = stpcpy(out, field_text(walk, walk->next, i)) + 1;
	walk->next++;
	walk->at += size;
}

void apsp_attribute_records_digest(
	struct apsp_attributes *attributes, const struct apsp_labels *labels)
{
	struct apsp_attribute_records walk = {
		.attributes = attributes, .labels = labels};
	unsigned char digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	size_t size;

	sha256_init(&sha);
	while ((size = apsp_attribute_records_size(&walk)) > 0) {
		for (uint32_t i = 0; i <= attributes->n_columns; i++) {
			const char *text = field_text(&walk, walk.next, i);

			sha256_update(
				&sha, strlen(text) + 1, (const void *)text);
		}
		apsp_attribute_records_next(&walk, size, NULL);
	}
	sha256_digest(&sha, sizeof(digest), digest);
	apsp_hex_write(digest, sizeof(digest), attributes->sha256);
	attributes->records_size = walk.at;
}
